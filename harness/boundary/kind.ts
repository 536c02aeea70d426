import type { Boundary, ResourceLimit } from './boundary.ts';

/** The limits of a box that a case may make tighter. */
export type BoundaryLimitName =
  | 'cpuMillis'
  | 'fileSizeBytes'
  | 'homeBytes'
  | 'memoryBytes'
  | 'openFiles'
  | 'pids'
  | 'tmpBytes'
  | 'workBytes';

export interface BoundaryLimit {
  readonly name: BoundaryLimitName;
  readonly value: number;
}

/** What a case chooses of its boundary; everything else is the same for every box of a platform. */
export interface BoundaryKind {
  readonly exec: boolean;
  /** In the order of their names, each once; empty: those of the format version. */
  readonly limits: readonly BoundaryLimit[];
}

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;

/** What the format version grants every box; a case may only ask for less. */
export const GRANTED_LIMITS: Readonly<Record<BoundaryLimitName, number>> = {
  cpuMillis: 2000,
  /**
   * A tmpfs does not count the holes of a sparse file, so file size has a limit of its own: twice the largest
   * mount, which no honest write can reach and which leaves the mount's own limit to be met first.
   */
  fileSizeBytes: 512 * MIB,
  homeBytes: 256 * MIB,
  memoryBytes: 2048 * MIB,
  /** Of one process; Node raises its own soft limit to the hard one, so both are the same. */
  openFiles: 4096,
  /** Threads count. A Node program of ten workers uses about 80; a fork bomb must end early. */
  pids: 256,
  tmpBytes: 128 * MIB,
  workBytes: 256 * MIB,
};

/**
 * The least value of each limit, with which a box can still be opened, measured and read back, and the step by
 * which it changes: memory and tmpfs are counted in pages, a CPU quota in whole milliseconds of a period.
 */
export const LIMIT_BOUNDS: Readonly<
  Record<BoundaryLimitName, { readonly least: number; readonly step: number }>
> = {
  cpuMillis: { least: 100, step: 10 },
  fileSizeBytes: { least: PAGE_BYTES, step: 1 },
  homeBytes: { least: 16 * PAGE_BYTES, step: PAGE_BYTES },
  // The probe forks as many tasks as the box may have, each of which costs the kernel some tens of KiB.
  memoryBytes: { least: 64 * MIB, step: PAGE_BYTES },
  openFiles: { least: 32, step: 1 },
  pids: { least: 8, step: 1 },
  tmpBytes: { least: 16 * PAGE_BYTES, step: PAGE_BYTES },
  workBytes: { least: 16 * PAGE_BYTES, step: PAGE_BYTES },
};

/**
 * Different boundaries of one run. Each is measured on every image before the first case starts, a third of a
 * second and more of the budget a time.
 */
export const BOUNDARY_KINDS_LIMIT = 8;

/** One text for each kind, the same for equal ones: `exec=false pids=40`. */
export function nameKind({ exec, limits }: BoundaryKind): string {
  return [`exec=${exec}`, ...limits.map(({ name, value }) => `${name}=${value}`)].join(' ');
}

const MOUNTS: Readonly<Record<string, BoundaryLimitName>> = {
  '/work': 'workBytes',
  '/home/node': 'homeBytes',
  '/tmp': 'tmpBytes',
};
const RESOURCES: Readonly<Record<ResourceLimit['name'], BoundaryLimitName | null>> = {
  RLIMIT_CORE: null,
  RLIMIT_FSIZE: 'fileSizeBytes',
  RLIMIT_NOFILE: 'openFiles',
};

/** The boundary with these limits in the place of its own. Whether they are tighter is asked elsewhere. */
export function withLimits(boundary: Boundary, limits: readonly BoundaryLimit[]): Boundary {
  const given = new Map(limits.map(({ name, value }) => [name, value]));
  const memoryBytes = given.get('memoryBytes') ?? boundary.memoryBytes;
  return {
    ...boundary,
    mounts: boundary.mounts.map((mount) => {
      const limit = MOUNTS[mount.path];
      const sizeBytes = limit === undefined ? undefined : given.get(limit);
      if (sizeBytes === undefined) return mount;
      return { ...mount, sizeBytes, inodes: (mount.inodes * sizeBytes) / mount.sizeBytes };
    }),
    pidsLimit: given.get('pids') ?? boundary.pidsLimit,
    memoryBytes,
    memorySwapBytes: memoryBytes,
    cpuMillis: given.get('cpuMillis') ?? boundary.cpuMillis,
    resourceLimits: boundary.resourceLimits.map(({ name, value }) => {
      const limit = RESOURCES[name];
      return { name, value: (limit === null ? undefined : given.get(limit)) ?? value };
    }),
  };
}
