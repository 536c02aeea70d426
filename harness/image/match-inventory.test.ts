import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageFile } from '../engine/engine.ts';
import type { InventoryFile } from './inventory.ts';
import { matchInventory } from './match-inventory.ts';

const FILE: InventoryFile = {
  path: 'd/f',
  kind: 'file',
  mode: '0644',
  sizeBytes: 1,
  sha256: 'aa',
  target: null,
};
const INVENTORY: readonly InventoryFile[] = [
  { path: 'd', kind: 'directory', mode: '0755', sizeBytes: 0, sha256: null, target: null },
  FILE,
  { path: 'l', kind: 'symlink', mode: '0777', sizeBytes: 0, sha256: null, target: 'd/f' },
];
const SEEN: readonly ImageFile[] = INVENTORY.map((file) => ({ ...file, uid: 0, gid: 0 }));

async function* each(files: readonly ImageFile[]): AsyncIterable<ImageFile> {
  yield* files;
}

const change = (path: string, fields: Partial<ImageFile>): readonly ImageFile[] =>
  SEEN.map((file) => (file.path === path ? { ...file, ...fields } : file));
const extra = (fields: Partial<ImageFile>): readonly ImageFile[] => [
  ...SEEN,
  {
    path: 'x',
    kind: 'file',
    mode: '0644',
    uid: 0,
    gid: 0,
    sizeBytes: 0,
    sha256: null,
    target: null,
    ...fields,
  },
];

describe('matchInventory', () => {
  it('finds nothing in the same image, in any order', async () => {
    assert.deepEqual(await matchInventory(INVENTORY, each([...SEEN].reverse())), []);
  });

  it('takes the root itself and the mount targets of engines for no files', async () => {
    const files = [
      ...extra({ path: '', kind: 'directory' }),
      ...extra({ path: '.dockerenv' }).slice(-1),
      ...extra({ path: 'dev/pts', kind: 'directory' }).slice(-1),
      ...extra({ path: 'etc/mtab', kind: 'symlink', target: '/proc/mounts' }).slice(-1),
    ];
    assert.deepEqual(await matchInventory(INVENTORY, each(files)), []);
  });

  it('cannot tell who laid an empty mount target, and so asks nobody for it', async () => {
    const hosts: InventoryFile = { ...FILE, path: 'etc/hosts', mode: '0755', sizeBytes: 0 };
    assert.deepEqual(await matchInventory([...INVENTORY, hosts], each(SEEN)), []);
    const full = { ...hosts, sizeBytes: 3 };
    const findings = await matchInventory([...INVENTORY, full], each(SEEN));
    assert.deepEqual(
      findings.map((finding) => [finding.code, finding.path]),
      [['IMAGE_FILE_MISSING', 'etc/hosts']],
    );
  });

  for (const [code, path, files] of [
    ['IMAGE_FILE_MISSING', 'd/f', SEEN.filter((file) => file.path !== 'd/f')],
    ['IMAGE_FILE_EXTRA', 'x', extra({})],
    ['IMAGE_FILE_EXTRA', '.dockerenv', extra({ path: '.dockerenv', sizeBytes: 3 })],
    ['IMAGE_FILE_EXTRA', 'dev/pts', extra({ path: 'dev/pts' })],
    ['IMAGE_FILE_EXTRA', 'etc/mtab', extra({ path: 'etc/mtab', kind: 'symlink', target: '/tmp/x' })],
    ['IMAGE_FILE_REPEATED', 'l', [...SEEN, ...SEEN.slice(-1)]],
    ['IMAGE_KIND_DIFFERS', 'l', change('l', { kind: 'file' })],
    ['IMAGE_MODE_DIFFERS', 'd', change('d', { mode: '0777' })],
    ['IMAGE_OWNER_DIFFERS', 'd/f', change('d/f', { uid: 1000 })],
    ['IMAGE_OWNER_DIFFERS', 'l', change('l', { gid: 5 })],
    ['IMAGE_SIZE_DIFFERS', 'd/f', change('d/f', { sizeBytes: 2 })],
    ['IMAGE_CONTENT_DIFFERS', 'd/f', change('d/f', { sha256: 'ab' })],
    ['IMAGE_CONTENT_DIFFERS', 'd/f', change('d/f', { sha256: null })],
    ['IMAGE_TARGET_DIFFERS', 'l', change('l', { target: 'd' })],
  ] as const) {
    it(`reports ${code} at ${path}, and only that`, async () => {
      const findings = await matchInventory(INVENTORY, each(files));
      assert.deepEqual(
        findings.map((finding) => [finding.code, finding.path]),
        [[code, path]],
      );
    });
  }

  it('never passes because there was nothing to compare', async () => {
    const findings = await matchInventory([], each([]));
    assert.deepEqual(findings, [
      { code: 'IMAGE_NOTHING_COMPARED', path: '', expected: 'an inventory', actual: 'no file' },
    ]);
  });
});
