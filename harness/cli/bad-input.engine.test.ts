import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { buildGoodPackage } from '../audit/testing/package-builder.ts';
import { FAULT_PACKAGES } from '../suite/testing/fault-packages.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseAudit, parseResult, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, suiteBytes } from './testing/suites.ts';
import { type Answer, Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];
const NODE_22 = ['--node', '22'];

interface Row {
  readonly what: string;
  readonly args: readonly string[];
  readonly code: string;
  /** What the message must say besides its code. */
  readonly says?: RegExp;
}

/** Everything that is wrong before any work is done. `good.tgz` and the other names lie in the folder above. */
const USAGE: readonly Row[] = [
  { what: 'no command', args: [], code: 'COMMAND_UNKNOWN', says: /--help/ },
  {
    what: 'an unknown command',
    args: ['chekc', 'x.tgz'],
    code: 'COMMAND_UNKNOWN',
    says: /did you mean check/i,
  },
  { what: 'no argument', args: ['check'], code: 'ARGUMENT_MISSING', says: /candidate/ },
  { what: 'one argument too many', args: ['check', 'a.tgz', 'b.tgz'], code: 'ARGUMENT_EXTRA' },
  { what: 'an unknown flag', args: ['check', '--nope', 'x.tgz'], code: 'FLAG_UNKNOWN', says: /--nope/ },
  {
    what: 'a flag without its value',
    args: ['check', 'x.tgz', '--budget'],
    code: 'FLAG_VALUE',
    says: /--budget/,
  },
  { what: 'no --out', args: ['run', 'context'], code: 'FLAG_MISSING', says: /--out/ },
  ...bad('--budget', ['0s', '180', '25h', '-1s', '1e3s', '']),
  ...bad('--case-timeout', ['soon', '0ms']),
  ...bad('--jobs', ['0', '65', '1.5', 'two', '']),
  ...bad('--repeat', ['0', '101']),
  ...bad('--shard', ['0/2', '3/2', '1', '1/0', 'a/b']),
  ...bad('--nonce', ['', 'line\nend', 'x'.repeat(257)]),
  ...bad('--engine', ['podman']),
  ...bad('--platform', ['win32/x64']),
  {
    what: 'an empty member of --node',
    args: ['check', '../good.tgz', '--node', '22,,24'],
    code: 'FLAG_VALUE',
  },
  { what: 'a repeated --node', args: ['check', '../good.tgz', '--node', '22,22'], code: 'FLAG_VALUE' },
  { what: 'no Node at all', args: ['check', '../good.tgz', '--node', 'new'], code: 'NODE_SELECTION_INVALID' },
  {
    what: 'a Node that is not',
    args: ['check', '../good.tgz', '--node', '1.2.3'],
    code: 'NODE_VERSION_UNKNOWN',
  },
  {
    what: 'a candidate that is not there',
    args: ['check', 'none.tgz'],
    code: 'CANDIDATE_MISSING',
    says: /none\.tgz/,
  },
  {
    what: 'the same for audit',
    args: ['audit', 'none.tgz'],
    code: 'CANDIDATE_MISSING',
    says: /none\.tgz/,
  },
  { what: 'a folder', args: ['check', '..'], code: 'CANDIDATE_IS_FOLDER', says: /npm pack/ },
  {
    what: 'the same for audit',
    args: ['audit', '..'],
    code: 'CANDIDATE_IS_FOLDER',
    says: /npm pack.*a folder/,
  },
  { what: 'a FIFO', args: ['check', '../fifo.tgz'], code: 'CANDIDATE_NOT_REGULAR' },
  { what: 'the same for audit', args: ['audit', '../fifo.tgz'], code: 'CANDIDATE_NOT_REGULAR' },
  {
    what: 'a name that npm does not allow',
    args: ['check', 'npm:../../x@1'],
    code: 'CANDIDATE_SPEC_INVALID',
  },
  {
    what: 'a sibling that is not there',
    args: ['check', '../good.tgz', '--with', 'none.tgz'],
    code: 'CANDIDATE_MISSING',
    says: /none\.tgz/,
  },
  { what: '--out with content', args: ['check', '../good.tgz', '--out', '../full'], code: 'OUT_NOT_EMPTY' },
  {
    what: 'the same for prepare',
    args: ['prepare', '../good.tgz', '--out', '../full'],
    code: 'OUT_NOT_EMPTY',
  },
  { what: 'the same for run', args: ['run', '../full', '--out', '../full'], code: 'OUT_NOT_EMPTY' },
  {
    what: '--out that is a file',
    args: ['check', '../good.tgz', '--out', '../good.tgz'],
    code: 'OUT_NOT_EMPTY',
  },
  {
    what: 'a context of another run beside --out',
    args: ['check', '../good.tgz', '--out', '../taken'],
    code: 'OUT_NOT_EMPTY',
  },
  {
    what: '--out where the kernel makes no folder',
    args: ['check', '../good.tgz', '--out', '/proc/none/out'],
    code: 'OUT_UNUSABLE',
    says: /ENOENT/,
  },
  {
    what: 'the same for prepare',
    args: ['prepare', '../good.tgz', '--out', '/proc/none'],
    code: 'OUT_UNUSABLE',
  },
  { what: 'a context that is not there', args: ['run', 'none', '--out', 'out'], code: 'CONTEXT_MISSING' },
  { what: 'a context that is none', args: ['run', '../full', '--out', 'out'], code: 'CONTEXT_MISSING' },
  {
    what: 'waivers that are not there',
    args: ['check', '../good.tgz', '--waive', 'none'],
    code: 'WAIVERS_UNREADABLE',
  },
  {
    what: 'waivers that are no JSON',
    args: ['check', '../good.tgz', '--waive', '../broken.json'],
    code: 'WAIVER_FILE_INVALID',
  },
  {
    what: 'the same for audit',
    args: ['audit', '../good.tgz', '--waive', '../broken.json'],
    code: 'WAIVER_FILE_INVALID',
  },
  {
    what: 'a waiver of no code',
    args: ['check', '../good.tgz', '--waive', '../no-code.json'],
    code: 'WAIVER_CODE_UNKNOWN',
  },
  {
    what: 'a suite that is not there',
    args: ['check', '../good.tgz', '--suite', 'none'],
    code: 'SUITE_UNREADABLE',
  },
  {
    what: 'a suite that is no JSON',
    args: ['check', '../good.tgz', '--suite', '../broken.json'],
    code: 'SUITE_MALFORMED',
    says: /broken\.json/,
  },
  {
    what: 'a suite of another shape',
    args: ['check', '../good.tgz', '--suite', '../shape.json'],
    code: 'SUITE_MALFORMED',
    says: /shape\.json/,
  },
  {
    what: 'a suite in another spelling',
    args: ['check', '../good.tgz', '--suite', '../spelling.json'],
    code: 'SUITE_NOT_CANONICAL',
  },
  {
    what: 'a folder of archives that is not there',
    args: ['check', '../good.tgz', '--archives', 'none'],
    code: 'ARCHIVES_FOLDER_MISSING',
  },
  {
    what: '--frozen without a lock',
    args: ['check', '../good.tgz', '--frozen'],
    code: 'LOCK_MISSING',
    says: /here\/packproof\.lock\.json/,
  },
  {
    what: 'a broken lock beside the suite',
    args: ['check', '../good.tgz', '--suite', '../locked/suite.json'],
    code: 'LOCK_VERSION',
    says: /locked\/packproof\.lock\.json/,
  },
];

