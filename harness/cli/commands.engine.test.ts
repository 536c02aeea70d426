import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { FAULT_PACKAGES } from '../suite/testing/fault-packages.ts';
import type { TamperDocument } from '../tamper/tamper-document.ts';
import { packFault } from './testing/candidates.ts';
import { parseAudit, parseResult, parseStdout, readReport, type Verdict } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { hideRunc, programPath, requireDocker, Workbench } from './testing/workbench.ts';

interface Diagnosis {
  readonly result: string;
  readonly exitCode: number;
  readonly engines: readonly {
    readonly name: string;
    readonly state: string;
    readonly detail: string;
    readonly mend: string | null;
  }[];
  readonly folders: { readonly cache: string; readonly state: string };
}

const NO_DOCKER = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
const COLOUR = /\u001b\[/;

function bytesOf(name: string): Buffer {
  const found = FAULT_PACKAGES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no package ${name}`);
  return packFault(found);
}

describe('the other commands of the real program', () => {
  let bench: Workbench;
  const evidence = 'evidence';
  /** stdout and stderr of a check for people. */
  let shown = { stdout: '', stderr: '' };
  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    await bench.writeFile('good.tgz', bytesOf('g-cli'));
    await bench.writeFile('other.tgz', bytesOf('g-mcp'));
    await bench.writeFile('crlf.tgz', bytesOf('f-crlf-shebang'));
    const waivers = [{ code: 'BIN_SHEBANG_CRLF', reason: 'npm mends it', expires: '2999-12-31' }];
    await bench.writeFile('waivers.json', JSON.stringify(waivers));
    const flags = ['--only', '*.arguments', '--nonce', 'a nonce', '--engine', 'runc', '--node', '22'];
    const answer = await bench.run(['check', 'good.tgz', '--out', evidence, ...flags]);
    assert.equal(answer.exitCode, 0, answer.stderr);
    shown = answer;
  });
  after(() => bench.close());
  afterEach(async () => assert.deepEqual(await findLeftovers(bench), []));

  it('check shows its result on stdout and nothing else, and its progress on stderr, in plain lines', () => {
    const lines = shown.stdout.split('\n');
    assert.match(
      lines[0] ?? '',
      /^passed {2}g-cli@1\.2\.3 {2}\d+ pass, .* on runc, [\d.]+ s \([\d.]+ s to prepare, not in the budget\), exit 0$/,
    );
    assert.match(lines.at(-2) ?? '', /^ {2}evidence evidence \(accepted/);
    assert.equal(lines.at(-1), '');
    for (const line of shown.stderr.trimEnd().split('\n')) assert.match(line, /^ *[\d.]+s [a-z]+ +\S/);
    assert.doesNotMatch(shown.stdout + shown.stderr, /[\u001b\r]/);
  });

  it('check tampers with what it made, and tamper finds nothing that is not on the closed list', async () => {
    assert.match(shown.stderr, /^ *[\d.]+s tamper {3}/m);
    const kinds = ['byte-appended', 'value-nudged', 'list-emptied', 'nonce-changed', 'resigned'];
    const answer = await bench.run(['tamper', evidence, '--only', ...kinds, '--json']);
    assert.equal(answer.exitCode, 0, answer.stdout.slice(-2000) + answer.stderr.slice(-500));
    const told = parseStdout<TamperDocument>(answer);
    assert.deepEqual([told.result, told.accepted, told.survivorsWithKey], ['held', [], 0]);
    assert.ok(told.survivors.length > 0);
    assert.ok(told.kinds.some(({ kind, state }) => kind === 'nonce-changed' && state === 'exercised'));
  });

  it('init writes what the programs answered in evidence, and each case of it holds', async () => {
    const made = await bench.run(['init', '--from', evidence, '--out', 'own.yaml']);
    assert.equal(made.exitCode, 0, made.stderr);
    const flags = ['--suite', 'own.yaml', '--engine', 'runc', '--node', '22', '--json'];
    const held = await bench.run(['check', 'good.tgz', '--out', 'own-evidence', ...flags]);
    assert.equal(held.exitCode, 0, held.stderr);
    const suite = await readFile(join(bench.work, 'own.yaml'), 'utf8');
    for (const name of ['version', 'help', 'unknown-option'])
      assert.match(suite, new RegExp(`own\\.g-cli\\.${name}`));
    await cp(join(bench.work, evidence), join(bench.work, 'changed'), { recursive: true });
    await appendFile(join(bench.work, 'changed', 'report.json'), ' ');
    const refused = await bench.run(['init', '--from', 'changed', '--out', 'none.yaml']);
    assert.equal(refused.exitCode, 4, refused.stderr);
    const both = await bench.run(['init', 'good.tgz', '--from', evidence, '--out', 'none.yaml']);
    assert.equal(both.exitCode, 2, both.stderr);
    assert.ok(!existsSync(join(bench.work, 'none.yaml')));
  });

  it('audit tells what it found, as text and as JSON, and heeds waivers', async () => {
    const text = await bench.run(['audit', 'crlf.tgz']);
    assert.equal(text.exitCode, 1);
    assert.match(text.stdout, /^failed {2}f-crlf-shebang@1\.2\.3 {2}2 entries\n/);
    assert.match(text.stdout, /\n {2}gate BIN_SHEBANG_CRLF package\/cli\.js: expected .*, got .*\n/);
    assert.equal(text.stderr, '');
    const json = await bench.run(['audit', 'crlf.tgz', '--json']);
    const report = parseAudit(json);
    assert.deepEqual([json.exitCode, report.result, report.exitCode], [1, 'failed', 1]);
    assert.equal(report.candidate.name, 'f-crlf-shebang');
    const waived = await bench.run(['audit', 'crlf.tgz', '--waive', 'waivers.json', '--json']);
    const [finding] = parseAudit(waived).findings.filter(({ code }) => code === 'BIN_SHEBANG_CRLF');
    assert.deepEqual(
      [waived.exitCode, finding?.waived],
      [0, { reason: 'npm mends it', expires: '2999-12-31' }],
    );
  });

  it('check passes a waived finding and records the waiver; --quiet leaves stderr to errors', async () => {
    const flags = ['--only', '*.classify', '--engine', 'runc', '--node', '22', '--json'];
    const without = await bench.run(['check', 'crlf.tgz', '--out', 'unwaived', ...flags]);
    assert.equal(without.exitCode, 1, without.stderr);
    const answer = await bench.run([
      'check',
      'crlf.tgz',
      '--out',
      'waived',
      '--waive',
      'waivers.json',
      '--quiet',
      ...flags,
    ]);
    assert.deepEqual([answer.exitCode, answer.stderr], [0, '']);
    const [finding] = parseResult(answer).audit.filter(({ code }) => code === 'BIN_SHEBANG_CRLF');
    assert.deepEqual([finding?.severity, finding?.waived], ['gate', true]);
    const { waivers } = readReport(join(bench.work, 'waived'));
    assert.deepEqual(
      waivers.map(({ code, reason, expires }) => [code, reason, expires]),
      [['BIN_SHEBANG_CRLF', 'npm mends it', '2999-12-31']],
    );
    const wrong = await bench.run(['check', 'none.tgz', '--quiet']);
    assert.match(wrong.stderr, /^packproof: [^\n]*\[CANDIDATE_MISSING\]\n$/);
  });

  it('verify passes on what the separate program says, with its exit code', async () => {
    const verifier = join(packageRoot(), 'bin', 'packproof-verify.js');
    const rows: readonly (readonly [readonly string[], number])[] = [
      [[], 0],
      [['--candidate', 'good.tgz'], 0],
      [['--candidate', 'other.tgz'], 4],
      [['--nonce', 'a nonce'], 0],
      [['--nonce', 'another'], 4],
    ];
    for (const [index, [flags, exitCode]] of rows.entries()) {
      // The text of an accepted and of a rejected bundle, the document of each.
      for (const json of index === 0 || index === 2 ? [[], ['--json']] : [['--json']]) {
        const args = [evidence, ...flags, ...json];
        const answer = await bench.run(['verify', ...args]);
        const direct = spawnSync(process.execPath, [verifier, ...args], {
          cwd: bench.work,
          encoding: 'utf8',
          env: {},
        });
        assert.deepEqual([answer.exitCode, answer.stdout], [direct.status, direct.stdout]);
        assert.equal(answer.exitCode, exitCode, answer.stdout);
        if (json.length > 0) {
          const verdict = parseStdout<Verdict>(answer);
          assert.equal(verdict.verdict, exitCode === 0 ? 'accepted' : 'rejected');
          assert.equal(verdict.findings.length > 0, exitCode !== 0);
        }
      }
    }
    const none = await bench.run(['verify', 'none']);
    assert.equal(none.exitCode, 2);
    assert.match(none.stderr, /evidence: none: .*\[EVIDENCE_MISSING\]\n$/);
  });

  it('doctor: 0 with an engine, and what it can enforce', async () => {
    const answer = await bench.run(['doctor', '--json']);
    const diagnosis = parseStdout<Diagnosis>(answer);
    assert.deepEqual([answer.exitCode, diagnosis.result, diagnosis.exitCode], [0, 'passed', 0]);
    assert.deepEqual(
      diagnosis.engines.map(({ name, state, mend }) => [name, state, mend]),
      [
        ['docker', 'usable', null],
        ['runc', 'usable', null],
      ],
    );
    for (const { detail } of diagnosis.engines) assert.match(detail, /cgroup v[12]/);
    assert.equal(diagnosis.folders.cache, join(bench.cacheHome, 'packproof'));
    const one = await bench.run(['doctor'], { env: NO_DOCKER });
    assert.match(one.stdout, /usable {3}base rootfs: FILE must have glibc/);
    assert.match(one.stdout, /absent {3}base image: .*no Docker Engine answers/);
    assert.equal(one.exitCode, 0);
    assert.match(one.stdout, /^absent +docker: .*\n +mend: .*\nusable +runc: /);
    assert.equal(one.stderr, '');
  });

  it('doctor: 3 without one, with the command that mends it', async () => {
    const under = await hideRunc(bench);
    const answer = await bench.run(['doctor', '--json'], { under, env: NO_DOCKER });
    const diagnosis = parseStdout<Diagnosis>(answer);
    assert.deepEqual([answer.exitCode, diagnosis.result, diagnosis.exitCode], [3, 'error', 3]);
    for (const { state, mend } of diagnosis.engines) {
      assert.equal(state, 'absent');
      assert.match(mend ?? '', /apt-get install/);
    }
  });

  it('doctor: 3 for a user who may neither run runc nor speak to Docker', async () => {
    const home = await mkdtemp(join(tmpdir(), 'packproof-nobody-'));
    try {
      await chmod(home, 0o700);
      await chown(home, 65534, 65534);
      const env = { XDG_CACHE_HOME: join(home, 'cache'), XDG_STATE_HOME: join(home, 'state'), TMPDIR: home };
      const under = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
      const answer = await bench.run(['doctor', '--json'], { under, env, cwd: '/' });
      const diagnosis = parseStdout<Diagnosis>(answer);
      assert.equal(answer.exitCode, 3, answer.stderr);
      assert.deepEqual(
        diagnosis.engines.map(({ name, state }) => [name, state === 'usable']),
        [
          ['docker', false],
          ['runc', false],
        ],
      );
      const check = await bench.run(['check', 'x.tgz', '--engine', 'runc'], { under, env, cwd: '/' });
      assert.equal(check.exitCode, 2, check.stderr);
    } finally {
      await rm(home, { recursive: true });
    }
  });

  it('clean has nothing to do after a run, and takes the cache only when asked', async () => {
    const home = await bench.makeFolder('own-cache');
    await mkdir(join(home, 'packproof', 'archives'), { recursive: true, mode: 0o700 });
    await chmod(join(home, 'packproof'), 0o700);
    const env = { XDG_CACHE_HOME: home };
    const kept = await bench.run(['clean'], { env });
    assert.deepEqual([kept.exitCode, kept.stdout, kept.stderr], [0, 'nothing to clean\n', '']);
    assert.ok((await readdir(join(home, 'packproof'))).includes('archives'));
    // Images of the engine that other tests use at this moment are not this test's to remove.
    const apart = { ...env, DOCKER_HOST: `unix://${home}/none.sock` };
    const taken = await bench.run(['clean', '--cache', '--json'], { env: apart });
    assert.equal(taken.exitCode, 0);
    assert.deepEqual(parseStdout<{ readonly removed: readonly string[] }>(taken).removed, [
      `cache ${join(home, 'packproof')}`,
    ]);
    assert.deepEqual(await readdir(home), []);
  });

  it('--version and --help answer on stdout, for every command', async () => {
    const { version }: { readonly version: string } = JSON.parse(
      await readFile(join(packageRoot(), 'package.json'), 'utf8'),
    );
    for (const flag of ['--version', '-V']) {
      const answer = await bench.run([flag]);
      assert.deepEqual([answer.exitCode, answer.stdout, answer.stderr], [0, `${version}\n`, '']);
    }
    const help = await bench.run(['--help']);
    assert.deepEqual([help.exitCode, help.stderr], [0, '']);
    assert.match(help.stdout, /^Usage: packproof /);
    for (const command of ['check', 'prepare', 'run', 'verify', 'audit', 'doctor', 'clean']) {
      assert.match(help.stdout, new RegExp(`\\n {2}${command} `));
      const own = await bench.run([command, '--help']);
      assert.deepEqual([own.exitCode, own.stderr], [0, '']);
      assert.match(own.stdout, new RegExp(`^Usage: packproof ${command} `));
      assert.doesNotMatch(own.stdout, COLOUR);
    }
  });

  it('a reader that goes away is a quiet end, with the exit code of the work', () => {
    const shell = (line: string) =>
      spawnSync('bash', ['-c', line, 'bash', process.execPath, programPath()], {
        cwd: bench.work,
        env: bench.environment(),
        encoding: 'utf8',
      });
    for (const [line, status] of [
      ['"$1" "$2" --help | head -n 1 >/dev/null; echo $PIPESTATUS', '0'],
      ['"$1" "$2" audit crlf.tgz --json | true; echo $PIPESTATUS', '1'],
      ['"$1" "$2" verify evidence | true; echo $PIPESTATUS', '0'],
      ['"$1" "$(dirname "$2")/packproof-verify.js" evidence | (exec <&-; sleep 1); echo $PIPESTATUS', '0'],
      ['"$1" "$2" doctor >&- ; echo $?', '0'],
    ] as const) {
      const { stdout, stderr } = shell(line);
      assert.deepEqual([stdout.trim(), stderr], [status, ''], line);
    }
  });

  it('colours are for terminals; NO_COLOR, --no-color and a pipe are without', async () => {
    const audit = ['audit', 'crlf.tgz'];
    assert.doesNotMatch((await bench.run(audit)).stdout, COLOUR);
    assert.match((await bench.run(audit, { env: { FORCE_COLOR: '1' } })).stdout, COLOUR);
    assert.doesNotMatch(
      (await bench.run(audit, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout,
      COLOUR,
    );
    assert.doesNotMatch(
      (await bench.run([...audit, '--no-color'], { env: { FORCE_COLOR: '1' } })).stdout,
      COLOUR,
    );
    const onTerminal = (env: NodeJS.ProcessEnv): string =>
      spawnSync('script', ['-qec', `${process.execPath} ${programPath()} audit crlf.tgz`, '/dev/null'], {
        cwd: bench.work,
        env: { ...bench.environment(), TERM: 'xterm', ...env },
        encoding: 'utf8',
      }).stdout;
    assert.match(onTerminal({}), COLOUR);
    assert.doesNotMatch(onTerminal({ NO_COLOR: '1' }), COLOUR);
    assert.doesNotMatch(onTerminal({ TERM: 'dumb' }), COLOUR);
  });
});
