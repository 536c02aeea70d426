import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSource, FoundEntry, OpenFile } from './source.ts';

/** The folder on disk. It is untrusted: a link or FIFO in the place of a file is neither followed nor opened. */
export class DiskSource implements FileSource {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  isFolder(): boolean | null {
    try {
      return lstatSync(this.#root).isDirectory();
    } catch {
      return null;
    }
  }

  entries(path: string): readonly FoundEntry[] | null {
    try {
      const entries = readdirSync(join(this.#root, path), { withFileTypes: true });
      return entries.map((entry) => ({
        name: entry.name,
        kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other',
      }));
    } catch {
      return null;
    }
  }

  open(path: string): OpenFile | null {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    let descriptor: number;
    try {
      descriptor = openSync(join(this.#root, path), flags);
    } catch {
      return null;
    }
    const status = fstatSync(descriptor);
    if (!status.isFile()) {
      closeSync(descriptor);
      return null;
    }
    return {
      sizeBytes: status.size,
      read: (buffer) => readSync(descriptor, buffer, 0, buffer.length, null),
      close: () => closeSync(descriptor),
    };
  }

  has(path: string): boolean {
    try {
      return lstatSync(join(this.#root, path), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  }

  /** Somebody may write to the folder at any time, so nothing is promised of it. */
  identity(): null {
    return null;
  }

  memory(): null {
    return null;
  }
}
