import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MergeError, type MergeErrorCode } from '../../../harness/merge/errors.ts';
import { mergeShards } from '../../../harness/merge/merge.ts';
import type { Json } from '../builder/canonical.ts';
import { apply } from '../builder/mutation.ts';
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
  place: readonly string[],
  value: Json,
])[] = [
  ['NOT_A_SHARD', 'report.json', ['selection', 'shard'], null],
  ['SHARD_BLOCKED', 'report.json', ['blocked'], BLOCKED],
  ['SHARD_CANDIDATE', 'report.json', ['candidate', 'version'], '9.9.9'],
  ['SHARD_INPUTS', 'inputs/audit.json', ['root'], 'elsewhere'],
  ['SHARD_INPUTS', 'report.json', ['npmVersion'], '11.0.0'],
  ['SHARD_IMAGE', 'image/config.json', ['os'], 'other'],
  ['SHARD_BOUNDARY', 'boundary/declared.json', ['seccomp'], {}],
  ['SHARD_SETTINGS', 'report.json', ['engine', 'version'], '1.1.6'],
  ['SHARD_DISAGREES', HELP, ['outcome'], 'fail'],
];

for (const [code, file, place, value] of REFUSALS) {
  test(`${code}: ${file} ${place.join('.')}`, async () => {
    const target = await mkdtemp(join(folder, 'case-'));
    const kit = new Kit(kitRoot());
    const { files } = kit.build(kit.vector('accept-bundle-merged'));
    apply(files, { kind: 'set', file: `shards/2/${file}`, place, value });
    seal(files, null);
    writeVector(join(target, 'whole'), { files, placement: null, replay: null });
    const shards = [1, 2].map((index) => join(target, 'whole', 'shards', String(index)));
    const merge = mergeShards({ shards, target: join(target, 'merged'), runId: '20260102t030405z-0a0b2c' });
    await assert.rejects(merge, (error: unknown) => error instanceof MergeError && error.code === code);
    assert.deepEqual(await readdir(target), ['whole']);
  });
}
