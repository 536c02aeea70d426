import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EngineError } from '../errors.ts';
import { hashContent, readContent } from './file-content.ts';
import type { TreeLimits } from './tree-limits.ts';
import { walkTree } from './tree-walk.ts';

const LIMITS: TreeLimits = { entries: 100, depth: 8, fileBytes: 1000, totalBytes: 1000 };
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'walk-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function makeFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

test('entries come in byte order of the whole path with their kinds, opened is none', async () => {
  const root = makeFolder('kinds');
  mkdirSync(join(root, 'a'));
  writeFileSync(join(root, 'a/z'), 'z');
  writeFileSync(join(root, 'a-'), '', { mode: 0o600 });
  chmodSync(join(root, 'a-'), 0o4751);
  symlinkSync('/etc', join(root, 'link'));
  // Opening either would block or fail.
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const server = createServer().listen(join(root, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  const { entries, truncated } = await walkTree(Buffer.from(root), '/work', LIMITS);
  server.close();
  assert.deepEqual(truncated, []);
  assert.deepEqual(
    entries.map(({ entry }) => [entry.path, entry.kind, entry.target]),
    [
      ['/work/a', 'directory', null],
      ['/work/a-', 'file', null],
      ['/work/a/z', 'file', null],
      ['/work/link', 'symlink', '/etc'],
      ['/work/pipe', 'fifo', null],
      ['/work/socket', 'socket', null],
    ],
  );
  assert.equal(entries[1]?.entry.mode, '4751');
});

test('names that are not UTF-8 are told apart by their text', async () => {
  const root = makeFolder('names');
  const names = [Buffer.from('ok é'), Buffer.from([0x61, 0xff, 0x0a]), Buffer.from('a%FF\n')];
  for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), '');
  const { entries } = await walkTree(Buffer.from(root), '/w', LIMITS);
  assert.deepEqual(
    entries.map(({ entry }) => entry.path),
    ['/w/a%25FF\n', '/w/a%FF\n', '/w/ok é'],
  );
});

test('entries, depth and path length are bounded, and each bound says so', async () => {
  const root = makeFolder('bounds');
  let path = root;
  for (let depth = 0; depth < 12; depth += 1) {
    path = join(path, 'd'.repeat(10));
    mkdirSync(path);
  }
  const deep = await walkTree(Buffer.from(root), '/w', LIMITS);
  assert.equal(deep.entries.length, 8);
  assert.deepEqual(deep.truncated, ['depth: more than 8']);
  const few = await walkTree(Buffer.from(root), '/w', { ...LIMITS, entries: 3 });
  assert.equal(few.entries.length, 3);
  assert.deepEqual(few.truncated, ['entries: more than 3']);
  const whole = await walkTree(Buffer.from(root), '/w', { ...LIMITS, depth: 12 + 1 });
  assert.deepEqual([whole.entries.length, whole.truncated], [12, []]);
});

test('a folder that cannot be read is named', async () => {
  const { entries, truncated } = await walkTree(Buffer.from(join(folder, 'none')), '/work', LIMITS);
  assert.deepEqual([entries, truncated], [[], ['folder unreadable: ENOENT: /work']]);
});

async function read(path: string, sizeBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const bytes of readContent(Buffer.from(path), sizeBytes)) chunks.push(bytes);
  return Buffer.concat(chunks).toString();
}

test('a content is exactly as long as it was seen, and of a regular file', async () => {
  const root = makeFolder('content');
  const file = join(root, 'file');
  writeFileSync(file, 'abc');
  symlinkSync('file', join(root, 'link'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  assert.equal(await read(file, 3), 'abc');
  assert.equal(
    await hashContent(Buffer.from(file), 3),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
  const big = join(root, 'big');
  writeFileSync(big, '');
  truncateSync(big, 3_000_000);
  assert.equal((await read(big, 3_000_000)).length, 3_000_000);
  const refusals: readonly (readonly [string, number, RegExp])[] = [
    [file, 2, /^3$/],
    [file, 4, /^3$/],
    [join(root, 'link'), 3, /^Error$/],
    [join(root, 'pipe'), 0, /^another kind$/],
    [join(root, 'none'), 0, /^Error$/],
  ];
  for (const [path, sizeBytes, actual] of refusals) {
    await assert.rejects(
      read(path, sizeBytes),
      (error: unknown) =>
        error instanceof EngineError &&
        error.code === 'EVIDENCE_UNREADABLE' &&
        path.endsWith(`/${error.where}`) &&
        actual.test(error.actual ?? ''),
    );
  }
});
