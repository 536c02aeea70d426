import { join } from 'node:path';
import { PrepareError } from './errors.ts';
import type { ArchiveDigest } from './integrity.ts';
import type { ArchiveExpectation, ArchiveStore } from './store.ts';

/**
 * The archives of one context while it is made: a folder that is filled from the store.
 *
 * Each archive is copied once and its copy is hashed; two askers of one archive share the work.
 */
export class ArchiveShelf {
  readonly #store: ArchiveStore;
  readonly #folder: string;
  readonly #taken = new Map<string, Promise<ArchiveDigest | null>>();

  constructor(store: ArchiveStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** Null when the store does not hold it. */
  async take(expected: ArchiveExpectation): Promise<ArchiveDigest | null> {
    const key = expected.integrity ?? expected.sha256 ?? '';
    const known = this.#taken.get(key);
    if (known !== undefined) return known;
    const taken = this.#store.copyInto(this.#folder, expected);
    this.#taken.set(key, taken);
    const digest = await taken;
    if (digest === null) this.#taken.delete(key);
    return digest;
  }

  /**
   * Stores bytes and takes them.
   *
   * @throws {PrepareError} ARCHIVE_MISMATCH, ARCHIVE_TOO_LARGE, DISK_FULL, STORE_UNUSABLE
   */
  async add(source: AsyncIterable<Uint8Array>, expected: ArchiveExpectation): Promise<ArchiveDigest> {
    const stored = await this.#store.put(source, expected);
    const taken = await this.take({ ...expected, sha256: stored.sha256 });
    if (taken !== null) return taken;
    throw new PrepareError('infrastructure', 'STORE_UNUSABLE', 'archive store', {
      where: expected.label,
      expected: 'the archive that was just stored',
      actual: 'other bytes or none',
    });
  }

  /** Absolute path of an archive that was taken. */
  path(sha256: string): string {
    return join(this.#folder, sha256);
  }
}
