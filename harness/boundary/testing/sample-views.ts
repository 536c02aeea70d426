import { digestDocument } from '../../document/canonical.ts';
import type { Boundary } from '../boundary.ts';
import { type BoundaryEngineView, toExpectedInspect } from '../engine-view.ts';
import type { MeasuredBoundary, MeasuredMount } from '../measured.ts';
import { PROBE_ENVIRONMENT, PROBE_FOLDER } from '../probe-orders.ts';
import { toDockerSeccomp } from '../seccomp-forms.ts';
import { readSeccompPolicy } from '../seccomp-policy.ts';
import { toTrials } from '../trials.ts';

/** The masked and read-only paths that the sample kernel does not have. */
const ABSENT = ['/proc/asound', '/proc/scsi'];

const LOCKED = ['nosuid', 'nodev', 'noexec'];

/** Views of an honest engine and an honest kernel, written out from what both showed on a real machine. */
export function sampleViews(boundary: Boundary): {
  readonly engine: BoundaryEngineView;
  readonly measured: MeasuredBoundary;
} {
  return { engine: sampleEngineView(boundary), measured: sampleMeasured(boundary) };
}

function sampleEngineView(boundary: Boundary): BoundaryEngineView {
  const form = toDockerSeccomp(readSeccompPolicy(), boundary.platform);
  return {
    inspect: { ...toExpectedInspect(boundary), seccompFormSha256: digestDocument(form) },
    status: sampleStatus('1000'),
    mounts: sampleMounts(boundary),
    namespaces: {
      cgroup: 'private',
      ipc: 'private',
      mnt: 'private',
      net: 'private',
      pid: 'private',
      time: 'host',
      user: 'host',
      uts: 'private',
    },
    limits: {
      pids: boundary.pidsLimit,
      memoryBytes: boundary.memoryBytes,
      memorySwapBytes: boundary.memorySwapBytes,
      cpuMillis: boundary.cpuMillis,
    },
  };
}

function sampleStatus(groups: string): Readonly<Record<string, string>> {
  const none = '0000000000000000';
  return {
    Uid: '1000 1000 1000 1000',
    Gid: '1000 1000 1000 1000',
    Groups: groups,
    CapInh: none,
    CapPrm: none,
    CapEff: none,
    CapBnd: none,
    CapAmb: none,
    NoNewPrivs: '1',
    Seccomp: '2',
  };
}

function sampleMounts(boundary: Boundary): readonly MeasuredMount[] {
  const mount = (path: string, type: string, options: readonly string[]): MeasuredMount => ({
    path,
    type,
    options,
  });
  const present = (path: string) => !ABSENT.includes(path);
  return [
    mount('/', 'overlay', ['ro']),
    mount('/proc', 'proc', ['rw', ...LOCKED]),
    mount('/dev', 'tmpfs', ['rw', 'nosuid']),
    mount('/dev/pts', 'devpts', ['rw', 'nosuid', 'noexec']),
    mount('/sys', 'sysfs', ['ro', ...LOCKED]),
    mount('/sys/fs/cgroup', 'tmpfs', ['rw', ...LOCKED]),
    mount('/sys/fs/cgroup/memory', 'cgroup', ['ro', ...LOCKED]),
    // Below the cover that follows: not to be seen, so not to be judged.
    mount('/dev/mqueue', 'mqueue', ['rw']),
    mount('/etc/hostname', 'ext4', ['ro']),
    ...boundary.mounts.map(({ path, sizeBytes, inodes, exec }) =>
      mount(path, 'tmpfs', [
        'rw',
        ...LOCKED.filter((option) => !(exec && option === 'noexec')),
        `size=${sizeBytes / 1024}k`,
        `nr_inodes=${inodes}`,
        'mode=755',
        'uid=1000',
        'gid=1000',
      ]),
    ),
    ...boundary.readonlyPaths.filter(present).map((path) => mount(path, 'proc', ['ro'])),
    ...boundary.maskedPaths
      .filter(present)
      .map((path) =>
        path === '/proc/keys' ? mount(path, 'tmpfs', ['rw', 'nosuid']) : mount(path, 'tmpfs', ['ro']),
      ),
  ];
}

function sampleMeasured(boundary: Boundary): MeasuredBoundary {
  const outcomes = toTrials(boundary).map(({ id, accepts }): [string, string] => {
    const isAbsent = ABSENT.some((path) => id === `read.${path}` || id === `chmod.${path}`);
    return [id, isAbsent ? 'refused ENOENT' : (accepts[0] ?? '')];
  });
  const engine = sampleEngineView(boundary);
  return {
    formatVersion: 1,
    platform: boundary.platform,
    status: sampleStatus(''),
    mounts: sampleMounts(boundary),
    spaces: boundary.mounts.map(({ path, sizeBytes, inodes }) => ({ path, sizeBytes, inodes })),
    resourceLimits: boundary.resourceLimits.map(({ name, value }) => ({ name, soft: value, hard: value })),
    limits: engine.limits ?? { pids: null, memoryBytes: null, memorySwapBytes: null, cpuMillis: null },
    interfaces: ['lo'],
    unixSockets: [],
    setIdFiles: [],
    cgroupPaths: ['/'],
    hostname: boundary.hostname,
    domainname: '(none)',
    devices: [
      'character-device 1:3 /dev/null',
      'character-device 1:5 /dev/zero',
      'character-device 1:7 /dev/full',
      'character-device 1:8 /dev/random',
      'character-device 1:9 /dev/urandom',
      'character-device 5:0 /dev/tty',
      'character-device 5:2 /dev/pts/ptmx',
      'directory - /dev/pts',
      'symlink - /dev/fd',
    ],
    descriptors: ['0 pipe', '1 pipe', '2 pipe'],
    workingFolder: PROBE_FOLDER,
    environment: PROBE_ENVIRONMENT,
    localTimeIsUtc: true,
    holder: ['/.packproof/perl', '/.packproof/holder.pl'],
    outcomes: Object.fromEntries(outcomes),
  };
}
