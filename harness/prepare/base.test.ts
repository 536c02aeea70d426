import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BaseArchive } from '../image/base-lock.ts';
import { ArchivesFolder } from './archives-folder.ts';
import { type BaseRequest, fetchBase } from './base.ts';
import { hashArchive } from './integrity.ts';
import { ArchiveShelf } from './shelf.ts';
import { ArchiveStore } from './store.ts';
import { faultOf, inFolder } from './testing/folder.ts';
import { streamOf } from './testing/pack.ts';

const bytes = Buffer.from('a Debian package');
const item: BaseArchive = {
  package: 'dash',
  version: '0.5',
  architecture: 'amd64',
  archive: 'debian',
  poolPath: 'pool/main/d/dash/dash_0.5_amd64.deb',
  sizeBytes: bytes.length,
  sha256: hashArchive(bytes).sha256,
  include: [{ from: 'bin/dash', to: 'usr/bin/dash' }],
};
const address = `http://mirror.invalid/debian/${item.poolPath}`;
type Download = BaseRequest['download'];

/** A machine without apt, whose downloads are answered by `download`. */
async function withBase<T>(
  change: Partial<BaseRequest>,
  download: Download,
  work: (request: BaseRequest, asked: readonly string[]) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    await mkdir(join(folder, 'context'));
    const asked: string[] = [];
    const request: BaseRequest = {
      platform: 'linux/amd64',
      shelf: new ArchiveShelf(store, join(folder, 'context')),
      temporaryFolder: join(folder, 'cache', 'temporary'),
      folder: null,
      offline: false,
      frozen: false,
      debianMirror: 'http://mirror.invalid/debian',
      apt: false,
      download: (uri) => {
        asked.push(uri);
        return download(uri);
      },
      pinned: null,
      lock: { codename: 'bookworm', release: '12', packages: [item] },
      ...change,
    };
    return work(request, asked);
  });
}

const serve: Download = async (uri) => (uri === address ? streamOf(bytes) : 'not-found');

test('a package is fetched once from the mirror and then taken from the store', () =>
  withBase({}, serve, async (request, asked) => {
    const expected = [{ package: item, digest: hashArchive(bytes), pinned: null }];
    assert.deepEqual(await fetchBase(request), expected);
    assert.deepEqual(await fetchBase({ ...request, offline: true }), expected);
    assert.deepEqual(asked, [address]);
  }));

test('a mirror that keeps the package elsewhere is asked second', () =>
  withBase(
    {},
    async (uri) => (uri.includes('debian-security') ? streamOf(bytes) : 'not-found'),
    async (request, asked) => {
      await fetchBase(request);
      assert.deepEqual(asked, [address, address.replace('/debian/', '/debian-security/')]);
    },
  ));

test('other bytes under the right name are not taken', () =>
  withBase(
    { frozen: true },
    async () => streamOf(Buffer.from('A Debian package')),
    (request) => assert.rejects(fetchBase(request), faultOf('BASE_NOT_SERVED', 'dash 0.5')),
  ));

test('a version that is no longer served is an error when frozen', () =>
  withBase(
    { frozen: true },
    async () => 'not-found',
    (request) => assert.rejects(fetchBase(request), faultOf('BASE_NOT_SERVED', 'dash 0.5')),
  ));

test('without a signed index no other version is taken', () =>
  withBase(
    {},
    async () => 'not-found',
    (request) => assert.rejects(fetchBase(request), faultOf('BASE_DRIFT_UNSIGNED', 'dash 0.5')),
  ));

test('a silent mirror is no drift', () =>
  withBase(
    {},
    async () => 'unreachable',
    (request) => assert.rejects(fetchBase(request), faultOf('BASE_UNREACHABLE', 'dash 0.5')),
  ));

test('offline, a package comes from the store or the folder or not at all', () =>
  withBase({ offline: true }, serve, async (request, asked) => {
    await assert.rejects(fetchBase(request), faultOf('OFFLINE', 'dash 0.5'));
    await inFolder(async (folder) => {
      const empty = await ArchivesFolder.open(folder);
      await assert.rejects(
        fetchBase({ ...request, folder: empty }),
        faultOf('ARCHIVE_NOT_FOUND', 'dash 0.5'),
      );
      await writeFile(join(folder, 'any name'), bytes);
      const full = await ArchivesFolder.open(folder);
      assert.deepEqual((await fetchBase({ ...request, folder: full }))[0]?.digest, hashArchive(bytes));
    });
    assert.deepEqual(asked, []);
  }));
