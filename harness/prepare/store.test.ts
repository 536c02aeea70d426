import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashArchive, parseIntegrity } from './integrity.ts';
import { ArchiveShelf } from './shelf.ts';
import { ArchiveStore, cacheRoot } from './store.ts';
import { faultOf, inFolder } from './testing/folder.ts';
import { streamOf } from './testing/pack.ts';

const bytes = Buffer.from('the bytes of an archive');
const digest = hashArchive(bytes);
const other = hashArchive(Buffer.from('other bytes'));

test('an archive is stored once and taken by either digest', () =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    const target = join(folder, 'context');
    await mkdir(target);
    assert.deepEqual(await store.put(streamOf(bytes), { label: 'a', integrity: digest.integrity }), digest);
    assert.deepEqual(await store.copyInto(target, { label: 'a', integrity: digest.integrity }), digest);
    assert.deepEqual(await store.copyInto(target, { label: 'a', sha256: digest.sha256 }), digest);
    assert.deepEqual(await readFile(join(target, digest.sha256)), bytes);
    assert.equal(await store.copyInto(target, { label: 'b', integrity: other.integrity }), null);
  }));

test('bytes that do not match are refused and leave nothing', () =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    await assert.rejects(
      store.put(streamOf(bytes), { label: 'left-pad@1.0.0', integrity: other.integrity }),
      faultOf('ARCHIVE_MISMATCH', 'left-pad@1.0.0'),
    );
    await assert.rejects(
      store.put(streamOf(bytes), { label: 'libc6 2', sha256: other.sha256 }),
      faultOf('ARCHIVE_MISMATCH', 'libc6 2'),
    );
    await assert.rejects(
      store.put(streamOf(bytes, bytes), { label: 'big', limitBytes: bytes.length }),
      faultOf('ARCHIVE_TOO_LARGE', 'big'),
    );
    for (const name of ['archives/sha256', 'archives/sha512', 'temporary']) {
      assert.deepEqual(await readdir(join(folder, 'cache', name)), [], name);
    }
  }));

test('a source that fails in the middle leaves nothing', () =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    async function* broken(): AsyncGenerator<Buffer> {
      yield bytes;
      throw new RangeError('cut');
    }
    await assert.rejects(store.put(broken(), { label: 'a' }), RangeError);
    assert.deepEqual(await readdir(join(folder, 'cache', 'temporary')), []);
  }));

test('stored content that changed counts as absent and goes away', () =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    await store.put(streamOf(bytes), { label: 'a' });
    const path = join(folder, 'cache', 'archives', 'sha256', digest.sha256);
    await writeFile(path, 'changed');
    const target = join(folder, 'context');
    await mkdir(target);
    assert.equal(await store.copyInto(target, { label: 'a', integrity: digest.integrity }), null);
    assert.deepEqual(await readdir(target), []);
    assert.deepEqual(await readdir(join(folder, 'cache', 'archives', 'sha256')), []);
  }));

test('a hint that leads to other bytes gives nothing', () =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    const stored = await store.put(streamOf(Buffer.from('other bytes')), { label: 'a' });
    const hints = join(folder, 'cache', 'archives', 'sha512');
    const wanted = Buffer.from(digest.integrity.slice(7), 'base64').toString('hex');
    await writeFile(join(hints, wanted), `${stored.sha256}\n`);
    const target = join(folder, 'context');
    await mkdir(target);
    assert.equal(await store.copyInto(target, { label: 'a', integrity: digest.integrity }), null);
    assert.deepEqual(await readdir(target), []);
  }));

test('a shelf copies an archive once, also for two askers at a time', () =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    const target = join(folder, 'context');
    await mkdir(target);
    const shelf = new ArchiveShelf(store, target);
    const wanted = { label: 'a', integrity: parseIntegrity(digest.integrity, 'a') };
    assert.equal(await shelf.take(wanted), null);
    assert.deepEqual(await shelf.add(streamOf(bytes), wanted), digest);
    const both = await Promise.all([shelf.take(wanted), shelf.take(wanted)]);
    assert.deepEqual(both, [digest, digest]);
    assert.deepEqual(await readdir(target), [digest.sha256]);
  }));

test('a cache folder that others can read or own is refused', { skip: process.getuid?.() !== 0 }, () =>
  inFolder(async (folder) => {
    const open = join(folder, 'open');
    await mkdir(open, { mode: 0o755 });
    await chmod(open, 0o755);
    await assert.rejects(ArchiveStore.open(open), faultOf('STORE_NOT_PRIVATE', open));
    const foreign = join(folder, 'foreign');
    await mkdir(foreign, { mode: 0o700 });
    await chown(foreign, 12345, 12345);
    await assert.rejects(ArchiveStore.open(foreign), faultOf('STORE_NOT_OWNED', foreign));
    const link = join(folder, 'link');
    await mkdir(join(folder, 'real'), { mode: 0o700 });
    await symlink(join(folder, 'real'), link);
    await assert.rejects(ArchiveStore.open(link), faultOf('STORE_UNUSABLE', link));
    const nested = join(folder, 'nested');
    await mkdir(join(nested, 'archives'), { recursive: true, mode: 0o700 });
    await chmod(join(nested, 'archives'), 0o777);
    await assert.rejects(ArchiveStore.open(nested), faultOf('STORE_NOT_PRIVATE', join(nested, 'archives')));
  }),
);

test('what a killed process left is removed, what a living one writes is not', () =>
  inFolder(async (folder) => {
    await ArchiveStore.open(join(folder, 'cache'));
    const temporary = join(folder, 'cache', 'temporary');
    await writeFile(join(temporary, 'old'), '');
    await utimes(join(temporary, 'old'), 0, 0);
    await writeFile(join(temporary, 'young'), '');
    await ArchiveStore.open(join(folder, 'cache'));
    assert.deepEqual(await readdir(temporary), ['young']);
  }));

test('the cache folder follows XDG_CACHE_HOME when that is absolute', () => {
  assert.equal(cacheRoot({ XDG_CACHE_HOME: '/x' }), '/x/packproof');
  assert.equal(cacheRoot({ XDG_CACHE_HOME: 'x' }), cacheRoot({}));
});
