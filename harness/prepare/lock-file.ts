import { lstat, realpath } from 'node:fs/promises';
import { readSmallFile } from './disk.ts';
import { errnoOf, PrepareError } from './errors.ts';
import { type PackproofLock, parseLock } from './lock.ts';
import type { PrepareOptions } from './prepare-options.ts';

/**
 * The lock that a run is held to; null when there is none and `frozen` does not demand it.
 *
 * @throws {PrepareError} LOCK_MISSING; LOCK_UNREADABLE for what is there and is no readable file; LOCK_VERSION,
 * LOCK_INVALID, LOCK_NOT_CANONICAL
 */
export async function readLockFile({
  lockFile,
  frozen,
}: Pick<PrepareOptions, 'lockFile' | 'frozen'>): Promise<PackproofLock | null> {
  const bytes = lockFile === null ? null : await readBytes(lockFile);
  if (bytes !== null) return parseLock(bytes, lockFile ?? '');
  if (!frozen) return null;
  throw new PrepareError('usage', 'LOCK_MISSING', 'lock', {
    where: lockFile ?? '--lock',
    expected: 'a packproof.lock.json, because nothing but what it pins may be used',
    actual: 'none',
  });
}

async function readBytes(file: string): Promise<Buffer | null> {
  const status = await lstat(file).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return null;
    throw unreadable(file, error);
  });
  if (status === null) return null;
  const target = await realpath(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const bytes = await readSmallFile(target);
  if (bytes === null) throw unreadable(file, null);
  return bytes;
}

function unreadable(where: string, cause: unknown): PrepareError {
  return new PrepareError('usage', 'LOCK_UNREADABLE', 'lock', {
    where,
    expected: 'a regular file that can be read, of at most 64 MiB',
    actual: errnoOf(cause) ?? 'another kind of file, or a larger one',
    cause,
  });
}
