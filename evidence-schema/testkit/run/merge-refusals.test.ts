import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { packageRoot } from '../../../harness/document/assets.ts';
import { runDocumented } from '../../../harness/evidence/testing/documented-commands.ts';
import { MergeError, type MergeErrorCode } from '../../../harness/merge/errors.ts';
import { mergeShards } from '../../../harness/merge/merge.ts';
import { NOTHING_ASKED } from '../../../harness/verify/testing/nothing-asked.ts';
import { verifyBundle } from '../../../harness/verify/verify.ts';
import type { Json } from '../builder/canonical.ts';
import { apply, type Change } from '../builder/mutation.ts';
import { seal } from '../builder/seal.ts';
import { Kit, writeVector } from '../builder/vector.ts';
import { kitRoot } from './kit-root.ts';

// What merging refuses by itself, on shards whose digests are right: the second of two was changed at one place.

let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-merge-'));
});

after(() => rm(folder, { recursive: true, force: true }));

const BLOCKED: Json = { stage: 'audit', code: 'X', where: '', expected: '', actual: '' };
const HELP = 'cases/help@22.23.5/receipt.json';

const REFUSALS: readonly (readonly [
  code: MergeErrorCode,
  file: string,
  place: readonly (string | number)[],
  value: Json,
])[] = [
  ['NOT_A_SHARD', 'report.json', ['selection', 'shard'], null],
  ['SHARD_BLOCKED', 'report.json', ['blocked'], BLOCKED],
  ['SHARD_CANDIDATE', 'report.json', ['candidate', 'version'], '9.9.9'],
  ['SHARD_INPUTS', 'inputs/audit.json', ['root'], 'elsewhere'],
  ['SHARD_INPUTS', 'report.json', ['npmVersion'], '11.0.0'],
  ['SHARD_IMAGE', 'image/config.json', ['os'], 'other'],
  ['SHARD_BOUNDARY', 'boundary/declared.json', ['seccomp'], {}],
  ['SHARD_BOUNDARY', 'boundary/declared.json', ['boundaries', 0, 'boundary', 'hostname'], 'other'],
  ['SHARD_SETTINGS', 'report.json', ['engine', 'version'], '1.1.6'],
  ['SHARD_DISAGREES', HELP, ['outcome'], 'fail'],
];

/** The kit's merged bundle, changed and sealed again, below `target/whole`. */
function writeMerged(target: string, changes: readonly Change[] = []): void {
  const kit = new Kit(kitRoot());
  const { files } = kit.build(kit.vector('accept-bundle-merged'));
  for (const change of changes) apply(files, change);
  seal(files, null);
  writeVector(join(target, 'whole'), { files, placement: null, replay: null });
}

function merge(target: string): Promise<unknown> {
  const shards = [1, 2].map((index) => join(target, 'whole', 'shards', String(index)));
  return mergeShards({ shards, target: join(target, 'merged'), runId: '20260102t030405z-0a0b2c' });
}

const refusedWith =
  (code: MergeErrorCode, where: string) =>
  (error: unknown): boolean =>
    error instanceof MergeError && error.code === code && error.where?.startsWith(where) === true;

test('control: shards that nothing was changed in are merged, and the verifier accepts them', async () => {
  const target = await mkdtemp(join(folder, 'case-'));
  writeMerged(target);
  await merge(target);
  assert.deepEqual((await verifyBundle(join(target, 'merged'), NOTHING_ASKED)).findings, []);
});

test('the documented commands accept merged evidence, and refuse it about two archives', async () => {
  const target = await mkdtemp(join(folder, 'case-'));
  writeMerged(target);
  const reader = { evidence: join(target, 'whole'), key: '', work: target };
  for (const section of ['list', 'statement']) assert.equal(await runDocumented(section, reader), 0, section);
  const other = await mkdtemp(join(folder, 'case-'));
  writeMerged(other);
  await appendFile(join(other, 'whole', 'shards', '2', 'inputs', 'candidate.tgz'), ' ');
  assert.equal(await runDocumented('statement', { ...reader, evidence: join(other, 'whole') }), 1);
});

