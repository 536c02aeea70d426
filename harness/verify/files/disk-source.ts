import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
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

  /** In a folder of a million files, objects of the operating system's answer would cost more than the names. */
  entries(path: string): Iterable<FoundEntry> | null {
    try {
      return readFolder(join(this.#root, path));
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

/** As file systems tell it, a folder of some thousands of names; it is read at once, which takes half the time. */
const SMALL_FOLDER_BYTES = 256 * 1024;
/** Names of a larger one that are read at a time. */
const READ_ENTRIES = 512;

type Names = Readonly<Record<FoundEntry['kind'], string[]>>;

function readFolder(place: string): Iterable<FoundEntry> {
  const names: Names = { file: [], folder: [], other: [] };
  const take = (entry: Dirent): void => {
    names[entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other'].push(entry.name);
  };
  if (statSync(place).size <= SMALL_FOLDER_BYTES) readdirSync(place, { withFileTypes: true }).forEach(take);
  else readByParts(place, take);
  return listEntries(names);
}

function readByParts(place: string, take: (entry: Dirent) => void): void {
  const folder = opendirSync(place, { bufferSize: READ_ENTRIES });
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) take(entry);
  } finally {
    folder.closeSync();
  }
}

/** In an order that does not depend on the file system. */
function* listEntries(names: Names): Generator<FoundEntry, void> {
  for (const kind of ['file', 'folder', 'other'] as const) {
    for (const name of names[kind].sort()) yield { name, kind };
  }
}
