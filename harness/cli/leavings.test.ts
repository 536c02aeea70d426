import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Leavings } from './leavings.ts';

describe('what a command without a result takes back', () => {
  let root = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'packproof-leavings-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('folders that were absent and are empty, the context that it made', async () => {
    const leavings = new Leavings();
    leavings.expect(join(root, 'a', 'b'));
    leavings.adopt(join(root, 'a', 'b', 'x.context'));
    await mkdir(join(root, 'a', 'b', 'x.context', 'archives'), { recursive: true });
    await leavings.undo();
    assert.deepEqual(await readdir(root), []);
  });

  it('not what somebody else put there meanwhile', async () => {
    const leavings = new Leavings();
    leavings.expect(join(root, 'a', 'b'));
    await mkdir(join(root, 'a', 'b'), { recursive: true });
    await writeFile(join(root, 'a', 'other'), '');
    await leavings.undo();
    assert.deepEqual(await readdir(join(root, 'a')), ['other']);
  });

  it('never what was there before', async () => {
    const context = join(root, 'x.context');
    await mkdir(context);
    await writeFile(join(context, 'kept'), '');
    await writeFile(join(root, 'file'), '');
    const leavings = new Leavings();
    leavings.expect(root);
    leavings.adopt(context);
    leavings.adopt(join(root, 'file'));
    await leavings.undo();
    assert.deepEqual((await readdir(root)).sort(), ['file', 'x.context']);
    assert.deepEqual(await readdir(context), ['kept']);
  });

  it('a folder that was there and empty is there and empty again', async () => {
    const context = join(root, 'x.context');
    await mkdir(context);
    const leavings = new Leavings();
    leavings.adopt(context);
    await writeFile(join(context, 'context.json'), '{}');
    await leavings.undo();
    assert.deepEqual(await readdir(context), []);
  });

  it('nothing, when nothing was begun', async () => {
    await new Leavings().undo();
    assert.deepEqual(await readdir(root), []);
  });
});
