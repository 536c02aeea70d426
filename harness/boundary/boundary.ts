/** A platform as OCI writes it. */
export type Platform = 'linux/amd64' | 'linux/arm64';

/** One writable place of a box: a tmpfs of its own, fresh for every box. Sizes in bytes. */
export interface WritableMount {
  readonly path: string;
  readonly sizeBytes: number;
  readonly inodes: number;
  readonly uid: number;
  readonly gid: number;
  /** Permission bits as four octal digits, such as `0755`. */
  readonly mode: string;
  readonly exec: boolean;
}

/** A resource limit set hard and soft to the same value. */
export interface ResourceLimit {
  readonly name: 'RLIMIT_CORE' | 'RLIMIT_NOFILE' | 'RLIMIT_FSIZE';
  readonly value: number;
}

/**
 * The restrictions of a box as one complete value: nothing is left to an engine's defaults.
 *
 * It is engine-neutral data. Each adapter of `engine/` translates all of it or refuses; `probe` measures
 * it from inside; `compare` holds declared, measured and outside views against each other.
 */
export interface Boundary {
  readonly formatVersion: 1;
  readonly platform: Platform;
  readonly uid: number;
  readonly gid: number;
  readonly supplementaryGids: readonly number[];
  /** The five capability sets are all equal to this list, which is empty. */
  readonly capabilities: readonly string[];
  readonly noNewPrivileges: boolean;
  /** sha256 of the canonical bytes of the seccomp policy in force. */
  readonly seccompSha256: string;
  readonly network: 'none';
  readonly rootReadOnly: boolean;
  readonly mounts: readonly WritableMount[];
  readonly ipc: 'none';
  readonly cgroupNamespace: 'private';
  readonly pidsLimit: number;
  readonly memoryBytes: number;
  /** Memory plus swap; equal to `memoryBytes`, so that there is no swap beyond. */
  readonly memorySwapBytes: number;
  /** Thousandths of a CPU. */
  readonly cpuMillis: number;
  readonly hostname: string;
  readonly resourceLimits: readonly ResourceLimit[];
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
}
