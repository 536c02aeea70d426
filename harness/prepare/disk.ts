import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, isSystemError } from '../document/system-error.ts';
import { errnoOf, PrepareError } from './errors.ts';
import { type ArchiveDigest, ArchiveHasher } from './integrity.ts';

/**
 * Makes a folder of ours, or accepts one that nobody else can write: a real folder, ours, mode 0700.
 *
 * Someone who owns it could exchange content between our check and our use.
 * @throws {PrepareError} STORE_NOT_OWNED, STORE_NOT_PRIVATE, STORE_UNUSABLE, DISK_FULL
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await guardDisk(path, () => mkdir(path, { recursive: true, mode: 0o700 }));
  const stat = await guardDisk(path, () => lstat(path));
  if (!stat.isDirectory()) {
    throw new PrepareError('infrastructure', 'STORE_UNUSABLE', 'cache folder', {
      where: path,
      expected: 'a folder',
      actual: 'something else',
    });
  }
  const uid = process.getuid?.() ?? stat.uid;
  if (stat.uid !== uid) {
    throw new PrepareError('infrastructure', 'STORE_NOT_OWNED', 'cache folder', {
      where: path,
      expected: `owner ${uid}`,
      actual: `owner ${stat.uid}`,
    });
  }
  if ((stat.mode & 0o077) !== 0) {
    throw new PrepareError('infrastructure', 'STORE_NOT_PRIVATE', 'cache folder', {
      where: path,
      expected: 'mode 0700',
      actual: `mode 0${(stat.mode & 0o777).toString(8)}`,
    });
  }
}

/** Writes all of `chunk`; a short write of the system is continued. */
export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset);
    offset += bytesWritten;
  }
}

/** Digests of a regular file, or null when there is none. Links are not followed. */
export async function hashFile(path: string): Promise<ArchiveDigest | null> {
  if (!((await lstatOrNull(path))?.isFile() ?? false)) return null;
  const hasher = new ArchiveHasher();
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  const handle = await open(path, flags).catch(() => null);
  if (handle === null) return null;
  for await (const chunk of createReadStream(path, { fd: handle, highWaterMark: 1 << 20 })) {
    hasher.update(chunk as Buffer);
  }
  return hasher.digest();
}

/** Small files of ours only: hints, resolutions, lists. */
const SMALL_FILE_LIMIT_BYTES = 64 * 1024 ** 2;

/** Content of a regular file of ours, or null when it is absent, not regular or too large. */
export async function readSmallFile(path: string): Promise<Buffer | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (handle === null) return null;
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.size <= SMALL_FILE_LIMIT_BYTES ? await handle.readFile() : null;
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file so that it is there whole or not at all.
 *
 * @throws {PrepareError} DISK_FULL, STORE_UNUSABLE
 */
export async function writeFileAtomic(target: string, bytes: Uint8Array, folder: string): Promise<void> {
  const temporary = join(folder, randomUUID());
  await guardDisk(target, async () => {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await writeAll(handle, bytes);
    } catch (error) {
      await unlink(temporary);
      throw error;
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  });
}

/**
 * Turns the system's refusals into ours; every other error passes.
 *
 * @throws {PrepareError} DISK_FULL for ENOSPC and EDQUOT, STORE_UNUSABLE for other system errors.
 */
export async function guardDisk<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = error instanceof PrepareError ? null : errnoOf(error);
    if (errno === null || !isSystemError(error)) throw error;
    const full = isDiskFull(error);
    throw new PrepareError(
      'infrastructure',
      full ? 'DISK_FULL' : 'STORE_UNUSABLE',
      full ? 'no space left' : 'cannot write',
      { where, expected: 'a writable place', actual: errno, cause: error },
    );
  }
}

async function lstatOrNull(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  return lstat(path).catch(() => null);
}
