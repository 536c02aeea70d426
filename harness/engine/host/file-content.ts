import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { EngineError } from '../errors.ts';

/** The files lie in memory (tmpfs), so a synchronous read of this much takes well under a millisecond. */
const READ_BYTES = 1024 * 1024;

/** O_NOFOLLOW and O_NONBLOCK: even if the entry had become a link or a FIFO, nothing is followed or waited for. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Contents of a regular file, exactly `sizeBytes` of them.
 * @throws {EngineError} EVIDENCE_UNREADABLE when it is none any more, or of another size.
 */
export async function* readContent(path: Buffer, sizeBytes: number): AsyncIterable<Buffer> {
  const descriptor = openRegular(path);
  try {
    let total = 0;
    for (;;) {
      // One byte more than is due shows a file that grew.
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, sizeBytes - total + 1));
      const count = readSync(descriptor, buffer, 0, buffer.length, null);
      total += count;
      if (total > sizeBytes || (count === 0 && total < sizeBytes)) {
        throw unreadable(path, `${sizeBytes} bytes`, `${total}`);
      }
      if (count === 0) {
        return;
      }
      yield buffer.subarray(0, count);
      if (count === READ_BYTES) {
        await yieldToOthers();
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** sha256 of a regular file as hex. @throws {EngineError} EVIDENCE_UNREADABLE */
export async function hashContent(path: Buffer, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of readContent(path, sizeBytes)) {
    hash.update(bytes);
  }
  return hash.digest('hex');
}

function openRegular(path: Buffer): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
  } catch (cause) {
    throw unreadable(path, 'a file that opens', cause instanceof Error ? cause.name : 'unknown', cause);
  }
  if (fstatSync(descriptor).isFile()) {
    return descriptor;
  }
  closeSync(descriptor);
  throw unreadable(path, 'a regular file', 'another kind');
}

function unreadable(path: Buffer, expected: string, actual: string, cause?: unknown): EngineError {
  // The name without the host's part of the path.
  const where = path.subarray(path.lastIndexOf('/'.charCodeAt(0)) + 1).toString('utf8');
  return new EngineError('EVIDENCE_UNREADABLE', { where, expected, actual, cause });
}
