import type { Boundary } from '../shape/boundary.ts';

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

/** The boundary of format version 1: nothing in it is left to a runner but platform and exec. */
export function policyOf(platform: Boundary['platform'], exec: boolean): Boundary {
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
    mounts: [mount('/work', 256, exec), mount('/home/node', 256, exec), mount('/tmp', 128, exec)],
    ipc: 'none',
    cgroupNamespace: 'private',
    pidsLimit: 256,
    memoryBytes: 2048 * MIB,
    memorySwapBytes: 2048 * MIB,
    cpuMillis: 2000,
    hostname: 'box',
    resourceLimits: [
      { name: 'RLIMIT_CORE', value: 1 },
      { name: 'RLIMIT_FSIZE', value: 512 * MIB },
      { name: 'RLIMIT_NOFILE', value: 4096 },
    ],
    maskedPaths: MASKED,
    readonlyPaths: READ_ONLY,
  };
}

function mount(path: string, mebibytes: number, exec: boolean): Boundary['mounts'][number] {
  const sizeBytes = mebibytes * MIB;
  return { path, sizeBytes, inodes: sizeBytes / 4096, uid: BOX_ID, gid: BOX_ID, mode: '0755', exec };
}
