import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import type { SnapshotEntry, TreeFile } from '../engine/engine.ts';
import { takeTree } from './installed-tree.ts';
import { readContent } from './layer-entry.ts';
import { Spool } from './spool.ts';
import { fault, withScratch } from './testing/scratch.ts';

function treeFile(path: string, fields: Partial<SnapshotEntry> = {}, text = 'x'): TreeFile {
  const entry: SnapshotEntry = {
    path,
    kind: 'file',
    mode: '0644',
    uid: 1000,
    gid: 1000,
    mtimeMs: 1,
    sizeBytes: text.length,
    sha256: null,
    target: null,
    ...fields,
  };
  const content = async function* (): AsyncIterable<Buffer> {
    yield Buffer.from(text);
  };
  return { entry, content: entry.kind === 'file' ? content : null };
}

async function* each(files: readonly TreeFile[]): AsyncIterable<TreeFile> {
  yield* files;
}

const withSpool = (work: (spool: Spool) => Promise<void>): Promise<void> =>
  withScratch(async (folder) => {
    const spool = await Spool.open(folder);
    await work(spool).finally(() => spool.dispose());
  });

describe('takeTree', () => {
  it("takes files and links by path from the root, modes normalised, npm's own note left out", async () => {
    await withSpool(async (spool) => {
      const files = [
        treeFile('/work/tree/node_modules', { kind: 'directory', mode: '0755' }),
        treeFile('/work/tree/node_modules/.package-lock.json'),
        treeFile('/work/tree/node_modules/a', { mode: '0700' }, 'first'),
        treeFile('/work/tree/node_modules/b', { kind: 'symlink', mode: '0777', target: 'a' }),
        treeFile('/work/tree/node_modules/c', { mode: '0660' }, 'second'),
        treeFile('/work/tree/node_modules/d/node_modules/.package-lock.json', { mode: '0644' }, 'theirs'),
      ];
      const { entries, contents } = await takeTree(each(files), '/work/tree', spool);
      const digest = (text: string): object => ({
        sizeBytes: text.length,
        sha256: sha256Hex(Buffer.from(text)),
      });
      assert.deepEqual(
        [...entries.values()],
        [
          { kind: 'file', path: 'node_modules/a', mode: '0755', ...digest('first') },
          { kind: 'symlink', path: 'node_modules/b', target: 'a' },
          { kind: 'file', path: 'node_modules/c', mode: '0644', ...digest('second') },
          {
            kind: 'file',
            path: 'node_modules/d/node_modules/.package-lock.json',
            mode: '0644',
            ...digest('theirs'),
          },
        ],
      );
      const chunks: Uint8Array[] = [];
      for await (const chunk of readContent(contents.get('node_modules/a') ?? Buffer.alloc(0)))
        chunks.push(chunk);
      assert.equal(Buffer.concat(chunks).toString('utf8'), 'first');
    });
  });

  for (const [why, code, file] of [
    ['a FIFO', 'ENTRY_KIND_FORBIDDEN', treeFile('x', { kind: 'fifo' })],
    ['a socket', 'ENTRY_KIND_FORBIDDEN', treeFile('x', { kind: 'socket' })],
    ['a device', 'ENTRY_KIND_FORBIDDEN', treeFile('x', { kind: 'character-device' })],
    ['a name that is not UTF-8', 'NAME_NOT_UTF8', treeFile('%FF')],
    ['a setuid file', 'MODE_FORBIDDEN', treeFile('x', { mode: '4755' })],
    ['a sticky file', 'MODE_FORBIDDEN', treeFile('x', { mode: '1644' })],
  ] as const) {
    it(`refuses ${why}`, async () => {
      await withSpool(async (spool) => {
        await assert.rejects(takeTree(each([file]), '/work/tree', spool), {
          ...fault(code, file.entry.path),
          kind: 'candidate',
        });
      });
    });
  }
});
