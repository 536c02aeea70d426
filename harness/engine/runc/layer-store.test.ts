import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type Header, pack } from 'tar-stream';
import type { ImageLayer } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { checkUnpacked } from './layer-check.ts';
import { LayerStore } from './layer-store.ts';

type Item = readonly [Partial<Header> & Pick<Header, 'name'>, string?];

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'layers-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
async function makeLayer(items: readonly Item[]): Promise<ImageLayer> {
  const tar = pack();
  for (const [header, text] of items) {
    tar.entry({ uid: 0, gid: 0, mtime: new Date(0), mode: 0o644, ...header }, text ?? '');
  }
  tar.finalize();
  const bytes = await buffer(Readable.from(tar));
  count += 1;
  const file = join(folder, `${count}.tar`);
  writeFileSync(file, bytes);
  return {
    role: 'candidate',
    file,
    sizeBytes: bytes.length,
    diffId: createHash('sha256').update(bytes).digest('hex'),
  };
}

const GOOD: readonly Item[] = [
  [{ name: 'opt', type: 'directory', mode: 0o755 }],
  [{ name: 'opt/run', mode: 0o755 }, '#!/bin/sh\n'],
  [{ name: 'opt/link', type: 'symlink', linkname: '/etc/passwd' }],
  [{ name: `opt/${'long/'.repeat(40)}name`, mode: 0o644 }, 'deep'],
  [{ name: 'tmp', type: 'directory', mode: 0o1777, mtime: new Date(86_400_000) }],
  [{ name: 'big' }, 'x'.repeat(3_000_001)],
];

test('a layer is unpacked as its tar says, parents included, and reused when it is still so', async () => {
  const layer = await makeLayer(GOOD);
  const cache = mkdtempSync(join(folder, 'cache-'));
  const root = await new LayerStore(cache).ensure(layer);
  assert.equal(root, join(cache, 'unpacked', layer.diffId));
  assert.equal(lstatSync(join(root, 'opt/run')).mode & 0o7777, 0o755);
  assert.equal(lstatSync(join(root, 'tmp')).mode & 0o7777, 0o1777);
  assert.equal(lstatSync(join(root, 'tmp')).mtimeMs, 86_400_000);
  assert.equal(lstatSync(join(root, 'opt')).mtimeMs, 0);
  assert.equal(lstatSync(join(root, 'opt/long')).mtimeMs, 0);
  assert.equal(readlinkSync(join(root, 'opt/link')), '/etc/passwd');
  assert.equal(readFileSync(join(root, 'big')).length, 3_000_001);
  assert.equal(lstatSync(join(cache, 'unpacked')).mode & 0o777, 0o700);
  assert.equal(lstatSync(root).mode & 0o777, 0o755);
  const inode = lstatSync(root).ino;
  await new LayerStore(cache).ensure(layer);
  assert.equal(lstatSync(root).ino, inode);
  assert.equal(await checkUnpacked(layer, root), null);
});

const TAMPERINGS: readonly (readonly [string, (root: string) => void, string])[] = [
  ['another byte', (root) => writeAt(root, 'big', 2_999_999), 'big: content'],
  ['one byte more', (root) => writeFileSync(join(root, 'opt/run'), '#!/bin/sh\n\n'), 'opt/run: size'],
  ['another mode', (root) => chmodSync(join(root, 'opt/run'), 0o4755), 'opt/run: mode'],
  ['another time', (root) => utimesSync(join(root, 'opt/run'), 5, 5), 'opt/run: time'],
  ['a file missing', (root) => unlinkSync(join(root, 'opt/run')), 'opt/run: missing'],
  [
    'a link for a file',
    (root) => {
      unlinkSync(join(root, 'opt/run'));
      symlinkSync('/bin/sh', join(root, 'opt/run'));
    },
    'opt/run: kind',
  ],
  [
    'another target',
    (root) => {
      unlinkSync(join(root, 'opt/link'));
      symlinkSync('/etc/shadow', join(root, 'opt/link'));
    },
    'opt/link: target',
  ],
  ['a file too many', (root) => writeFileSync(join(root, 'extra'), ''), 'extra: not of this layer'],
  ['a folder too many', (root) => mkdirSync(join(root, 'tmp/extra')), 'tmp/extra: not of this layer'],
];

function writeAt(root: string, name: string, at: number): void {
  const { atime, mtime } = lstatSync(join(root, name));
  const bytes = readFileSync(join(root, name));
  bytes[at] = 0;
  writeFileSync(join(root, name), bytes);
  utimesSync(join(root, name), atime, mtime);
}

