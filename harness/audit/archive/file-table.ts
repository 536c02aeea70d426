import type { ArchiveEntry } from './entry.ts';
import { splitPath } from './names.ts';
import { foldName } from './tree.ts';

/** The files npm would install, by their path below the top folder. Links and devices are not among them. */
export class FileTable {
  readonly root: string;
  readonly #files = new Map<string, ArchiveEntry>();
  readonly #special = new Map<string, ArchiveEntry>();
  readonly #folders = new Set<string>();
  readonly #folded = new Map<string, string>();

  constructor(root: string, entries: readonly ArchiveEntry[], pathDepth: number) {
    this.root = root;
    for (const entry of entries) {
      const [first, ...segments] = splitPath(entry.path);
      if (first !== root || segments.length === 0 || segments.length > pathDepth) continue;
      this.#add(segments, entry);
    }
  }

  #add(segments: readonly string[], entry: ArchiveEntry): void {
    const path = segments.join('/');
    if (entry.kind === 'directory') {
      this.#addFolders(path);
      return;
    }
    const end = path.lastIndexOf('/');
    if (end > 0) this.#addFolders(path.slice(0, end));
    if (entry.kind === 'file') {
      // The installer writes in archive order, so the last entry of a path is the one that stays.
      this.#files.set(path, entry);
      this.#folded.set(foldName(path), path);
    } else {
      this.#special.set(path, entry);
    }
  }

  /** Stops at the first known folder: its own parents are known too. */
  #addFolders(path: string): void {
    for (let folder = path; folder !== '' && !this.#folders.has(folder); ) {
      this.#folders.add(folder);
      const end = folder.lastIndexOf('/');
      folder = end < 0 ? '' : folder.slice(0, end);
    }
  }

  get(path: string): ArchiveEntry | undefined {
    return this.#files.get(path);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  hasFolder(path: string): boolean {
    return path === '' || this.#folders.has(path);
  }

  /** The link, device or pipe at a path. */
  getSpecial(path: string): ArchiveEntry | undefined {
    return this.#special.get(path);
  }

  /** The spelling of a file whose name equals `path` but for case or Unicode form. */
  findOtherSpelling(path: string): string | undefined {
    const spelling = this.#folded.get(foldName(path));
    return spelling === path ? undefined : spelling;
  }

  paths(): Iterable<string> {
    return this.#files.keys();
  }

  /** A path below the top folder as the archive spells it. */
  toArchivePath(path: string): string {
    return `${this.root}/${path}`;
  }
}
