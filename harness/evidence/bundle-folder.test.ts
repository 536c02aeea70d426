import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { BundleFolder, partialOf, refuseNonEmpty } from './bundle-folder.ts';
import { EvidenceError, type EvidenceErrorCode } from './errors.ts';

const RUN = '20300102t030405z-a1b2c3';

function refusal(code: EvidenceErrorCode, where: string, actual: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EvidenceError);
    assert.deepEqual([error.code, error.where, error.actual], [code, where, actual]);
    assert.equal(error.kind, code === 'OUT_NOT_EMPTY' ? 'usage' : 'infrastructure');
    return true;
  };
}

describe('a bundle while it is written', () => {
  let root = '';
  let place = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'packproof-bundle-'));
    place = join(root, 'place');
  });
  afterEach(() => rm(place, { recursive: true, force: true }));
  after(() => rm(root, { recursive: true, force: true }));

  it('stands beside its target under a hidden name of its run, for its owner alone', async () => {
    const target = join(place, 'evidence');
    const folder = await BundleFolder.create(target, RUN);
    assert.equal(partialOf(target, RUN), join(place, `.evidence.${RUN}.partial`));
    assert.deepEqual(await readdir(place), [`.evidence.${RUN}.partial`]);
    assert.equal((await stat(partialOf(target, RUN))).mode & 0o777, 0o700);
    await folder.abandon();
    assert.deepEqual(await readdir(place), []);
  });

  it('gets its name with the last byte; an empty folder gives way', async () => {
    const target = join(place, 'evidence');
    await mkdir(target, { recursive: true });
    const folder = await BundleFolder.create(target, RUN);
    await folder.writeDocument('b/report.json', { b: 1, a: 2 });
    await folder.writeLines('a.ndjson', [{ x: 1 }, { x: 2 }]);
    assert.deepEqual(await readdir(target), []);
    await folder.close();
    assert.deepEqual((await readdir(target, { recursive: true })).sort(), [
      ...['SHA256SUMS', 'a.ndjson', 'b', 'b/report.json'],
    ]);
    assert.deepEqual(await readdir(place), ['evidence']);
  });

  it('is refused where there is something already', async () => {
    await mkdir(join(place, 'full'), { recursive: true });
    await writeFile(join(place, 'full', 'kept'), '');
    await writeFile(join(place, 'file'), '');
    const full = join(place, 'full');
    const file = join(place, 'file');
    await assert.rejects(BundleFolder.create(full, RUN), refusal('OUT_NOT_EMPTY', full, '1 entries'));
    await assert.rejects(refuseNonEmpty(file), refusal('OUT_NOT_EMPTY', file, 'ENOTDIR'));
    assert.deepEqual((await readdir(place)).sort(), ['file', 'full']);
  });

  it('tells the reason of the system when it cannot be written', async () => {
    await mkdir(place);
    await writeFile(join(place, 'file'), '');
    // Below a file there is no folder, and one run has one bundle at one place.
    const below = join(place, 'file', 'a', 'evidence');
    await assert.rejects(BundleFolder.create(below, RUN), refusal('OUT_NOT_EMPTY', below, 'ENOTDIR'));
    const target = join(place, 'evidence');
    const folder = await BundleFolder.create(target, RUN);
    await assert.rejects(BundleFolder.create(target, RUN), refusal('WRITE_FAILED', target, 'EEXIST'));
    await folder.writeBytes('taken', Buffer.from('x'));
    const taken = folder.writeBytes('taken', Buffer.from('y'));
    await assert.rejects(taken, { code: 'PATH_TAKEN', where: 'taken' });
    const under = folder.writeBytes('taken/below', Buffer.alloc(0));
    await assert.rejects(under, refusal('WRITE_FAILED', 'taken/below', 'EEXIST'));
    const absent = folder.copyFrom('copy', join(place, 'absent'));
    await assert.rejects(absent, refusal('WRITE_FAILED', 'copy', 'ENOENT'));
  });

  it('lists the bytes that are stored, in byte order of their paths', async () => {
    const folder = await BundleFolder.create(join(place, 'evidence'), RUN);
    const source = join(place, 'source');
    await writeFile(source, 'source');
    for (const path of ['b', 'a/b', 'a.b', 'B']) await folder.copyFrom(path, source);
    const files = folder.files();
    assert.deepEqual(
      files.map(({ path }) => path),
      ['B', 'a.b', 'a/b', 'b'],
    );
    for (const { sizeBytes, sha256 } of files) {
      assert.equal(sizeBytes, 6);
      assert.equal(sha256, '41cf6794ba4200b839c53531555f0f3998df4cbb01a4d5cb0b94e3ca5e23947d');
    }
  });
});