for (const [name, tamper, difference] of TAMPERINGS) {
  test(`${name} in the cache is found, and the layer made anew`, async () => {
    const layer = await makeLayer(GOOD);
    const cache = mkdtempSync(join(folder, 'cache-'));
    const root = await new LayerStore(cache).ensure(layer);
    const parent = difference.startsWith('tmp/') ? 'tmp' : null;
    const times = lstatSync(join(root, parent ?? 'opt'));
    tamper(root);
    // The time of the folder alone would give it away; an attacker sets it back.
    utimesSync(join(root, parent ?? 'opt'), times.atime, times.mtime);
    assert.equal(await checkUnpacked(layer, root), difference);
    await new LayerStore(cache).ensure(layer);
    assert.equal(await checkUnpacked(layer, root), null);
    assert.deepEqual(readdirSync(join(cache, 'unpacked')), [layer.diffId]);
  });
}

const FORBIDDEN: readonly (readonly [string, readonly Item[], string])[] = [
  ['a path upwards', [[{ name: '../up' }]], '../up'],
  ['a path upwards in the middle', [[{ name: 'a/../../up' }]], 'a/../../up'],
  ['a whiteout', [[{ name: 'opt/.wh.node' }]], 'opt/.wh.node'],
  ['a device', [[{ name: 'null', type: 'character-device' }]], 'null'],
  ['a hard link', [[{ name: 'a' }, 'x'], [{ name: 'b', type: 'link', linkname: 'a' }]], 'b'],
  ['a FIFO', [[{ name: 'p', type: 'fifo' }]], 'p'],
  [
    'a write through a link',
    [[{ name: 'etc', type: 'symlink', linkname: '/etc' }], [{ name: 'etc/sub/evil' }, 'x']],
    'etc/sub/evil',
  ],
];

for (const [name, items, path] of FORBIDDEN) {
  test(`${name} is refused and nothing is kept`, async () => {
    const layer = await makeLayer(items);
    const cache = mkdtempSync(join(folder, 'cache-'));
    await assert.rejects(
      new LayerStore(cache).ensure(layer),
      (error: unknown) =>
        error instanceof EngineError &&
        error.code === 'LAYER_FORBIDDEN' &&
        error.where === `candidate: ${path}`,
    );
    assert.deepEqual(readdirSync(join(cache, 'unpacked')), []);
  });
}

test('an entry that is there twice, or of another owner, is refused', async () => {
  const cache = mkdtempSync(join(folder, 'cache-'));
  const twice = await makeLayer([
    [{ name: 'a' }, 'x'],
    [{ name: 'a' }, 'y'],
  ]);
  await assert.rejects(new LayerStore(cache).ensure(twice), { code: 'EEXIST', syscall: 'open' });
  const owned = await makeLayer([[{ name: 'a', uid: 1000 }, 'x']]);
  await assert.rejects(
    new LayerStore(cache).ensure(owned),
    (error: unknown) =>
      error instanceof EngineError &&
      error.code === 'LAYER_FORBIDDEN' &&
      error.where === 'a' &&
      error.actual === '1000:0',
  );
});

test('a tar that is not the one of the diff id is refused, however it differs', async () => {
  const layer = await makeLayer(GOOD);
  const bytes = readFileSync(layer.file);
  const changed = Buffer.from(bytes);
  changed[bytes.indexOf('#!/bin/sh') + 3] = 0x42;
  const variants = {
    changed,
    longer: Buffer.concat([bytes, Buffer.alloc(512)]),
    cut: bytes.subarray(0, 4096),
  };
  for (const [name, content] of Object.entries(variants)) {
    const cache = mkdtempSync(join(folder, 'cache-'));
    const file = join(folder, `${name}.tar`);
    writeFileSync(file, content);
    await assert.rejects(
      new LayerStore(cache).ensure({ ...layer, file }),
      (error: unknown) =>
        error instanceof EngineError && error.code === 'IMAGE_MISMATCH' && error.where === 'layer candidate',
      name,
    );
    assert.deepEqual(readdirSync(join(cache, 'unpacked')), []);
  }
  await assert.rejects(
    new LayerStore(mkdtempSync(join(folder, 'cache-'))).ensure({ ...layer, file: join(folder, 'none.tar') }),
    (error: unknown) => error instanceof EngineError && error.code === 'IMAGE_MISMATCH',
  );
});

test('what a crash left half made is removed once it is old', async () => {
  const cache = mkdtempSync(join(folder, 'cache-'));
  const store = new LayerStore(cache);
  await store.ensure(await makeLayer(GOOD));
  mkdirSync(join(cache, 'unpacked/.new-young'));
  assert.deepEqual(await store.removeStale(), []);
  assert.ok(existsSync(join(cache, 'unpacked/.new-young')));
});
