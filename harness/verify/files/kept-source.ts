import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSource } from './disk-source.ts';
import { Memory } from './memory.ts';
import type { FileSource, FoundEntry, OpenFile } from './source.ts';

/** Bytes of a bundle that are kept in memory; beyond, files are read from disk each time. */
const KEPT_BYTES = 96 * 1024 * 1024;

/**
 * A folder that is read once and then answers from memory, for a verifier that judges many changes of the same
 * bundle. What lies on disk later does not matter to it, so that its bytes can be given an identity.
 *
 * A file that is too large to be kept has the identity of its place on disk (device, inode, size, times) for as
 * long as that stays the same.
 */
export class KeptSource implements FileSource {
  readonly #root: string;
  readonly #disk: DiskSource;
  readonly #folders = new Map<string, readonly FoundEntry[] | null>();
  readonly #files = new Map<string, Buffer | null>();
  readonly #large = new Map<string, { readonly stamp: string; readonly identity: object }>();
  readonly #memory = new Memory();
  #keptBytes = 0;

  constructor(root: string) {
    this.#root = root;
    this.#disk = new DiskSource(root);
  }

  isFolder(): boolean | null {
    return this.#disk.isFolder();
  }

  entries(path: string): readonly FoundEntry[] | null {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = this.#disk.entries(path);
    const entries = found === null ? null : [...found];
    this.#folders.set(path, entries);
    return entries;
  }

  open(path: string): OpenFile | null {
    const bytes = this.#read(path);
    if (bytes === undefined) return this.#disk.open(path);
    return bytes === null ? null : openBytes(bytes);
  }

  /** Null when it is no regular file, or too large to be kept. */
  bytes(path: string): Buffer | null {
    return this.#read(path) ?? null;
  }

  has(path: string): boolean {
    return this.#read(path) instanceof Buffer || this.#disk.has(path);
  }

  identity(path: string): object | null {
    const bytes = this.#read(path);
    return bytes === undefined ? this.#placeOf(path) : bytes;
  }

  memory(): Memory {
    return this.#memory;
  }

  /** Null when it is no regular file, undefined when it is too large to be kept. */
  #read(path: string): Buffer | null | undefined {
    if (this.#large.has(path)) return undefined;
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = this.#disk.open(path);
    if (file === null) {
      this.#files.set(path, null);
      return null;
    }
    try {
      if (this.#keptBytes + file.sizeBytes > KEPT_BYTES) {
        this.#large.set(path, { stamp: '', identity: {} });
        return undefined;
      }
      const bytes = readAll(file);
      this.#keptBytes += bytes.length;
      this.#files.set(path, bytes);
      return bytes;
    } finally {
      file.close();
    }
  }

  #placeOf(path: string): object | null {
    const status = lstatSync(join(this.#root, path), { bigint: true, throwIfNoEntry: false });
    if (status === undefined) return null;
    const { dev, ino, size, mtimeNs, ctimeNs } = status;
    const stamp = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
    const known = this.#large.get(path);
    if (known?.stamp === stamp) return known.identity;
    const identity = {};
    this.#large.set(path, { stamp, identity });
    return identity;
  }
}

function readAll(file: OpenFile): Buffer {
  const bytes = Buffer.alloc(file.sizeBytes);
  let length = 0;
  for (let read = file.read(bytes); read > 0; read = file.read(bytes.subarray(length))) length += read;
  return bytes.subarray(0, length);
}

/** A file whose bytes stand in memory. */
function openBytes(bytes: Buffer): OpenFile {
  let position = 0;
  return {
    sizeBytes: bytes.length,
    read: (buffer) => {
      const copied = bytes.copy(buffer, 0, position);
      position += copied;
      return copied;
    },
    close: () => {},
  };
}
