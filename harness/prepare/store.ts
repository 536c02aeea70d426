import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { guardDisk, hashFile, openPrivateFolder, readSmallFile, writeAll, writeFileAtomic } from './disk.ts';
import { errnoOf, PrepareError } from './errors.ts';
import { type ArchiveDigest, ArchiveHasher, type Integrity, integrityHex } from './integrity.ts';

/** The largest archive that is kept: Node runtimes are near 60 MB, reference programs reach gigabytes. */
export const ARCHIVE_LIMIT_BYTES = 4 * 1024 ** 3;

/** What the bytes must be: any of the three may be unknown, but not both digests. */
export interface ArchiveExpectation {
  readonly sha256?: string;
  readonly integrity?: Integrity;
  /** Names the archive in errors, such as `left-pad@1.3.0`. */
  readonly label: string;
  readonly limitBytes?: number;
}

/**
 * packproof's cache folder: `$XDG_CACHE_HOME/packproof`, else `~/.cache/packproof`.
 *
 * A relative XDG_CACHE_HOME is ignored, as the XDG base directory specification demands.
 */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_CACHE_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.cache'), 'packproof');
}

/**
 * The archive store: `archives/sha256/<hex>` below the cache folder, content-addressed, re-hashed when used.
 *
 * Beside it `archives/sha512/<hex>` names the sha256 of an archive that npm knows by its sha512. That file
 * is a hint: what it leads to is hashed with both algorithms before anyone gets it.
 */
export class ArchiveStore {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  /** @throws {PrepareError} STORE_NOT_OWNED, STORE_NOT_PRIVATE, STORE_UNUSABLE, DISK_FULL */
  static async open(root: string = cacheRoot()): Promise<ArchiveStore> {
    for (const part of ['', 'archives', 'archives/sha256', 'archives/sha512', 'temporary']) {
      await openPrivateFolder(join(root, part));
    }
    await sweepTemporary(join(root, 'temporary'));
    return new ArchiveStore(root);
  }

  /** The cache folder that holds this store. */
  get root(): string {
    return this.#root;
  }

  /**
   * Stores bytes that match `expected`, atomically; a failed or refused write leaves nothing.
   *
   * @throws {PrepareError} ARCHIVE_MISMATCH, ARCHIVE_TOO_LARGE, DISK_FULL; what `source` throws passes through.
   */
  async put(source: AsyncIterable<Uint8Array>, expected: ArchiveExpectation): Promise<ArchiveDigest> {
    const temporary = join(this.#root, 'temporary', randomUUID());
    const where = `${expected.label} in ${this.#root}`;
    try {
      const digest = await guardDisk(where, () => writeHashed(temporary, source, expected));
      checkDigest(digest, expected);
      await guardDisk(where, () => rename(temporary, this.#path(digest.sha256)));
      await this.#remember(digest);
      return digest;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /**
   * Copies an archive to `<folder>/<sha256>` and hashes the copy, so that what is hashed is what is used.
   *
   * Resolves with null when the store does not hold it. A copy that does not match is removed, and so is
   * what it was made from, so that it is fetched anew.
   * @throws {PrepareError} DISK_FULL, STORE_UNUSABLE
   */
  async copyInto(folder: string, expected: ArchiveExpectation): Promise<ArchiveDigest | null> {
    const sha256 = expected.sha256 ?? (await this.#recall(expected.integrity));
    if (sha256 === null) return null;
    const target = join(folder, sha256);
    try {
      await guardDisk(target, () => copyFile(this.#path(sha256), target, constants.COPYFILE_FICLONE));
    } catch (error) {
      if (error instanceof PrepareError && errnoOf(error.cause) === 'ENOENT') return null;
      await rm(target, { force: true });
      throw error;
    }
    const digest = await hashFile(target);
    const good =
      digest !== null &&
      digest.sha256 === sha256 &&
      (expected.integrity === undefined || digest.integrity === expected.integrity);
    if (good) return digest;
    await rm(target, { force: true });
    await rm(this.#path(sha256), { force: true });
    return null;
  }

  #path(sha256: string): string {
    return join(this.#root, 'archives', 'sha256', sha256);
  }

  async #remember(digest: ArchiveDigest): Promise<void> {
    const target = join(this.#root, 'archives', 'sha512', integrityHex(digest.integrity));
    await writeFileAtomic(target, Buffer.from(`${digest.sha256}\n`), join(this.#root, 'temporary'));
  }

  async #recall(integrity: Integrity | undefined): Promise<string | null> {
    if (integrity === undefined) return null;
    const bytes = await readSmallFile(join(this.#root, 'archives', 'sha512', integrityHex(integrity)));
    const text = bytes?.toString('latin1').trim() ?? '';
    return /^[0-9a-f]{64}$/u.test(text) ? text : null;
  }
}

function checkDigest(digest: ArchiveDigest, expected: ArchiveExpectation): void {
  const pairs: readonly (readonly [string | undefined, string])[] = [
    [expected.integrity, digest.integrity],
    [expected.sha256, digest.sha256],
  ];
  for (const [wanted, actual] of pairs) {
    if (wanted !== undefined && wanted !== actual) {
      throw new PrepareError('infrastructure', 'ARCHIVE_MISMATCH', 'archive', {
        where: expected.label,
        expected: wanted,
        actual,
      });
    }
  }
}

async function writeHashed(
  path: string,
  source: AsyncIterable<Uint8Array>,
  expected: ArchiveExpectation,
): Promise<ArchiveDigest> {
  const limit = expected.limitBytes ?? ARCHIVE_LIMIT_BYTES;
  const hasher = new ArchiveHasher();
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of source) {
      if (hasher.sizeBytes + chunk.byteLength > limit) {
        throw new PrepareError('infrastructure', 'ARCHIVE_TOO_LARGE', 'archive', {
          where: expected.label,
          expected: `at most ${limit} bytes`,
          actual: 'more',
        });
      }
      hasher.update(chunk);
      await writeAll(handle, chunk);
    }
  } finally {
    await handle.close();
  }
  return hasher.digest();
}

/** A writer that is still alive is younger than this; what is older was left by a killed process. */
const TEMPORARY_MAX_AGE_MS = 24 * 3600 * 1000;

async function sweepTemporary(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const stat = await lstat(join(folder, name)).catch(() => null);
    if (stat === null || Date.now() - stat.mtimeMs < TEMPORARY_MAX_AGE_MS) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
