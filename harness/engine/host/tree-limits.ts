const MIB = 1024 * 1024;

/**
 * How much of a box's writable files is looked at. A candidate decides what lies there, so each bound is
 * met with a named truncation and never with a hang, a crash or an endless read.
 */
export interface TreeLimits {
  /** Entries kept. */
  readonly entries: number;
  /** Folders below each other. The kernel's PATH_MAX ends the walk as well, wherever names are long. */
  readonly depth: number;
  /** A larger file (by its apparent size: a sparse one costs the reader as much) is listed but not read. */
  readonly fileBytes: number;
  /** Bytes read over all files. */
  readonly totalBytes: number;
}

/**
 * Evidence of a case: the three writable mounts hold 640 MiB and 163 840 entries at most. A file beyond
 * 256 MiB can only be sparse.
 */
export const SNAPSHOT_LIMITS: TreeLimits = {
  entries: 200_000,
  depth: 256,
  fileBytes: 256 * MIB,
  totalBytes: 1024 * MIB,
};

/** An installed dependency tree; the mount it lies in is 2 GiB large. */
export const EXPORT_LIMITS: TreeLimits = {
  entries: 600_000,
  depth: 256,
  fileBytes: 1024 * MIB,
  totalBytes: 2048 * MIB,
};

/** Longest path that a system call takes, its final zero included. */
export const PATH_MAX_BYTES = 4096;
