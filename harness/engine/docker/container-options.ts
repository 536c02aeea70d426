import type { ContainerCreateOptions, HostConfig, MountConfig } from 'dockerode';
import type { Boundary, WritableMount } from '../../boundary/boundary.ts';
import type { EvidenceWay } from '../engine.ts';

export interface ContainerRequest {
  readonly imageId: string;
  readonly boundary: Boundary;
  /** The policy in Docker's own JSON form, as text. */
  readonly seccomp: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Program and arguments of process 1. */
  readonly holderArgv: readonly string[];
  readonly evidenceWay: EvidenceWay;
  readonly cgroupVersion: 1 | 2;
}

/** Microseconds; the kernel's own default period of the CPU controller. */
const CPU_PERIOD_US = 100_000;

const RESOURCE_LIMIT_NAMES: Readonly<Record<Boundary['resourceLimits'][number]['name'], string>> = {
  RLIMIT_CORE: 'core',
  RLIMIT_NOFILE: 'nofile',
  RLIMIT_FSIZE: 'fsize',
};

/**
 * Translates the whole boundary into one create call. Every field that widens a box is spelled out, also
 * where the value is Docker's default today: a daemon's configuration can change most defaults.
 *
 * The image's own config has no say: user, environment, entry point, command, folder and health check
 * are all given.
 */
export function toContainerOptions(request: ContainerRequest): ContainerCreateOptions {
  const { boundary } = request;
  return {
    Image: request.imageId,
    Labels: { ...request.labels },
    Hostname: boundary.hostname,
    Domainname: '',
    User: `${boundary.uid}:${boundary.gid}`,
    Env: [],
    Entrypoint: [...request.holderArgv],
    Cmd: [],
    WorkingDir: '/',
    Healthcheck: { Test: ['NONE'] },
    // Attached from before the start and cut with the client: a box whose packproof died sees its control
    // stream end. With a terminal both streams would be one and bytes would be rewritten.
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    // Saves the engine the sandbox it would otherwise build for `none` (90 to 105 ms a box).
    NetworkDisabled: true,
    StopSignal: 'SIGKILL',
    HostConfig: toHostConfig(request),
  };
}

function toHostConfig(request: ContainerRequest): HostConfig {
  return {
    ...toPrivileges(request),
    ...toLimits(request),
    ...toNamespaces(),
    ...toMounts(request),
    AutoRemove: false,
    Init: false,
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
  };
}

function toPrivileges({ boundary, seccomp }: ContainerRequest): HostConfig {
  return {
    Privileged: false,
    CapAdd: [...boundary.capabilities],
    CapDrop: ['ALL'],
    GroupAdd: boundary.supplementaryGids.map(String),
    SecurityOpt: [...(boundary.noNewPrivileges ? ['no-new-privileges'] : []), `seccomp=${seccomp}`],
    Devices: [],
    DeviceCgroupRules: [],
    DeviceRequests: [],
    Sysctls: {},
    MaskedPaths: [...boundary.maskedPaths],
    ReadonlyPaths: [...boundary.readonlyPaths],
  };
}

function toLimits({ boundary, cgroupVersion }: ContainerRequest): HostConfig {
  return {
    PidsLimit: boundary.pidsLimit,
    Memory: boundary.memoryBytes,
    MemorySwap: boundary.memorySwapBytes,
    OomKillDisable: false,
    OomScoreAdj: 0,
    // A quota instead of NanoCpus, which an engine refuses when its machine has fewer processors.
    CpuPeriod: CPU_PERIOD_US,
    CpuQuota: (boundary.cpuMillis * CPU_PERIOD_US) / 1000,
    Ulimits: boundary.resourceLimits.map(({ name, value }) => ({
      Name: RESOURCE_LIMIT_NAMES[name],
      Soft: value,
      Hard: value,
    })),
    // The second hierarchy has no swappiness of its own, and engines warn when it is given.
    ...(cgroupVersion === 1 ? { MemorySwappiness: 0 } : {}),
  };
}

function toNamespaces(): HostConfig & { readonly CgroupnsMode: string } {
  return {
    NetworkMode: 'none',
    IpcMode: 'none',
    PidMode: '',
    UTSMode: '',
    UsernsMode: '',
    CgroupnsMode: 'private',
    PublishAllPorts: false,
    PortBindings: {},
    Links: [],
    ExtraHosts: [],
    Dns: [],
    DnsOptions: [],
    DnsSearch: [],
  };
}

/**
 * Read from the host, writable places are tmpfs mounts of the box alone. Read through the engine, they are
 * anonymous local volumes of type tmpfs, because the archive call does not see a box's own tmpfs mounts.
 */
function toMounts({ boundary, evidenceWay, labels }: ContainerRequest): HostConfig {
  const common = { ReadonlyRootfs: boundary.rootReadOnly, Binds: [], VolumesFrom: [] };
  if (evidenceWay === 'host') {
    const tmpfs = boundary.mounts.map((mount) => [mount.path, ['rw', ...toTmpfsOptions(mount)].join(',')]);
    return { ...common, Mounts: [], Tmpfs: Object.fromEntries(tmpfs) };
  }
  const mounts: MountConfig = boundary.mounts.map((mount) => ({
    Type: 'volume',
    Source: '',
    Target: mount.path,
    ReadOnly: false,
    VolumeOptions: {
      // Else the engine copies what the image holds there, with its owner.
      NoCopy: true,
      Labels: { ...labels },
      DriverConfig: {
        Name: 'local',
        Options: { type: 'tmpfs', device: 'tmpfs', o: toTmpfsOptions(mount).join(',') },
      },
    },
  }));
  return { ...common, Mounts: mounts, Tmpfs: {} };
}

function toTmpfsOptions(mount: WritableMount): readonly string[] {
  return [
    'nosuid',
    'nodev',
    mount.exec ? 'exec' : 'noexec',
    `size=${mount.sizeBytes}`,
    `nr_inodes=${mount.inodes}`,
    `uid=${mount.uid}`,
    `gid=${mount.gid}`,
    `mode=${mount.mode}`,
  ];
}
