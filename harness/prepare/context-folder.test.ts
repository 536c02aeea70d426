import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ContextDraft } from './context-folder.ts';
import { faultOf, inFolder } from './testing/folder.ts';

/** The kernel makes no folder here for anybody. */
const UNWRITABLE = '/sys/packproof-test/context';

test('a context begins in an empty place, and leaves nothing when it is given up', () =>
  inFolder(async (folder) => {
    const draft = await ContextDraft.begin(join(folder, 'context'));
    assert.equal((await readdir(folder)).length, 1);
    await draft.discard();
    assert.deepEqual(await readdir(folder), []);
  }));

test('a place that is taken, or where nothing can be written, is refused', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '');
    const below = join(folder, 'file', 'context');
    await assert.rejects(ContextDraft.begin(folder), faultOf('OUT_NOT_EMPTY', folder));
    await assert.rejects(ContextDraft.begin(below), faultOf('OUT_NOT_EMPTY', below));
    await assert.rejects(ContextDraft.begin(UNWRITABLE), faultOf('OUT_NOT_WRITABLE', UNWRITABLE));
    assert.deepEqual(await readdir(folder), ['file']);
  }));
