import assert from 'node:assert/strict';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileOf } from './layer-entry.ts';
import { type LayerRecipe, LayerStore } from './layer-store.ts';
import { fault, withScratch } from './testing/scratch.ts';

function recipe(inputs: unknown, made: string[]): LayerRecipe {
  return {
    role: 'runtime',
    inputs,
    rules: { prefix: 'usr/local', fault: 'infrastructure' },
    entries: async () => {
      made.push(JSON.stringify(inputs));
      return [fileOf('usr/local/bin/x', Buffer.from(JSON.stringify(inputs)), 0o755)];
    },
  };
}

describe('LayerStore', () => {
  it('makes a layer once and gives the same one again, inventory included', async () => {
    await withScratch(async (folder) => {
      const made: string[] = [];
      const first = await (await LayerStore.open(join(folder, 'c'))).obtain(recipe({ a: 1 }, made));
      const again = await (await LayerStore.open(join(folder, 'c'))).obtain(recipe({ a: 1 }, made));
      assert.deepEqual(again, first);
      assert.deepEqual(made, ['{"a":1}']);
      assert.deepEqual(
        first.inventory.map(({ path }) => path),
        ['usr', 'usr/local', 'usr/local/bin', 'usr/local/bin/x'],
      );
      const other = await (await LayerStore.open(join(folder, 'c'))).obtain(recipe({ a: 2 }, made));
      assert.notEqual(other.layer.diffId, first.layer.diffId);
    });
  });

  for (const [why, damage] of [
    ['one changed byte', async (file: string) => writeFile(file, flip(await readFile(file)))],
    ['a cut', (file: string) => truncate(file, 600)],
    ['other content', (file: string) => writeFile(file, 'nothing of the kind')],
  ] as const) {
    it(`makes a layer anew after ${why}`, async () => {
      await withScratch(async (folder) => {
        const made: string[] = [];
        const store = await LayerStore.open(join(folder, 'c'));
        const first = await store.obtain(recipe(1, made));
        await damage(first.layer.file);
        assert.deepEqual(await store.obtain(recipe(1, made)), first);
        assert.equal(made.length, 2);
      });
    });
  }

  it('makes a layer anew when its key names no digest', async () => {
    await withScratch(async (folder) => {
      const made: string[] = [];
      const store = await LayerStore.open(join(folder, 'c'));
      const first = await store.obtain(recipe(1, made));
      const keys = join(store.folder, 'keys');
      for (const key of await readdir(keys)) await writeFile(join(keys, key), '../../../etc/passwd');
      assert.deepEqual(await store.obtain(recipe(1, made)), first);
      assert.equal(made.length, 2);
    });
  });

  it('leaves no partial file when a recipe fails', async () => {
    await withScratch(async (folder) => {
      const store = await LayerStore.open(join(folder, 'c'));
      const entries = [fileOf('etc/x', Buffer.from('outside'))];
      await assert.rejects(
        store.obtain({ ...recipe(1, []), entries: async () => entries }),
        fault('PATH_OUTSIDE_PREFIX', 'etc/x'),
      );
      assert.deepEqual(await readdir(store.folder), ['keys']);
      assert.deepEqual(await readdir(join(store.folder, 'keys')), []);
    });
  });

  it('removes what a killed run left, and layers that nobody used, but nothing young', async () => {
    await withScratch(async (folder) => {
      const made: string[] = [];
      const store = await LayerStore.open(join(folder, 'c'));
      const [old, young] = [await store.obtain(recipe(1, made)), await store.obtain(recipe(2, made))];
      const [left, current] = ['left.part', 'current.part'].map((name) => join(store.folder, name));
      for (const file of [left, current]) await writeFile(file ?? '', '');
      const before = new Date(Date.now() - 2 * 24 * 3_600_000);
      for (const file of [left ?? '', old.layer.file]) await utimes(file, before, before);
      const again = await LayerStore.open(join(folder, 'c'));
      assert.deepEqual(await again.removeStale(24 * 3_600_000), [`${old.layer.diffId}.tar`]);
      const names = ['current.part', 'keys', `${young.layer.diffId}.tar`];
      assert.deepEqual((await readdir(store.folder)).toSorted(), names.toSorted());
      assert.deepEqual(await again.obtain(recipe(1, made)), old);
    });
  });

  it('makes its folders private, and refuses one that others can enter', async () => {
    await withScratch(async (folder) => {
      const root = join(folder, 'c');
      await LayerStore.open(root);
      await chmod(join(root, 'layers'), 0o750);
      await assert.rejects(LayerStore.open(root), fault('CACHE_NOT_PRIVATE', join(root, 'layers')));
    });
  });

  it('refuses a link in the place of its folder', async () => {
    await withScratch(async (folder) => {
      await mkdir(join(folder, 'elsewhere'), { mode: 0o700 });
      await symlink('elsewhere', join(folder, 'c'));
      await assert.rejects(LayerStore.open(join(folder, 'c')), fault('CACHE_NOT_FOLDER', join(folder, 'c')));
    });
  });

  it('refuses a folder of another user', { skip: process.getuid?.() !== 0 && 'needs root' }, async () => {
    await withScratch(async (folder) => {
      const root = join(folder, 'c');
      await mkdir(root, { mode: 0o700 });
      await chown(root, 65_534, 65_534);
      await assert.rejects(LayerStore.open(root), fault('CACHE_NOT_OWNED', root));
    });
  });
});

function flip(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
  return copy;
}
