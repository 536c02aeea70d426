import { join } from 'node:path';
import { sha256Hex } from '../document/digest.ts';
import { readRegularFile } from '../document/regular-file.ts';
import type { BundleFile } from '../evidence/bundle-folder.ts';
import { ReplayError } from './errors.ts';

/** A file that stands for another: `path` is how it is asked for, `at` where the bundle lists it. */
export interface Place {
  readonly path: string;
  readonly at: string;
}

/**
 * A bundle that the verifier accepted, read once more for its content.
 *
 * Every document is held against the index again when it is read, so that what is used is what was accepted
 * even when somebody writes to the folder meanwhile.
 */
export class StoredBundle {
  readonly folder: string;
  /** sha256 of `bundle.json`: names the whole bundle. */
  readonly sha256: string;
  readonly files: ReadonlyMap<string, BundleFile>;

  private constructor(folder: string, sha256: string, files: ReadonlyMap<string, BundleFile>) {
    this.folder = folder;
    this.sha256 = sha256;
    this.files = files;
  }

  /** The same bundle, in which listed files can be asked for under other paths too. */
  withPlaces(places: readonly Place[]): StoredBundle {
    const more = places.flatMap(({ path, at }) => {
      const file = this.files.get(at);
      return file === undefined ? [] : [[path, file] as const];
    });
    return new StoredBundle(this.folder, this.sha256, new Map([...this.files, ...more]));
  }

  /** @throws {ReplayError} EVIDENCE_UNREADABLE */
  static async open(folder: string): Promise<StoredBundle> {
    const bytes = await readRegular(folder, 'bundle.json');
    const index: { readonly files: readonly BundleFile[] } = JSON.parse(bytes.toString('utf8'));
    const files = new Map(index.files.map((file) => [file.path, file]));
    return new StoredBundle(folder, sha256Hex(bytes), files);
  }

  /** Absolute path of a listed file. */
  path(path: string): string {
    return join(this.folder, this.files.get(path)?.path ?? path);
  }

  /** @throws {ReplayError} EVIDENCE_UNREADABLE, EVIDENCE_CHANGED */
  async read(path: string): Promise<Buffer> {
    const file = this.files.get(path);
    const bytes = await readRegular(this.folder, file?.path ?? path);
    const expected = file?.sha256 ?? 'a listed file';
    const actual = sha256Hex(bytes);
    if (actual === expected) return bytes;
    throw new ReplayError('EVIDENCE_CHANGED', 'evidence', { where: path, expected, actual });
  }

  /** Canonical documents, one a line. */
  async readLines<T>(path: string): Promise<readonly T[]> {
    const text = (await this.read(path)).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): T => JSON.parse(line));
  }
}

async function readRegular(folder: string, path: string): Promise<Buffer> {
  try {
    return await readRegularFile(join(folder, path));
  } catch (cause) {
    const actual = cause instanceof Error ? cause.message : String(cause);
    const details = { where: path, expected: 'a regular file', actual, cause };
    throw new ReplayError('EVIDENCE_UNREADABLE', 'evidence', details);
  }
}
