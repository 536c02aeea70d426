import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EngineError } from '../errors.ts';
import { giveEntries } from './owners.ts';

const folder = mkdtempSync(join(tmpdir(), 'packproof-owners-'));
after(() => rmSync(folder, { recursive: true }));

const box = join(folder, 'box');
mkdirSync(join(box, 'work/shut'), { recursive: true });
writeFileSync(join(box, 'work/shut/file'), 'x');
writeFileSync(Buffer.concat([Buffer.from(join(box, 'work/')), Buffer.of(0xff)]), 'x');
writeFileSync(join(folder, 'outside'), 'x');
symlinkSync(join(folder, 'outside'), join(box, 'work/link'));
symlinkSync(folder, join(box, 'work/way'));
chmodSync(join(box, 'work/shut'), 0);

const ownerOf = (path: string | Buffer): readonly number[] => [lstatSync(path).uid, lstatSync(path).gid];

test('entries get their owners, names of any bytes and below shut folders too, and links themselves', () => {
  giveEntries(box, [
    { kind: 'owner', path: '/work/%FF', uid: 1001, gid: 1002 },
    { kind: 'owner', path: '/work/shut/file', uid: 7, gid: 8 },
    { kind: 'owner', path: '/work/link', uid: 9, gid: 9 },
  ]);
  assert.deepEqual(ownerOf(Buffer.concat([Buffer.from(join(box, 'work/')), Buffer.of(0xff)])), [1001, 1002]);
  assert.deepEqual(ownerOf(join(box, 'work/shut/file')), [7, 8]);
  assert.deepEqual(ownerOf(join(box, 'work/link')), [9, 9]);
  assert.deepEqual(ownerOf(join(folder, 'outside')), ownerOf(folder));
});

test('a way through a link is refused, and what is not there', () => {
  const before = ownerOf(join(folder, 'outside'));
  for (const [path, actual] of [
    ['/work/way/outside', 'ENOTDIR'],
    ['/work/link/x', 'ENOTDIR'],
    ['/work/none', 'ENOENT'],
    ['/none/none', 'ENOENT'],
  ] as const) {
    assert.throws(
      () => giveEntries(box, [{ kind: 'owner', path, uid: 5, gid: 5 }]),
      (error: unknown) =>
        error instanceof EngineError &&
        error.code === 'OWNER_NOT_LAID' &&
        error.where === path &&
        error.actual === actual,
    );
  }
  assert.deepEqual(ownerOf(join(folder, 'outside')), before);
});
