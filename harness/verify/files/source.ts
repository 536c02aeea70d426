import type { Memory } from './memory.ts';

/** What a name in a folder of evidence stands for. Links and special files are `other`. */
export interface FoundEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** A regular file that is open for reading. */
export interface OpenFile {
  readonly sizeBytes: number;
  /** Fills the buffer from where the last reading ended; the number of bytes that came, 0 at the end. */
  read(buffer: Buffer): number;
  close(): void;
}

/**
 * A folder of evidence as the verifier sees it. Everything that it reads of a bundle comes through here, so
 * that a bundle with changes laid over it is judged by the very code that judges a folder on disk.
 *
 * Paths are relative, with slashes; the empty one is the folder itself.
 */
export interface FileSource {
  /** Null: nothing is there; false: something other than a folder. */
  isFolder(): boolean | null;
  /** Null when it cannot be listed as a folder. */
  entries(path: string): Iterable<FoundEntry> | null;
  /** Null unless it is a regular file. A link in its place is neither followed nor waited for. */
  open(path: string): OpenFile | null;
  /** Whether anything stands at this place, be it a file or not. */
  has(path: string): boolean;
  /**
   * Stands for the bytes of a file: the same object, the same path and the same bytes. Null when nothing is
   * promised; then everything about the file is worked out again.
   */
  identity(path: string): object | null;
  /** Null when every verdict starts from nothing. */
  memory(): Memory | null;
}