function bad(flag: string, values: readonly string[]): readonly Row[] {
  return values.map((value) => ({
    what: `${flag} ${JSON.stringify(value.slice(0, 10))}`,
    args: ['check', '../good.tgz', `${flag}=${value}`],
    code: 'FLAG_VALUE',
    says: new RegExp(flag),
  }));
}

/** One message, at the end of stderr, with its code; nothing on stdout. */
function assertOneError(answer: Answer, exitCode: number, code: string): void {
  assert.equal(answer.exitCode, exitCode, answer.stderr);
  assert.equal(answer.stdout, '');
  const errors = answer.stderr.split('\n').filter((line) => line.startsWith('packproof: '));
  assert.equal(errors.length, 1, answer.stderr);
  assert.equal(answer.stderr.trimEnd().split('\n').at(-1), errors[0]);
  assert.ok(errors[0]?.endsWith(` [${code}]`), errors[0]);
}

describe('bad input', () => {
  let bench: Workbench;
  const good = buildGoodPackage();
  before(async () => {
    bench = await Workbench.open();
    await bench.writeFile('good.tgz', good);
    await bench.writeFile('broken.json', '{');
    await bench.writeFile('no-code.json', waivers('NO_SUCH_CODE'));
    await bench.writeFile('shape.json', '{"formatVersion":1}');
    await bench.writeFile('spelling.json', `${suiteBytes([binCase('one', 'good-cli')]).toString('utf8')}\n`);
    execFileSync('mkfifo', [join(bench.work, 'fifo.tgz')]);
    await bench.makeFolder('full');
    await bench.writeFile('full/kept', 'kept');
    await bench.makeFolder('taken.context');
    await bench.writeFile('taken.context/kept', 'kept');
    await bench.makeFolder('here');
    await bench.makeFolder('locked');
    await bench.writeFile('locked/suite.json', suiteBytes([binCase('one', 'good-cli')]));
    await bench.writeFile('locked/packproof.lock.json', '{}');
  });
  after(() => bench.close());
  afterEach(async () => assert.deepEqual(await findLeftovers(bench), []));

  function waivers(code: string): string {
    return JSON.stringify([{ code, reason: 'a test', expires: '2999-01-01' }]);
  }

  for (const { what, args, code, says } of USAGE) {
    it(`2: ${what}: packproof ${args[0] ?? ''} gives ${code}`, async () => {
      const here = join(bench.work, 'here');
      const names = (await readdir(bench.work)).sort();
      const answer = await bench.run(args, { cwd: here });
      assertOneError(answer, 2, code);
      if (says !== undefined) assert.match(answer.stderr, says);
      assert.deepEqual(await readdir(here), []);
      assert.deepEqual((await readdir(bench.work)).sort(), names);
      assert.deepEqual(await readdir(join(bench.work, 'full')), ['kept']);
      assert.deepEqual(await readdir(join(bench.work, 'taken.context')), ['kept']);
    });
  }

  it('2: a selection of no case leaves neither context nor evidence', async () => {
    const args = ['check', '../good.tgz', '--only', 'nothing*', ...RUNC, ...NODE_22];
    const answer = await bench.run(args, { cwd: join(bench.work, 'here') });
    assertOneError(answer, 2, 'PATTERN_MATCHES_NOTHING');
    assert.deepEqual(await readdir(join(bench.work, 'here')), []);
  });

  const evil = FAULT_PACKAGES.find(({ name }) => name === 'f-bin-escapes');
  const FAULTY: readonly { readonly what: string; readonly bytes: Buffer; readonly code: string }[] = [
    { what: 'a truncated archive', bytes: good.subarray(0, good.length - 40), code: 'GZIP_TRUNCATED' },
    { what: 'an empty file', bytes: Buffer.alloc(0), code: 'ARCHIVE_EMPTY' },
    { what: 'a text file', bytes: Buffer.from('not an archive\n'), code: 'ARCHIVE_UNREADABLE' },
    ...(evil === undefined
      ? []
      : [{ what: 'a bin named ../evil', bytes: packFault(evil), code: 'BIN_NAME_ESCAPES' }]),
  ];

  FAULTY.forEach(({ what, bytes, code }, index) => {
    it(`1: ${what} is a fault of the candidate, with evidence whose cases are unrun`, async () => {
      const file = await bench.writeFile(`faulty-${index}.tgz`, bytes);
      const audit = await bench.run(['audit', file, '--json']);
      assert.equal(audit.exitCode, 1);
      const gates = parseAudit(audit).findings.filter(({ severity }) => severity === 'gate');
      assert.ok(
        gates.some((finding) => finding.code === code),
        JSON.stringify(gates),
      );
      const out = join(bench.work, `faulty-${index}`);
      // Without a manifest there are hardly any cases to pick from, which is the candidate's fault too.
      const pick = ['--only', ['*', 'tag:smoke', 'help*'][index % 3] ?? ''];
      const answer = await bench.run(['check', file, '--out', out, '--json', ...pick, ...RUNC, ...NODE_22]);
      assert.equal(answer.exitCode, 1, answer.stderr);
      const result = parseResult(answer);
      assert.deepEqual([result.result, result.engine, result.verdict], ['failed', null, 'accepted']);
      assert.ok(result.audit.some((finding) => finding.code === code && finding.severity === 'gate'));
      assert.equal(result.failures[0]?.severity, 'gate');
      const { counts, blocked } = readReport(out);
      assert.notEqual(blocked, null);
      assert.equal(
        counts.unrun,
        Object.values(counts).reduce((sum, count) => sum + count, 0),
      );
      assert.deepEqual(await readFile(join(out, 'inputs', 'candidate.tgz')), bytes);
      await assertAccepted(bench, out, 1);
      // Above the workbench nothing was written by any of the names inside.
      assert.deepEqual((await readdir(bench.folder)).includes('evil'), false);
    });
  });

  describe('a machine that is not as it should be', () => {
    /** A small file system that is full at once. */
    async function withTmpfs(size: string, use: (folder: string) => Promise<void>): Promise<void> {
      const folder = await bench.makeFolder('small');
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder]);
      try {
        await use(folder);
      } finally {
        execFileSync('umount', [folder]);
        await rm(folder, { recursive: true });
      }
    }

    it('3: no space for the cache', () =>
      withTmpfs('1m', async (folder) => {
        const env = { XDG_CACHE_HOME: folder };
        const args = ['check', '../good.tgz', ...RUNC, ...NODE_22];
        const answer = await bench.run(args, { env, cwd: join(bench.work, 'here') });
        assertOneError(answer, 3, 'DISK_FULL');
        assert.deepEqual(await readdir(join(bench.work, 'here')), []);
        assert.deepEqual(await readdir(join(folder, 'packproof', 'temporary')), []);
      }));

    it('3: no space for the context', () =>
      withTmpfs('1m', async (folder) => {
        const args = ['check', 'good.tgz', '--out', join(folder, 'a', 'out'), ...RUNC, ...NODE_22];
        assertOneError(await bench.run(args), 3, 'DISK_FULL');
        assert.deepEqual(await readdir(folder), []);
      }));

    it('3: no space for the evidence, and none for the temporary files of a run', async () => {
      const context = join(bench.work, 'good.context');
      const suite = await bench.writeFile('one.json', suiteBytes([binCase('one', 'good-cli')]));
      const args = ['prepare', 'good.tgz', '--suite', suite, '--out', context, ...RUNC, ...NODE_22];
      assert.equal((await bench.run(args)).exitCode, 0);
      await withTmpfs('64k', async (folder) => {
        const answer = await bench.run(['run', context, '--out', join(folder, 'a', 'out'), ...RUNC]);
        assertOneError(answer, 3, 'WRITE_FAILED');
        assert.match(answer.stderr, /ENOSPC/);
        assert.deepEqual(await readdir(folder), []);
      });
      await withTmpfs('32k', async (folder) => {
        await writeFile(join(folder, 'filler'), Buffer.alloc(28 * 1024));
        const env = { XDG_STATE_HOME: folder };
        const answer = await bench.run(['run', context, '--out', 'never', ...RUNC], { env });
        assert.equal(answer.exitCode, 3, answer.stderr);
        assert.match(answer.stderr, /\npackproof: .*ENOSPC.*\]\n$|^packproof: .*ENOSPC.*\]\n$/);
        assert.ok(!(await readdir(bench.work)).includes('never'));
      });
    });

    it('3: a cache folder of somebody else, one that others can write, one that is none', async () => {
      const cases: readonly [string, (folder: string) => Promise<void>, string][] = [
        ['foreign', (folder) => chown(folder, 12345, 12345), 'FOLDER_NOT_OURS'],
        ['open', (folder) => chmod(folder, 0o777), 'FOLDER_NOT_OURS'],
        ['link', (folder) => swapForLink(folder), 'FOLDER_NOT_OURS'],
        ['file', (folder) => swapForFile(folder), 'FOLDER_UNUSABLE'],
      ];
      for (const [name, spoil, code] of cases) {
        const home = await bench.makeFolder(`cache-${name}`);
        const folder = join(home, 'packproof');
        await mkdir(folder, { mode: 0o700 });
        await spoil(folder);
        const args = ['check', '../good.tgz', ...RUNC];
        const answer = await bench.run(args, {
          env: { XDG_CACHE_HOME: home },
          cwd: join(bench.work, 'here'),
        });
        assertOneError(answer, 3, code);
        assert.deepEqual(await readdir(join(bench.work, 'here')), []);
        if (name !== 'file') assert.deepEqual(await readdir(folder), []);
      }
    });

    async function swapForFile(folder: string): Promise<void> {
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
    }

    async function swapForLink(folder: string): Promise<void> {
      await rm(folder, { recursive: true });
      await mkdir(`${folder}-elsewhere`, { mode: 0o700 });
      execFileSync('ln', ['-s', `${folder}-elsewhere`, folder]);
    }
  });
});