for (const [code, file, place, value] of REFUSALS) {
  test(`${code}: ${file} ${place.join('.')}`, async () => {
    const target = await mkdtemp(join(folder, 'case-'));
    writeMerged(target, [{ kind: 'set', file: `shards/2/${file}`, place, value }]);
    await assert.rejects(merge(target), refusedWith(code, join(target, 'whole')));
    assert.deepEqual(await readdir(target), ['whole']);
  });
}

test('NOT_A_SHARD: a merged bundle', async () => {
  const target = await mkdtemp(join(folder, 'case-'));
  writeMerged(target);
  const whole = join(target, 'whole');
  const again = mergeShards({
    shards: [whole],
    target: join(target, 'merged'),
    runId: '20260102t030405z-0a0b2c',
  });
  await assert.rejects(again, refusedWith('NOT_A_SHARD', whole));
});

/** What may happen to a shard after the verifier accepted it, by what is read of it then. */
const UNREADABLE: readonly (readonly [
  what: string,
  path: string,
  harm: (file: string) => Promise<unknown>,
])[] = [
  ['has no index', 'bundle.json', rm],
  ['has no report', 'report.json', rm],
  ['has a report with another byte', 'report.json', (file) => appendFile(file, ' ')],
  ['has another suite', 'inputs/suites/smoke/suite.json', (file) => appendFile(file, ' ')],
  ['lacks a receipt', HELP, rm],
  ['has a folder for a receipt', HELP, (file) => rm(file).then(() => mkdir(file))],
  ['lacks the declared boundary', 'boundary/declared.json', rm],
];
for (const [what, path, harm] of UNREADABLE) {
  test(`SHARD_UNREADABLE: a shard that ${what}`, async () => {
    const target = await mkdtemp(join(folder, 'case-'));
    writeMerged(target);
    const file = join(target, 'whole', 'shards', '2', path);
    await harm(file);
    await assert.rejects(merge(target), refusedWith('SHARD_UNREADABLE', file));
    assert.deepEqual(await readdir(target), ['whole']);
  });
}

/** In the verifier's place: accepts whatever is no merged bundle. */
const REFUSES_MERGED = `
import { existsSync } from 'node:fs';
const accepted = !existsSync(process.argv.at(-1) + '/shards.json');
console.log(JSON.stringify(accepted ? { verdict: 'accepted', runExitCode: 0 } : { verdict: 'rejected', findings: [] }));
process.exitCode = accepted ? 0 : 4;
`;

test('MERGE_REJECTED: nothing is left of what was merged when the verifier does not accept it', async () => {
  const target = await mkdtemp(join(folder, 'case-'));
  writeMerged(target);
  const installed = join(target, 'installed');
  for (const part of ['bin', 'package.json', 'docker/seccomp.json']) {
    await cp(join(packageRoot(), part), join(installed, part), { recursive: true });
  }
  const run = (): readonly [number | null, string | undefined] => {
    const program = join(installed, 'bin', 'packproof.js');
    const args = ['merge', 'whole/shards/1', 'whole/shards/2', '--out', 'merged'];
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: target,
      encoding: 'utf8',
    });
    return [status, /\[([A-Z_]+)\]/.exec(stderr)?.[1]];
  };
  assert.deepEqual(run(), [0, undefined]);
  await rm(join(target, 'merged'), { recursive: true });
  await writeFile(join(installed, 'bin', 'packproof-verify.js'), REFUSES_MERGED);
  assert.deepEqual(run(), [4, 'MERGE_REJECTED']);
  assert.deepEqual((await readdir(target)).sort(), ['installed', 'whole']);
});

test('the deepest file that a suite may have been compiled from is not too deep in a merged bundle', async () => {
  const isTooDeep = async (levels: number): Promise<boolean> => {
    const target = await mkdtemp(join(folder, 'case-'));
    const paths = ['suite.yaml', `beside/${Array(levels).fill('d').join('/')}`];
    const changes = [1, 2].flatMap((index) =>
      paths.map((path): Change => {
        const file = `shards/${index}/inputs/suites/smoke/${path}`;
        return { kind: 'write', file, content: { text: 'x' } };
      }),
    );
    writeMerged(target, changes);
    const { findings } = await verifyBundle(join(target, 'whole'), NOTHING_ASKED);
    return findings.some(({ code }) => code === 'LIMIT_EXCEEDED');
  };
  assert.deepEqual([await isTooDeep(24), await isTooDeep(40)], [false, true]);
});
