import type { Boundary, WritableMount } from '../../boundary/boundary.ts';
import type { BoxLabels } from '../engine.ts';
import { EngineError } from '../errors.ts';

/** What a box's config.json is made from. */
export interface BoxConfigRequest {
  readonly boundary: Boundary;
  /** Absolute path of the mounted image. */
  readonly rootfs: string;
  /** The holder's command line. */
  readonly argv: readonly string[];
  readonly labels: BoxLabels;
  readonly cgroupsPath: string;
  /** `linux.seccomp` in the OCI form. */
  readonly seccomp: object;
}

/** Period over which the kernel counts a CPU quota, its own default. */
const CPU_PERIOD_US = 100_000;

const CAPABILITY_SETS = ['bounding', 'effective', 'inheritable', 'permitted', 'ambient'] as const;

/** Each a fresh one: joining none is also what keeps a container's network at `lo`. */
const NAMESPACES = ['pid', 'network', 'ipc', 'uts', 'mount', 'cgroup'] as const;

/**
 * The boundary as a runtime takes it, with every value written out.
 *
 * Writable is only what the boundary lists; /dev is a tmpfs of root's with the standard devices; there is
 * no /dev/shm and no /dev/mqueue.
 * Source: OCI runtime specification 1.0.2, config and config-linux.
 * @throws {EngineError} BOUNDARY_UNSUPPORTED
 */
export function toOciConfig(request: BoxConfigRequest): unknown {
  const { boundary } = request;
  requireSupported(boundary);
  return {
    ociVersion: '1.0.2',
    process: toProcess(request),
    root: { path: request.rootfs, readonly: boundary.rootReadOnly },
    hostname: boundary.hostname,
    mounts: [...SYSTEM_MOUNTS, ...boundary.mounts.map(toMount)],
    annotations: { 'packproof.run': request.labels.runId, 'packproof.box': request.labels.boxName },
    linux: {
      cgroupsPath: request.cgroupsPath,
      namespaces: NAMESPACES.map((type) => ({ type })),
      resources: toResources(boundary),
      seccomp: request.seccomp,
      maskedPaths: boundary.maskedPaths,
      readonlyPaths: boundary.readonlyPaths,
      rootfsPropagation: 'rprivate',
    },
  };
}

/** The same mounts as every container of Docker has, but for shm and mqueue. */
const SYSTEM_MOUNTS = [
  { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
  {
    destination: '/dev',
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
  },
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'],
  },
  { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
  {
    destination: '/sys/fs/cgroup',
    type: 'cgroup',
    source: 'cgroup',
    options: ['nosuid', 'noexec', 'nodev', 'relatime', 'ro'],
  },
] as const;

function toProcess({ boundary, argv }: BoxConfigRequest): unknown {
  return {
    terminal: false,
    user: { uid: boundary.uid, gid: boundary.gid, additionalGids: boundary.supplementaryGids, umask: 0o022 },
    args: argv,
    env: [],
    cwd: '/',
    capabilities: Object.fromEntries(CAPABILITY_SETS.map((set) => [set, boundary.capabilities])),
    rlimits: boundary.resourceLimits.map(({ name, value }) => ({ type: name, hard: value, soft: value })),
    noNewPrivileges: boundary.noNewPrivileges,
    oomScoreAdj: 0,
  };
}

function toMount(mount: WritableMount): unknown {
  return {
    destination: mount.path,
    type: 'tmpfs',
    source: 'tmpfs',
    options: [
      'rw',
      'nosuid',
      'nodev',
      mount.exec ? 'exec' : 'noexec',
      `size=${mount.sizeBytes}`,
      `nr_inodes=${mount.inodes}`,
      `uid=${mount.uid}`,
      `gid=${mount.gid}`,
      `mode=${mount.mode}`,
    ],
  };
}

function toResources(boundary: Boundary): unknown {
  return {
    // runc adds its default set of harmless devices after this.
    devices: [{ allow: false, access: 'rwm' }],
    memory: { limit: boundary.memoryBytes, swap: boundary.memorySwapBytes, disableOOMKiller: false },
    cpu: { quota: (boundary.cpuMillis * CPU_PERIOD_US) / 1000, period: CPU_PERIOD_US },
    pids: { limit: boundary.pidsLimit },
  };
}

/** The closed values of the boundary that have one translation each; a new one must not pass unseen. */
function requireSupported({ network, ipc, cgroupNamespace, capabilities }: Boundary): void {
  const wanted = [network, ipc, cgroupNamespace, `${capabilities.length} capabilities`].join(', ');
  if (wanted !== 'none, none, private, 0 capabilities') {
    throw new EngineError('BOUNDARY_UNSUPPORTED', {
      where: 'boundary',
      expected: 'network none, ipc none, cgroup namespace private, no capabilities',
      actual: wanted,
    });
  }
}
