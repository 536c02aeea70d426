import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FirstBytes } from './difference.ts';

const CHUNK_BYTES = 256 * 1024;
/** Enough to recognise what stands there, short enough for a line. */
const SHOWN_BYTES = 32;

/** Compares two files in constant memory; null when they are equal. */
export async function findFirstBytes(recorded: string, replayed: string): Promise<FirstBytes | null> {
  const left = await openFile(recorded);
  try {
    const right = await openFile(replayed);
    try {
      return await compare(left, right);
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

function openFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

async function compare(left: FileHandle, right: FileHandle): Promise<FirstBytes | null> {
  for (let position = 0; ; position += CHUNK_BYTES) {
    const [a, b] = await Promise.all([
      readAt(left, position, CHUNK_BYTES),
      readAt(right, position, CHUNK_BYTES),
    ]);
    if (!a.equals(b)) {
      const offset = position + firstDifference(a, b);
      const [recorded, replayed] = await Promise.all([
        readAt(left, offset, SHOWN_BYTES),
        readAt(right, offset, SHOWN_BYTES),
      ]);
      return { offset, recordedHex: recorded.toString('hex'), replayedHex: replayed.toString('hex') };
    }
    if (a.length < CHUNK_BYTES) return null;
  }
}

function firstDifference(a: Buffer, b: Buffer): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    if (a[index] !== b[index]) return index;
  }
  return shared;
}

/** Up to `length` bytes; fewer only at the end of the file. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
