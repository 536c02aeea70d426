import { boxPathBytes } from '../../document/box-path.ts';
import type { FileTreeEntry, OwnerEntry } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { toErrnoName } from './linux.ts';
import { COMMAND, encodeNumber, encodeString } from './protocol.ts';
import type { HolderSession } from './session.ts';

/** One frame of file content. */
const FILE_FRAME_BYTES = 256 * 1024;

/** Fixtures are small; the largest writable mount (256 MiB) is written in a second or two. */
const LAY_TIMEOUT_MS = 60_000;

/** What a folder's owner needs to lay something into it. */
const OPEN_MODE = 0o700;

/** What the holder itself does; only root can give entries away. */
type HeldEntry = Exclude<FileTreeEntry, OwnerEntry>;

/** Gives entries away from outside. @throws {EngineError} OWNER_NOT_LAID */
export type GiveEntries = (entries: readonly OwnerEntry[]) => Promise<void>;

/**
 * Lays entries into the writable mounts of a box, as the candidate's user, parents before children; then folders
 * that shut their owner out are shut, and at last entries are given to their owners.
 *
 * Call it before anything of a candidate ran in the box. An existing directory keeps its content and
 * takes the mode; an existing file is an error. `times` and `remove` are done to what is there.
 * @throws {EngineError} FILE_NOT_LAID (the path and the kernel's reason), OWNER_NOT_LAID, BOX_LOST
 */
export async function layFiles(
  session: HolderSession,
  entries: readonly FileTreeEntry[],
  give: GiveEntries,
): Promise<void> {
  const held = toHeld(entries);
  for (const entry of held) {
    await sendEntry(session, entry);
  }
  if (held.length > 0) {
    const { errno, failed } = await session.flush(LAY_TIMEOUT_MS);
    if (errno !== 0) {
      const where = held[failed]?.path ?? `entry ${failed}`;
      throw new EngineError('FILE_NOT_LAID', { where, expected: 'a new entry', actual: toErrnoName(errno) });
    }
  }
  const owners = entries.filter((entry) => entry.kind === 'owner');
  if (owners.length > 0) {
    await give(owners);
  }
}

/** A folder that its owner may not use is made open, and shut when all below it is laid, the inner ones first. */
function toHeld(entries: readonly FileTreeEntry[]): readonly HeldEntry[] {
  const held: HeldEntry[] = [];
  const shut: HeldEntry[] = [];
  for (const entry of entries) {
    if (entry.kind === 'owner') continue;
    const isShut = entry.kind === 'directory' && (entry.mode & OPEN_MODE) !== OPEN_MODE;
    held.push(isShut ? { ...entry, mode: entry.mode | OPEN_MODE } : entry);
    if (isShut) shut.push(entry);
  }
  return [...held, ...shut.reverse()];
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

async function sendEntry(session: HolderSession, entry: HeldEntry): Promise<void> {
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
