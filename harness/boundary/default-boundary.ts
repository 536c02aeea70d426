import type { Boundary, Platform, ResourceLimit, WritableMount } from './boundary.ts';
import { type BoundaryLimit, GRANTED_LIMITS, withLimits } from './kind.ts';
import { digestSeccompPolicy, readSeccompPolicy } from './seccomp-policy.ts';

/** No account of this number exists in the image, and none on the host is meant by it. */
const BOX_UID = 1000;
/** One inode for 4 KiB of space: what a tree of small files can use; a tmpfs inode costs kernel memory. */
const BYTES_PER_INODE = 4096;
/** Says nothing about the host, the run or packproof. */
const HOSTNAME = 'box';

/**
 * One byte, not none: no file holds less than a page, so both mean "no core file", but a host whose
 * core_pattern is a pipe (systemd-coredump, apport) ignores a limit of 0 and hands a crashed candidate's
 * memory to a root process of the host. The kernel starts no such handler at a limit of exactly 1.
 * Source: Linux, fs/coredump.c, "a special value".
 */
const CORE_BYTES = 1;

/**
 * Files under /proc that tell of the host or hand out kernel state; each is covered, so that it reads as
 * empty. Of /sys only /sys/fs stays, for the box's own cgroup: Node sizes its heap by the limit it finds
 * there, and would size it by the host's memory otherwise. Paths that a kernel lacks are left out by the
 * engines. Sources: the default lists of the engines, GHSA-6fw5-f8r9-fgfm (interrupts, thermal_throttle),
 * GHSA-jq35-85cj-fj4p (powercap).
 */
const MASKED_PATHS: readonly string[] = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/cmdline',
  '/proc/config.gz',
  '/proc/diskstats',
  '/proc/interrupts',
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/kmsg',
  '/proc/latency_stats',
  '/proc/modules',
  '/proc/partitions',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/slabinfo',
  '/proc/softirqs',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/vmallocinfo',
  '/dev/mqueue',
  '/dev/shm',
  '/sys/block',
  '/sys/bus',
  '/sys/class',
  '/sys/dev',
  '/sys/devices',
  '/sys/firmware',
  '/sys/hypervisor',
  '/sys/kernel',
  '/sys/module',
  '/sys/power',
];

const READONLY_PATHS: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
];

export interface BoundaryChoices {
  /** Whether programs may be run from the writable mounts; a suite has to ask for it. */
  readonly exec: boolean;
  /** Tighter than those of the format version, see `LIMIT_BOUNDS`; a suite has to ask for them. */
  readonly limits?: readonly BoundaryLimit[];
  /** Further writable mounts; none may lie at or below another. */
  readonly extra?: readonly WritableMount[];
}

/** The boundary of a case: the values of the format version, the same for every engine. */
export function defaultBoundary(platform: Platform, choices: BoundaryChoices): Boundary {
  const mounts = [
    toMount('/work', GRANTED_LIMITS.workBytes, choices.exec),
    toMount('/home/node', GRANTED_LIMITS.homeBytes, choices.exec),
    toMount('/tmp', GRANTED_LIMITS.tmpBytes, choices.exec),
    ...(choices.extra ?? []),
  ];
  const boundary: Boundary = {
    formatVersion: 1,
    platform,
    uid: BOX_UID,
    gid: BOX_UID,
    supplementaryGids: [],
    capabilities: [],
    noNewPrivileges: true,
    seccompSha256: digestSeccompPolicy(readSeccompPolicy()),
    network: 'none',
    rootReadOnly: true,
    mounts,
    ipc: 'none',
    cgroupNamespace: 'private',
    pidsLimit: GRANTED_LIMITS.pids,
    memoryBytes: GRANTED_LIMITS.memoryBytes,
    memorySwapBytes: GRANTED_LIMITS.memoryBytes,
    cpuMillis: GRANTED_LIMITS.cpuMillis,
    hostname: HOSTNAME,
    resourceLimits: toResourceLimits(choices.extra ?? []),
    maskedPaths: MASKED_PATHS,
    readonlyPaths: READONLY_PATHS,
  };
  return withLimits(boundary, choices.limits ?? []);
}

function toMount(path: string, sizeBytes: number, exec: boolean): WritableMount {
  const inodes = sizeBytes / BYTES_PER_INODE;
  return { path, sizeBytes, inodes, uid: BOX_UID, gid: BOX_UID, mode: '0755', exec };
}

/** Extra mounts may be larger than the usual ones, which the limit of a file's size then follows. */
function toResourceLimits(extra: readonly WritableMount[]): readonly ResourceLimit[] {
  const largest = Math.max(0, ...extra.map((mount) => mount.sizeBytes));
  return [
    { name: 'RLIMIT_CORE', value: CORE_BYTES },
    { name: 'RLIMIT_FSIZE', value: Math.max(GRANTED_LIMITS.fileSizeBytes, 2 * largest) },
    { name: 'RLIMIT_NOFILE', value: GRANTED_LIMITS.openFiles },
  ];
}
