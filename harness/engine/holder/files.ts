import { boxPathBytes } from '../../document/box-path.ts';
import type { FileTreeEntry } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { toErrnoName } from './linux.ts';
import { COMMAND, encodeNumber, encodeString } from './protocol.ts';
import type { HolderSession } from './session.ts';

/** One frame of file content. */
const FILE_FRAME_BYTES = 256 * 1024;

/** Fixtures are small; the largest writable mount (256 MiB) is written in a second or two. */
const LAY_TIMEOUT_MS = 60_000;

/**
 * Lays entries into the writable mounts of a box, as the candidate's user, parents before children.
 *
 * Call it before anything of a candidate ran in the box. An existing directory keeps its content and
 * takes the mode; an existing file is an error. `times` and `remove` are done to what is there.
 * @throws {EngineError} FILE_NOT_LAID (the path and the kernel's reason), BOX_LOST
 */
export async function layFiles(session: HolderSession, entries: readonly FileTreeEntry[]): Promise<void> {
  if (entries.length === 0) {
    return;
  }
  for (const entry of entries) {
    await sendEntry(session, entry);
  }
  const { errno, failed } = await session.flush(LAY_TIMEOUT_MS);
  if (errno !== 0) {
    const where = entries[failed]?.path ?? `entry ${failed}`;
    throw new EngineError('FILE_NOT_LAID', { where, expected: 'a new entry', actual: toErrnoName(errno) });
  }
}

function encodeSize(sizeBytes: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(sizeBytes));
  return size;
}

/** Seconds before 1970 are negative, nanoseconds never. */
function encodeTime(timeMs: number): Buffer {
  const time = Buffer.alloc(12);
  const seconds = Math.floor(timeMs / 1000);
  time.writeBigInt64BE(BigInt(seconds));
  time.writeUInt32BE((timeMs - seconds * 1000) * 1_000_000, 8);
  return time;
}

async function sendEntry(session: HolderSession, entry: FileTreeEntry): Promise<void> {
  if (!entry.path.startsWith('/') || entry.path.includes('\0')) {
    throw new EngineError('FILE_NOT_LAID', {
      where: entry.path,
      expected: 'an absolute path',
      actual: entry.path,
    });
  }
  const path = boxPathBytes(entry.path);
  switch (entry.kind) {
    case 'directory':
      return session.sendFile(COMMAND.DIRECTORY, encodeNumber(entry.mode), path);
    case 'socket':
      return session.sendFile(COMMAND.SOCKET, encodeNumber(entry.mode), path);
    case 'sparse':
      return session.sendFile(COMMAND.SPARSE, encodeNumber(entry.mode), encodeSize(entry.sizeBytes), path);
    case 'times':
      return session.sendFile(COMMAND.TIMES, encodeTime(entry.mtimeMs), path);
    case 'remove':
      return session.sendFile(COMMAND.REMOVE, path);
    case 'fifo':
      return session.sendFile(COMMAND.FIFO, encodeNumber(entry.mode), path);
    case 'symlink':
      return session.sendFile(COMMAND.SYMLINK, encodeString(boxPathBytes(entry.target)), path);
    case 'file':
      await session.sendFile(COMMAND.FILE_OPEN, encodeNumber(entry.mode), path);
      for (let offset = 0; offset < entry.content.length; offset += FILE_FRAME_BYTES) {
        await session.sendFile(COMMAND.FILE_DATA, entry.content.subarray(offset, offset + FILE_FRAME_BYTES));
      }
      return session.sendFile(COMMAND.FILE_CLOSE);
    default:
      entry satisfies never;
  }
}
