import type { Boundary } from '../shape/boundary.ts';
import type { Kind } from './kind.ts';

// The values of format version 1, stated here once more: a runner that relaxed its policy must not find its
// own values on the other side of the comparison.

const MIB = 1024 * 1024;
const BOX_ID = 1000;

/** sha256 of the canonical bytes of the one seccomp policy of this format version. */
const SECCOMP_SHA256 = '252f49a56049dac182b56a944e9e6f8c893ad3852ca60c97616355b9ffb0e1e4';

const MASKED = [
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
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/**
 * The boundary of format version 1: nothing in it is left to a runner but the platform, and to a suite but
 * whether its cases execute what they write and which limits they make tighter.
 */
export function policyOf(platform: Boundary['platform'], { exec, limits }: Kind): Boundary {
  const chosen = new Map(limits.map(({ name, value }) => [name, value]));
  const memoryBytes = chosen.get('memoryBytes') ?? 2048 * MIB;
  return {
    formatVersion: 1,
    platform,
    uid: BOX_ID,
    gid: BOX_ID,
    supplementaryGids: [],
    capabilities: [],
    noNewPrivileges: true,
    seccompSha256: SECCOMP_SHA256,
    network: 'none',
    rootReadOnly: true,
    mounts: [
      mount('/work', chosen.get('workBytes') ?? 256 * MIB, exec),
      mount('/home/node', chosen.get('homeBytes') ?? 256 * MIB, exec),
      mount('/tmp', chosen.get('tmpBytes') ?? 128 * MIB, exec),
    ],
    ipc: 'none',
    cgroupNamespace: 'private',
    pidsLimit: chosen.get('pids') ?? 256,
    memoryBytes,
    memorySwapBytes: memoryBytes,
    cpuMillis: chosen.get('cpuMillis') ?? 2000,
    hostname: 'box',
    resourceLimits: [
      { name: 'RLIMIT_CORE', value: 1 },
      { name: 'RLIMIT_FSIZE', value: chosen.get('fileSizeBytes') ?? 512 * MIB },
      { name: 'RLIMIT_NOFILE', value: chosen.get('openFiles') ?? 4096 },
    ],
    maskedPaths: MASKED,
    readonlyPaths: READ_ONLY,
  };
}

function mount(path: string, sizeBytes: number, exec: boolean): Boundary['mounts'][number] {
  return { path, sizeBytes, inodes: sizeBytes / 4096, uid: BOX_ID, gid: BOX_ID, mode: '0755', exec };
}
