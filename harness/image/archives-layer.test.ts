import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { buildArchivesLayer } from './archives-layer.ts';
import type { InventoryFile } from './inventory.ts';
import { LayerStore } from './layer-store.ts';
import type { SuiteArchive } from './suite-archive.ts';
import { fault, pin, withScratch } from './testing/scratch.ts';

const withStore = <Result>(work: (store: LayerStore, folder: string) => Promise<Result>): Promise<Result> =>
  withScratch(async (folder) => work(await LayerStore.open(join(folder, 'cache')), folder));

const show = (inventory: readonly InventoryFile[]): readonly string[] =>
  inventory
    .filter(({ kind }) => kind !== 'directory')
    .map(({ path, mode, target }) => (target === null ? `${mode} ${path}` : `${path} -> ${target}`));

type Made = readonly [header: Partial<Header> & { readonly name: string }, content?: string];

async function makeTar(entries: readonly Made[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of entries) tar.entry(header as Header, content ?? '');
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

const LAID: readonly Made[] = [
  [{ name: 'package/bin/tool', mode: 0o755 }, '#!/bin/sh\n'],
  [{ name: 'package/data.json', mode: 0o600 }, '{}'],
  [{ name: 'package/empty/', type: 'directory' }],
  [{ name: 'package/link', type: 'symlink', linkname: 'bin/tool' }],
  [{ name: 'package/hard', type: 'link', linkname: 'package/bin/tool' }],
  [{ name: 'top' }, 'left out'],
];
const FILES = [
  '0555 opt/archives/a/bin/tool',
  '0444 opt/archives/a/data.json',
  '0555 opt/archives/a/hard',
  'opt/archives/a/link -> bin/tool',
];
/** A tar with one file `a` of three bytes. */
const XZ =
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/AFxdADCAM1AYaImDAdzibiEFTojw2HMHVMJ+/rC8fF9y7p9lFx/YE3N/sldq7qhqFtc8j6ExbdbfQ4b33nYypH3Wp8qzty2xjpVMMnp12SbNBHU9JfA5JZhe+6QTapwAAPL9sgj/nTvCAAF4gFAAAABB5M9escRn+wIAAAAABFla';

async function pinAs(
  folder: string,
  bytes: Uint8Array,
  how: Pick<SuiteArchive, 'unpack'> & { readonly strip?: number; readonly name?: string },
): Promise<SuiteArchive> {
  const { unpack, strip = 0, name = 'a' } = how;
  return { name, unpack, strip, ...(await pin(folder, `archive-${name}`, bytes)) };
}

describe('buildArchivesLayer', () => {
  it('lays an archive that is not unpacked as one executable file', async () => {
    await withStore(async (store, folder) => {
      const tool = await pinAs(folder, Buffer.alloc(100_000, 7), { unpack: 'none', name: 'tool' });
      const { inventory } = await buildArchivesLayer(store, [tool]);
      assert.deepEqual(show(inventory), ['0555 opt/archives/tool']);
    });
  });

  it('lays what a tar holds in every form, read-only, hard links as files, without empty folders', async () => {
    await withStore(async (store, folder) => {
      const tar = await makeTar(LAID);
      const diffIds = new Set<string>();
      for (const [unpack, bytes] of [
        ['tar', tar],
        ['tar.gz', gzipSync(tar)],
      ] as const) {
        const stored = await buildArchivesLayer(store, [await pinAs(folder, bytes, { unpack, strip: 1 })]);
        assert.deepEqual(show(stored.inventory), FILES);
        diffIds.add(stored.layer.diffId);
      }
      assert.equal(diffIds.size, 1);
      const dense = await pinAs(folder, Buffer.from(XZ, 'base64'), { unpack: 'tar.xz', name: 'dense' });
      const { inventory } = await buildArchivesLayer(store, [dense]);
      assert.deepEqual(show(inventory), ['0444 opt/archives/dense/a']);
    });
  });

  const refused: readonly (readonly [what: string, entry: Made, code: string, where: string])[] = [
    ['an absolute path', [{ name: '/etc/x' }, 'x'], 'PATH_INVALID', 'opt/archives/a'],
    ['a path that climbs', [{ name: 'b/../../x' }, 'x'], 'PATH_INVALID', 'opt/archives/a'],
    [
      'a link out of the archive',
      [{ name: 'l', type: 'symlink', linkname: '../other/x' }],
      'LINK_ESCAPES_PREFIX',
      'opt/archives/a/l',
    ],
    [
      'an absolute link',
      [{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }],
      'LINK_ESCAPES_PREFIX',
      'opt/archives/a/l',
    ],
    [
      'a hard link to nothing',
      [{ name: 'h', type: 'link', linkname: 'gone' }],
      'LINK_TARGET_INVALID',
      'opt/archives/a/h',
    ],
    ['a device', [{ name: 'd', type: 'character-device' }], 'ENTRY_KIND_FORBIDDEN', 'opt/archives/a/d'],
    ['a FIFO', [{ name: 'p', type: 'fifo' }], 'ENTRY_KIND_FORBIDDEN', 'opt/archives/a/p'],
    ['a setuid file', [{ name: 's', mode: 0o4755 }, 'x'], 'MODE_FORBIDDEN', 'opt/archives/a/s'],
    ['a path twice', [{ name: 'first' }, 'again'], 'PATH_DUPLICATE', 'opt/archives/a/first'],
    [
      'a file below a file',
      [{ name: 'first/below' }, 'x'],
      'PARENT_NOT_DIRECTORY',
      'opt/archives/a/first/below',
    ],
  ];
  for (const [what, entry, code, where] of refused) {
    it(`refuses ${what}`, async () => {
      await withStore(async (store, folder) => {
        const tar = await makeTar([[{ name: 'first' }, '1'], entry]);
        const archive = await pinAs(folder, tar, { unpack: 'tar' });
        await assert.rejects(buildArchivesLayer(store, [archive]), { ...fault(code, where), kind: 'usage' });
      });
    });
  }

  it('refuses bytes that are no such archive, cut short, of nothing, or of another digest', async () => {
    await withStore(async (store, folder) => {
      const tar = await makeTar(LAID);
      const build = async (bytes: Uint8Array, unpack: SuiteArchive['unpack'], strip = 0): Promise<unknown> =>
        buildArchivesLayer(store, [await pinAs(folder, bytes, { unpack, strip })]);
      const whole = gzipSync(tar);
      await assert.rejects(build(tar, 'tar.gz'), fault('ARCHIVE_UNREADABLE', 'a'));
      await assert.rejects(build(tar, 'tar.xz'), fault('ARCHIVE_UNREADABLE', 'a'));
      await assert.rejects(build(whole.subarray(0, 100), 'tar.gz'), fault('ARCHIVE_UNREADABLE', 'a'));
      await assert.rejects(build(tar.subarray(0, 700), 'tar'), fault('ARCHIVE_UNREADABLE', 'a'));
      await assert.rejects(build(tar, 'tar', 9), fault('LAYER_EMPTY', 'opt/archives/a'));
      const pinned = await pinAs(folder, tar, { unpack: 'none' });
      const forged = { ...pinned, sha256: '0'.repeat(64) };
      await assert.rejects(buildArchivesLayer(store, [forged]), fault('ARCHIVE_DIGEST_DIFFERS', 'a'));
      await assert.rejects(
        buildArchivesLayer(store, [{ ...forged, unpack: 'tar' }]),
        fault('ARCHIVE_DIGEST_DIFFERS', 'a'),
      );
      await assert.rejects(
        buildArchivesLayer(store, [pinned, pinned]),
        fault('PATH_DUPLICATE', 'opt/archives/a'),
      );
    });
  });

  it('streams a file of many megabytes in less memory', async () => {
    await withStore(async (store, folder) => {
      const sizeBytes = 160 * 1024 ** 2;
      const pinned = await pinAs(folder, Buffer.alloc(0), { unpack: 'none', name: 'large' });
      const handle = await open(pinned.file, 'r+');
      await handle.truncate(sizeBytes).finally(() => handle.close());
      const before = process.memoryUsage().rss;
      // The pin is of an empty file: that all was read is what its digest says.
      await assert.rejects(buildArchivesLayer(store, [pinned]), fault('ARCHIVE_DIGEST_DIFFERS', 'large'));
      assert.ok(process.memoryUsage().rss - before < 0.6 * sizeBytes);
    });
  });
});
