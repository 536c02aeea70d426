import type { ClosedList } from '../closed-list.ts';
import type { FileSource } from '../files/source.ts';
import { digestFile, walkFiles } from '../read.ts';

/** An archive whose bytes are at hand. */
export interface GivenArchive {
  readonly source: FileSource;
  readonly path: string;
}

const EMBEDDED = 'inputs/archives/sha256/';
const CANDIDATE = 'inputs/candidate.tgz';

/**
 * Archives by sha256: those that the bundle embeds, whose digests its closed list has, and every file of a
 * folder from outside, which is hashed. Names mean nothing.
 */
export class GivenArchives {
  readonly #bySha256 = new Map<string, GivenArchive>();

  constructor(
    bundle: { readonly source: FileSource; readonly list: ClosedList },
    outside: FileSource | null,
  ) {
    const { source, list } = bundle;
    for (const { path, sha256 } of list.files.values()) {
      if (path === CANDIDATE || path === `${EMBEDDED}${sha256}`) this.#bySha256.set(sha256, { source, path });
    }
    for (const { path, kind } of outside === null ? [] : walkFiles(outside)) {
      const digest = kind === 'file' && outside !== null ? digestFile(outside, path) : null;
      if (outside !== null && digest !== null) this.#bySha256.set(digest.sha256, { source: outside, path });
    }
  }

  find(sha256: string): GivenArchive | null {
    return this.#bySha256.get(sha256) ?? null;
  }

  /** What is at hand beside the archives with these digests. */
  others(
    listed: ReadonlySet<string>,
  ): readonly { readonly sha256: string; readonly archive: GivenArchive }[] {
    return [...this.#bySha256].flatMap(([sha256, archive]) =>
      listed.has(sha256) ? [] : [{ sha256, archive }],
    );
  }
}
