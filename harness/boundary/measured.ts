import type { Platform } from './boundary.ts';

/** A mount as the kernel shows it; `options` are those of the mount, then those of its file system, each once. */
export interface MeasuredMount {
  readonly path: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Limits of the box's own cgroup as it sees them; null where the box shows no such file. */
export interface MeasuredLimits {
  readonly pids: number | null;
  readonly memoryBytes: number | null;
  readonly memorySwapBytes: number | null;
  readonly cpuMillis: number | null;
}

/** -1 stands for "no limit" in every number of this document. */
export const UNLIMITED = -1;

/** What the probe found in a box: facts as the kernel gave them, and the outcome of everything it tried. */
export interface MeasuredBoundary {
  readonly formatVersion: 1;
  /** Of the probe's own interpreter, by its ELF header. */
  readonly platform: Platform;
  /** Fields of `/proc/self/status` as written, white space folded to single spaces. */
  readonly status: Readonly<Record<string, string>>;
  readonly mounts: readonly MeasuredMount[];
  /** Size and inode limit of each writable mount, as statfs counts them. */
  readonly spaces: readonly { readonly path: string; readonly sizeBytes: number; readonly inodes: number }[];
  readonly resourceLimits: readonly { readonly name: string; readonly soft: number; readonly hard: number }[];
  readonly limits: MeasuredLimits;
  readonly interfaces: readonly string[];
  /** Sockets that the network namespace or the tree shows, abstract ones with `@`. */
  readonly unixSockets: readonly string[];
  readonly setIdFiles: readonly string[];
  /** Where the box sees itself in each hierarchy of cgroups; `/` from within a namespace of its own. */
  readonly cgroupPaths: readonly string[];
  readonly hostname: string;
  readonly domainname: string;
  /** Entries of /dev: kind, device number or `-`, path. */
  readonly devices: readonly string[];
  /** Number and kind of each open descriptor of the probe. */
  readonly descriptors: readonly string[];
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly localTimeIsUtc: boolean;
  /** Interpreter and script of process 1. */
  readonly holder: readonly string[];
  /**
   * By trial: `allowed`, `empty`, `no-effect`, `refused ERRNO`, `killed SIGNAL`, `counted N ERRNO` or
   * `not-exercisable REASON`.
   */
  readonly outcomes: Readonly<Record<string, string>>;
}

/** Fields of a status file that concern the boundary; the same as are read from outside. */
export const STATUS_FIELDS = [
  'Uid',
  'Gid',
  'Groups',
  'CapInh',
  'CapPrm',
  'CapEff',
  'CapBnd',
  'CapAmb',
  'NoNewPrivs',
  'Seccomp',
] as const;
