import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import { RunError } from './errors.ts';
import { StreamSpool } from './spool.ts';

const folder = mkdtempSync(join(tmpdir(), 'packproof-spool-'));
after(() => rmSync(folder, { recursive: true }));

test('all bytes are counted and hashed, and only those up to the limit are kept', () => {
  const file = join(folder, 'a', 'stdout');
  const spool = new StreamSpool('stdout', file, 10);
  for (const piece of ['abcd', 'efgh', 'ijkl', 'mnop']) spool.take(Buffer.from(piece), 7.5);
  spool.markEof();
  assert.deepEqual(spool.finish(), {
    totalBytes: 16,
    keptBytes: 10,
    totalSha256: sha256Hex(Buffer.from('abcdefghijklmnop')),
    keptSha256: sha256Hex(Buffer.from('abcdefghij')),
    truncated: true,
    eofSeen: true,
    lastByteAtMs: 7.5,
  });
  assert.equal(readFileSync(file, 'utf8'), 'abcdefghij');
});

test('exactly the limit is not truncated, one byte more is', () => {
  const whole = new StreamSpool('stdout', join(folder, 'b', 'stdout'), 4);
  whole.take(Buffer.from('abcd'), 1);
  const seen = whole.finish();
  assert.equal(seen.truncated, false);
  assert.equal(seen.keptSha256, seen.totalSha256);
  const over = new StreamSpool('stdout', join(folder, 'c', 'stdout'), 4);
  over.take(Buffer.from('abcde'), 1);
  assert.equal(over.finish().truncated, true);
});

test('a stream without a byte leaves no file and says when nothing was seen', () => {
  const file = join(folder, 'd', 'stderr');
  const spool = new StreamSpool('stderr', file);
  const seen = spool.finish();
  assert.equal(spool.file, null);
  assert.equal(existsSync(file), false);
  assert.equal(seen.lastByteAtMs, null);
  assert.equal(seen.eofSeen, false);
  assert.equal(seen.keptSha256, sha256Hex(Buffer.alloc(0)));
});

test('the same bytes give the same digests whole and one at a time', () => {
  const bytes = Buffer.from([0, 255, 10, 13, 200, 1, 2, 3]);
  const whole = new StreamSpool('stdout', join(folder, 'e', 'stdout'), 5);
  whole.take(bytes, 1);
  const single = new StreamSpool('stdout', join(folder, 'f', 'stdout'), 5);
  for (const byte of bytes) single.take(Buffer.from([byte]), 1);
  assert.deepEqual(single.finish(), whole.finish());
});

test('a disk that does not take the bytes is a fault of the run, with the file in question', () => {
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, '');
  const spool = new StreamSpool('stdout', join(blocked, 'stdout'));
  assert.throws(
    () => spool.take(Buffer.from('x'), 0),
    (error: unknown) =>
      error instanceof RunError && error.code === 'SPOOL_FAILED' && error.where === join(blocked, 'stdout'),
  );
});
