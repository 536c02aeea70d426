import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BaseRequest, fetchBase } from './base.ts';
import { type PlatformBase, readPlatformBase } from './base-lock.ts';
import { ArchiveShelf } from './shelf.ts';
import { ArchiveStore } from './store.ts';
import { faultOf, inFolder } from './testing/folder.ts';

/** The shipped base with one package that no mirror serves. */
function withOldDash(
  platform: 'linux/amd64' | 'linux/arm64',
  names: readonly string[] = ['dash', 'libatomic1'],
): PlatformBase {
  const lock = readPlatformBase(platform);
  const packages = lock.packages
    .filter((item) => names.includes(item.package))
    .map((item) =>
      item.package === 'dash'
        ? {
            ...item,
            version: '0.0.1',
            sha256: '0'.repeat(64),
            poolPath: item.poolPath.replace(/_[^_]+_/u, '_0.0.1_'),
          }
        : item,
    );
  return { ...lock, packages };
}

/** A machine with apt whose store is empty. */
const withBase = (
  change: Partial<BaseRequest>,
  work: (request: BaseRequest) => Promise<void>,
): Promise<void> =>
  inFolder(async (folder) => {
    const store = await ArchiveStore.open(join(folder, 'cache'));
    await mkdir(join(folder, 'context'));
    const platform = change.platform ?? 'linux/amd64';
    await work({
      platform,
      shelf: new ArchiveShelf(store, join(folder, 'context')),
      temporaryFolder: join(folder, 'cache', 'temporary'),
      folder: null,
      offline: false,
      frozen: false,
      debianMirror: null,
      apt: true,
      download: () => Promise.reject(new Error('apt downloads')),
      pinned: null,
      lock: withOldDash(platform),
      ...change,
    });
  });

for (const platform of ['linux/amd64', 'linux/arm64'] as const) {
  test(`a version that the machine's mirror no longer serves drifts to the newest one (${platform})`, () =>
    withBase({ platform }, async (request) => {
      const [dash, libatomic] = await fetchBase(request);
      const shipped = readPlatformBase(platform).packages.find((item) => item.package === 'dash');
      assert.deepEqual(dash?.pinned, { version: '0.0.1', sha256: '0'.repeat(64) });
      assert.equal(dash?.package.architecture, shipped?.architecture);
      assert.notEqual(dash?.package.version, '0.0.1');
      assert.equal(dash?.digest.sha256, dash?.package.sha256);
      assert.deepEqual(dash?.package.include, shipped?.include);
      assert.equal(libatomic?.pinned, null);
      // What was drifted to can be pinned: then it is asked for by its own digest.
      const again = await fetchBase({
        ...request,
        offline: true,
        pinned: dash === undefined ? [] : [dash.package],
      });
      assert.equal(again[0]?.pinned, null);
    }));
}

test('frozen, the same version is an error that says so', () =>
  withBase({ frozen: true }, (request) =>
    assert.rejects(fetchBase(request), faultOf('BASE_NOT_SERVED', 'dash 0.0.1')),
  ));

test('a mirror that does not answer is unreachable, not a drift', () =>
  withBase({ debianMirror: 'http://127.0.0.1:9/debian' }, (request) =>
    assert.rejects(fetchBase(request), faultOf('BASE_UNREACHABLE', /^(?:dash|libatomic1) /u)),
  ));

test('a disk that is full in the middle of a package is told as that, not as a silent mirror', () =>
  inFolder(async (folder) => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100k,mode=0700', 'tmpfs', folder]);
    try {
      const download = (): Promise<never> => Promise.reject(new Error('apt downloads'));
      await withBase({ temporaryFolder: folder, frozen: true, download }, (request) => {
        const full = fetchBase({ ...request, lock: withOldDash('linux/amd64', ['libc6']) });
        return assert.rejects(full, faultOf('DISK_FULL', new RegExp(`^${folder}/`, 'u')));
      });
      assert.deepEqual(await readdir(folder), []);
    } finally {
      execFileSync('umount', [folder]);
    }
  }));

test('a release that the machine has no mirror of asks for one', () =>
  withBase({ lock: { ...withOldDash('linux/amd64'), codename: 'potato' } }, (request) =>
    assert.rejects(fetchBase(request), faultOf('BASE_MIRROR_UNKNOWN', '--debian-mirror')),
  ));
