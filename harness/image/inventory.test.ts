import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InventoryFile, mergeInventories, toNdjson } from './inventory.ts';
import { fault } from './testing/scratch.ts';

const folder = (path: string, mode = '0755'): InventoryFile => ({
  path,
  kind: 'directory',
  mode,
  sizeBytes: 0,
  sha256: null,
  target: null,
});
const file = (path: string): InventoryFile => ({
  path,
  kind: 'file',
  mode: '0644',
  sizeBytes: 1,
  sha256: 'aa',
  target: null,
});
const link = (path: string): InventoryFile => ({ ...file(path), kind: 'symlink', sha256: null, target: 'x' });

describe('mergeInventories', () => {
  it('joins layers that share directories, in byte order', () => {
    const merged = mergeInventories([
      [folder('usr'), file('usr/b')],
      [folder('usr'), file('usr/a')],
    ]);
    assert.deepEqual(
      merged.map(({ path }) => path),
      ['usr', 'usr/a', 'usr/b'],
    );
  });

  for (const [why, layers, where] of [
    ['a file over a file', [[file('a')], [file('a')]], 'a'],
    ['a link over a directory', [[folder('a')], [link('a')]], 'a'],
    ['a directory of another mode', [[folder('a')], [folder('a', '1777')]], 'a'],
    ['a file below a lower link', [[link('lib')], [file('lib/x')]], 'lib/x'],
    ['a file without its directory', [[file('a/b')]], 'a/b'],
  ] as const) {
    it(`refuses ${why}`, () => {
      assert.throws(() => mergeInventories(layers), fault('LAYER_SHADOWS', where));
    });
  }
});

describe('toNdjson', () => {
  it('writes one canonical line a file', () => {
    assert.equal(
      toNdjson([file('a'), link('b')]).toString('utf8'),
      '{"kind":"file","mode":"0644","path":"a","sha256":"aa","sizeBytes":1,"target":null}\n' +
        '{"kind":"symlink","mode":"0644","path":"b","sha256":null,"sizeBytes":1,"target":"x"}\n',
    );
  });
});
