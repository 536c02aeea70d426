import { readFileSync } from 'node:fs';
import type { OutsideView } from '../engine.ts';
import { type MountLine, parseMountInfo } from './mount-table.ts';

export type CgroupLimits = NonNullable<OutsideView['limits']>;

/** A limit that is not set. JSON knows no infinity, and a missing field would look unread. */
export const NO_LIMIT = -1;

/** The cgroup v1 value of "no limit" for memory is the largest multiple of the page size below 2^63. */
const V1_UNLIMITED_BYTES = 2 ** 62;

/** The folders in which the kernel keeps what concerns one box; the same folder thrice on version 2. */
export interface Cgroup {
  readonly version: 1 | 2;
  readonly pids: string;
  readonly memory: string;
  readonly cpu: string;
}

/** What the memory cgroup of a box counted. */
export interface MemoryEvents {
  /** Processes that the kernel killed for it. */
  readonly oomKills: number;
  /** Times a charge met the limit. */
  readonly limitHits: number;
  readonly peakBytes: number | null;
}

/**
 * Finds the cgroup of a process from its `/proc/PID/cgroup` and this process's own mount table.
 * Null when a controller that carries a limit of ours is not mounted here.
 */
export function locateCgroup(membership: string, mountInfo: string): Cgroup | null {
  const mounts = parseMountInfo(mountInfo);
  const paths = parseMembership(membership);
  const v1 = ['pids', 'memory', 'cpu'].map((controller) => {
    const mount = mounts.find(
      ({ type, superOptions }) => type === 'cgroup' && superOptions.includes(controller),
    );
    return mount === undefined ? null : toFolder(mount, paths.get(controller));
  });
  const [pids, memory, cpu] = v1;
  if (pids && memory && cpu) {
    return { version: 1, pids, memory, cpu };
  }
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const folder = unified === undefined ? null : toFolder(unified, paths.get(''));
  return folder === null || v1.some((found) => found !== null)
    ? null
    : { version: 2, pids: folder, memory: folder, cpu: folder };
}

/** Which version carries the limits on this host. */
export function readCgroupVersion(mountInfo: string): 1 | 2 {
  const hasV1 = parseMountInfo(mountInfo).some(
    ({ type, superOptions }) => type === 'cgroup' && superOptions.includes('memory'),
  );
  return hasV1 ? 1 : 2;
}

/** The limits in force, read from the kernel's own files; null when one cannot be read. */
export function readLimits(cgroup: Cgroup): CgroupLimits | null {
  try {
    return cgroup.version === 1 ? readLimitsV1(cgroup) : readLimitsV2(cgroup);
  } catch {
    return null;
  }
}

/** What was counted, until the cgroup is removed; null when it cannot be read. */
export function readMemoryEvents(cgroup: Cgroup): MemoryEvents | null {
  try {
    return cgroup.version === 1 ? readEventsV1(cgroup.memory) : readEventsV2(cgroup.memory);
  } catch {
    return null;
  }
}

/** Processes of the cgroup in this process's own numbers, zombies not among them. */
export function readMembers(cgroup: Cgroup): readonly number[] {
  try {
    return readText(`${cgroup.pids}/cgroup.procs`).split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function readLimitsV1({ pids, memory, cpu }: Cgroup): CgroupLimits {
  const quota = Number(readText(`${cpu}/cpu.cfs_quota_us`));
  const period = Number(readText(`${cpu}/cpu.cfs_period_us`));
  const memoryBytes = toBytesV1(readText(`${memory}/memory.limit_in_bytes`));
  return {
    pids: toCount(readText(`${pids}/pids.max`)),
    memoryBytes,
    memorySwapBytes: readSwapV1(memory, memoryBytes),
    cpuMillis: quota <= 0 ? NO_LIMIT : (quota / period) * 1000,
  };
}

/** Without swap accounting the file is missing; then memory alone is the limit exactly if there is no swap. */
function readSwapV1(memory: string, memoryBytes: number): number {
  try {
    return toBytesV1(readText(`${memory}/memory.memsw.limit_in_bytes`));
  } catch {
    return readText('/proc/swaps').split('\n').length <= 1 ? memoryBytes : NO_LIMIT;
  }
}

function readLimitsV2({ memory }: Cgroup): CgroupLimits {
  const [quota, period] = readText(`${memory}/cpu.max`).split(' ');
  const memoryBytes = toCount(readText(`${memory}/memory.max`));
  const swapBytes = toCount(readText(`${memory}/memory.swap.max`));
  const limited = memoryBytes !== NO_LIMIT && swapBytes !== NO_LIMIT;
  return {
    pids: toCount(readText(`${memory}/pids.max`)),
    memoryBytes,
    memorySwapBytes: limited ? memoryBytes + swapBytes : NO_LIMIT,
    cpuMillis: quota === 'max' ? NO_LIMIT : (Number(quota) / Number(period)) * 1000,
  };
}

function readEventsV1(memory: string): MemoryEvents {
  return {
    oomKills: readField(readText(`${memory}/memory.oom_control`), 'oom_kill'),
    limitHits: Number(readText(`${memory}/memory.failcnt`)),
    peakBytes: Number(readText(`${memory}/memory.max_usage_in_bytes`)),
  };
}

function readEventsV2(memory: string): MemoryEvents {
  const events = readText(`${memory}/memory.events`);
  return {
    oomKills: readField(events, 'oom_kill'),
    limitHits: readField(events, 'max'),
    peakBytes: readPeakV2(memory),
  };
}

/** The file came with Linux 5.19. */
function readPeakV2(memory: string): number | null {
  try {
    return Number(readText(`${memory}/memory.peak`));
  } catch {
    return null;
  }
}

function readField(text: string, name: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  if (line === undefined) {
    throw new RangeError(`no field ${name}`);
  }
  return Number(line.slice(name.length + 1));
}

function toCount(text: string): number {
  return text === 'max' ? NO_LIMIT : Number(text);
}

function toBytesV1(text: string): number {
  const bytes = Number(text);
  return bytes >= V1_UNLIMITED_BYTES ? NO_LIMIT : bytes;
}

function readText(file: string): string {
  return readFileSync(file, 'latin1').trim();
}

/** Path by controller; the empty name is the unified hierarchy. */
function parseMembership(text: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const line of text.split('\n').filter(Boolean)) {
    const [number, controllers, ...path] = line.split(':');
    for (const controller of number === '0' ? [''] : (controllers ?? '').split(',')) {
      paths.set(controller, path.join(':'));
    }
  }
  return paths;
}

/** A mount may show only a part of the hierarchy (in a container of its own). */
function toFolder(mount: MountLine, path: string | undefined): string | null {
  if (path === undefined) {
    return null;
  }
  const root = mount.root === '/' ? '' : mount.root;
  return path === root || path.startsWith(`${root}/`) ? `${mount.path}${path.slice(root.length)}` : null;
}
