import assert from 'node:assert/strict';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, readReceipt, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { programPath, Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];

describe('shell into a case of real evidence', () => {
  let bench: Workbench;

  /** With an input, which the bench never gives. */
  const feed = (argv: readonly string[], input: string) =>
    execa(
      process.execPath,
      [programPath(), 'shell', 'evidence', 'with-file@22', ...RUNC, '--node', '22', '--', ...argv],
      {
        cwd: bench.work,
        env: bench.environment(),
        extendEnv: false,
        input,
        reject: false,
      },
    );

  before(async () => {
    bench = await Workbench.open();
    await bench.writeFile(
      'candidate.tgz',
      packFault(programPackage('candidate', { tool: "console.log('own');" })),
    );
    const laid = {
      kind: 'file',
      path: '/work/data.txt',
      mode: '0644',
      contentBase64: Buffer.from('laid\n').toString('base64'),
    } as const;
    const denied = { ...laid, path: '/work/denied.txt', mode: '0600' } as const;
    const files = [laid, denied, { kind: 'owner', path: denied.path, uid: 0, gid: 0 } as const];
    const cases = [
      { ...binCase('with-file', 'tool'), files, node: [{ from: '22.0.0', below: '23.0.0' }] },
      { ...binCase('of-later-node', 'tool'), node: [{ from: '9999.0.0', below: null }] },
    ];
    await bench.writeFile('suite.json', suiteBytes(cases));
    const prepared = await bench.run([
      'prepare',
      'candidate.tgz',
      '--suite',
      'suite.json',
      '--node',
      '20,22',
      '--out',
      'context',
      ...RUNC,
    ]);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
    const ran = await bench.run(['run', 'context', '--out', 'evidence', ...RUNC]);
    assert.equal(ran.exitCode, 0, ran.stderr);
  });

  after(() => bench.close());

  it('runs a case on the Node versions in its ranges alone, and says where the run has none', async () => {
    const evidence = join(bench.work, 'evidence');
    await assertAccepted(bench, evidence, 0);
    const folders = await readdir(join(evidence, 'cases'));
    assert.deepEqual(folders.map((folder) => folder.replace(/\..*/, '')).sort(), [
      'of-later-node@20',
      'with-file@22',
    ]);
    const { outcome, reason, attempts } = readReceipt(evidence, 'of-later-node');
    assert.deepEqual([outcome, reason, attempts], ['unsupported', 'no-node-version', []]);
    const { nodeVersions, counts, declared } = readReport(evidence);
    assert.equal(nodeVersions.length, 2);
    assert.deepEqual([declared, counts.pass, counts.unsupported], [2, 1, 1]);
  });

  it('joins input and output, has the files of the case and its boundary, and says how it ended', async () => {
    const script =
      'id -u; tool=/opt/candidate/node_modules/.bin/tool; $tool; cat data.txt -; cat denied.txt; (: > /opt/new); exit 3';
    const answer = await feed(['sh', '-c', script], 'typed\n');
    assert.equal(answer.exitCode, 1, answer.stderr);
    assert.equal(answer.stdout, '1000\nown\nlaid\ntyped');
    assert.match(answer.stderr, /denied\.txt: Permission denied/);
    assert.match(answer.stderr, /Read-only file system/);
    assert.match(answer.stderr, /with-file on node 22\.\S+: pass, attempt 1\n.*step run: .*\/tool\n/);
    assert.match(answer.stderr, /ended with exit code 3/);
    assert.deepEqual(await findLeftovers(bench), []);
  });

  it('gives a shell to who sits at a terminal, and nothing of the box to the terminal itself', async () => {
    const command = `'${process.execPath}' '${programPath()}' shell evidence with-file ${RUNC.join(' ')} --attempt 1`;
    const answer = await execa('script', ['-qec', command, '/dev/null'], {
      cwd: bench.work,
      env: bench.environment(),
      extendEnv: false,
      input: "cat data.txt; printf '\\033[2J'; exit 0\n",
      reject: false,
    });
    assert.equal(answer.exitCode, 0, answer.stdout);
    assert.match(answer.stdout, /laid\r$/m);
    assert.match(answer.stdout, /\\u\{1b\}\[2J/);
  });

  it('refuses what is not there', async () => {
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [['with-file'], /\[NO_TERMINAL\]/],
      [['nothing', '--', 'true'], /nothing: expected one of .*with-file.*, got nothing \[CASE_UNKNOWN\]/],
      [['with-file', '--attempt', '2', '--', 'true'], /with-file: 2.*expected 1 to 1.*\[ATTEMPT_UNKNOWN\]/],
      [['with-file', '--attempt', '0', '--', 'true'], /--attempt.*\[FLAG_VALUE\]/],
      [['with-file', '--node', '20.0.0', '--', 'true'], /20\.0\.0.*\[NODE_UNKNOWN\]/],
      [['with-file@20', '--', 'true'], /20: expected one of 22\.\S+, got 20.*\[NODE_UNKNOWN\]/],
      [['with-file', '--', '/no/such'], /ENOENT.*\[NOT_STARTED\]/],
    ];
    for (const [args, said] of refusals) {
      const answer = await bench.run(['shell', 'evidence', ...RUNC, ...args]);
      assert.equal(answer.exitCode, 2, answer.stderr);
      assert.match(answer.stderr, said);
    }
  });

  it('opens nothing of evidence that the verifier rejects', async () => {
    await cp(join(bench.work, 'evidence'), join(bench.work, 'broken'), { recursive: true });
    await writeFile(join(bench.work, 'broken', 'report.json'), '{}');
    const answer = await bench.run(['shell', 'broken', 'with-file', ...RUNC, '--', 'true']);
    assert.equal(answer.exitCode, 4);
    assert.match(answer.stderr, /\[EVIDENCE_REJECTED\]/);
    assert.doesNotMatch(answer.stderr, /rebuilding/);
  });

  it('leaves nothing behind when its time is over or somebody presses Ctrl-C', async () => {
    const late = await bench.run([
      'shell',
      'evidence',
      'with-file',
      ...RUNC,
      '--budget',
      '2s',
      '--',
      'sleep',
      '60',
    ]);
    assert.equal(late.exitCode, 124, late.stderr);
    const script = 'echo up >&2; sleep 60';
    const started = bench.start(['shell', 'evidence', 'with-file', ...RUNC, '--', 'sh', '-c', script], {
      ownGroup: true,
    });
    await started.untilStderr(/^up$/m);
    process.kill(-(started.child.pid ?? 0), 'SIGINT');
    const answer = await started.answer;
    assert.equal(answer.exitCode, 130, answer.stderr);
    assert.deepEqual(await findLeftovers(bench), []);
  });
});
