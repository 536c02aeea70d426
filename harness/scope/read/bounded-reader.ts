import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { CONFIG_LIMIT_BYTES } from '../limits.ts';
import { type ReadState, stateOfError } from './file-state.ts';
import { walkToFile } from './path-walk.ts';

/** Why a file that is there gave no bytes, where the state alone does not say it. */
export type ReadProblem = 'changed-while-read' | null;

export type SourceReading =
  | { readonly state: 'present'; readonly bytes: Uint8Array }
  | { readonly state: Exclude<ReadState, 'present'>; readonly problem: ReadProblem };

/** Reads one candidate. The inventory knows no other way to the file system's content. */
export type ReadSource = (path: string) => SourceReading;

// Windows has none of these; there the walk before the opening is all there is.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NON_BLOCK = constants.O_NONBLOCK ?? 0;
/** Linux: reading leaves the access time alone. Only the owner may ask for it. */
const NO_ATIME: number = 'O_NOATIME' in constants ? Number(constants.O_NOATIME) : 0;

/**
 * Reads one regular file of at most CONFIG_LIMIT_BYTES without following a link and without ever waiting.
 *
 * A snapshot: where the operating system does not tell where an opened file lies, a folder replaced between the
 * walk and the opening is not noticed.
 */
export function readSource(path: string): SourceReading {
  const walked = walkToFile(path);
  return walked.kind === 'file' ? readOpened(path) : { state: walked.state, problem: null };
}

/**
 * The second half of `readSource`, which trusts nothing that the walk saw: a link or a FIFO put in place
 * since then is refused by the opening itself or by what the opened file says it is.
 */
export function readOpened(path: string): SourceReading {
  let descriptor: number;
  try {
    descriptor = openQuietly(path);
  } catch (error) {
    return { state: stateOfError(error), problem: null };
  }
  try {
    return isWhereAsked(descriptor, path) ? readDescriptor(descriptor) : MOVED;
  } catch (error) {
    return { state: stateOfError(error), problem: null };
  } finally {
    closeSync(descriptor);
  }
}

const MOVED: SourceReading = { state: 'unreadable', problem: 'changed-while-read' };

/**
 * Whether the opened file lies at the path that was walked. A folder that has become a link since would have led
 * elsewhere. Linux only; compared without regard to case, because some file systems keep none.
 */
function isWhereAsked(descriptor: number, path: string): boolean {
  if (process.platform !== 'linux') return true;
  let actual: string;
  try {
    actual = readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return true;
  }
  return actual.toLowerCase() === path.toLowerCase();
}

function openQuietly(path: string): number {
  const flags = constants.O_RDONLY | NO_FOLLOW | NON_BLOCK;
  if (NO_ATIME === 0) return openSync(path, flags);
  try {
    return openSync(path, flags | NO_ATIME);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') return openSync(path, flags);
    throw error;
  }
}

function readDescriptor(descriptor: number): SourceReading {
  const before = fstatSync(descriptor, { bigint: true });
  if (!before.isFile()) return { state: 'not-file', problem: null };
  if (before.size > BigInt(CONFIG_LIMIT_BYTES)) return { state: 'too-large', problem: null };
  const bytes = readUpTo(descriptor, CONFIG_LIMIT_BYTES + 1, Number(before.size) + 1);
  if (bytes.length > CONFIG_LIMIT_BYTES) return { state: 'too-large', problem: null };
  const after = fstatSync(descriptor, { bigint: true });
  return isSame(before, after) && BigInt(bytes.length) === after.size
    ? { state: 'present', bytes }
    : { state: 'unreadable', problem: 'changed-while-read' };
}

/** One byte more than expected is asked for, so that a file that grew is seen to have grown. */
function readUpTo(descriptor: number, limit: number, expected: number): Uint8Array {
  let buffer = Buffer.allocUnsafe(Math.min(limit, expected));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (count === 0) return buffer.subarray(0, length);
    length += count;
    if (length < buffer.length) continue;
    if (length >= limit) return buffer.subarray(0, length);
    buffer = Buffer.concat([buffer], limit);
  }
}

function isSame(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.mtimeNs === after.mtimeNs && before.ino === after.ino;
}
