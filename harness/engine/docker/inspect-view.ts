import type { WritableMount } from '../../boundary/boundary.ts';
import { digestDocument } from '../../document/canonical.ts';
import type { Answer } from './answer.ts';

/** Options of a tmpfs by mount path, as the engine gives them back. */
export type TmpfsOptions = ReadonlyMap<string, string>;

/** Kernel spelling by Docker's. */
const RESOURCE_LIMITS: Readonly<Record<string, string>> = {
  core: 'RLIMIT_CORE',
  nofile: 'RLIMIT_NOFILE',
  fsize: 'RLIMIT_FSIZE',
};

/**
 * The boundary as the engine gives it back, in the field names and units of the boundary comparison.
 *
 * `container` is the answer of container inspect, `tmpfs` what it (or the volumes' inspect) says of the
 * writable places. A value that has no meaning in our terms is passed on as the engine wrote it, so that
 * the comparison shows it; nothing is filled in from what was asked for. No host path is taken over.
 */
export function toInspectView(container: Answer, tmpfs: TmpfsOptions): Readonly<Record<string, unknown>> {
  const config = container.object('Config');
  const host = container.object('HostConfig');
  const security = host.texts('SecurityOpt');
  return {
    user: config.text('User'),
    supplementaryGids: host.texts('GroupAdd').map(toNumberOrText),
    capabilities: toCapabilities(host),
    privileged: host.flag('Privileged'),
    noNewPrivileges: security.some((option) => /^no-new-privileges(:true|=true)?$/.test(option)),
    seccompFormSha256: digestSeccomp(security),
    networkMode: host.text('NetworkMode'),
    ipcMode: host.text('IpcMode'),
    pidMode: host.optionalText('PidMode') ?? 'private',
    utsMode: host.optionalText('UTSMode') ?? 'private',
    cgroupNamespaceMode: host.text('CgroupnsMode'),
    rootReadOnly: host.flag('ReadonlyRootfs'),
    writableMounts: [...tmpfs].map(([path, options]) => parseTmpfs(path, options)),
    hostBinds: toHostBinds(container, host),
    devices: toDevices(host),
    ...toLimits(host),
    hostname: config.text('Hostname'),
    maskedPaths: [...host.texts('MaskedPaths')].sort(),
    readonlyPaths: [...host.texts('ReadonlyPaths')].sort(),
  };
}

/** Tmpfs options of the box's own mounts, in the order of `paths`, then any that were not asked for. */
export function readTmpfs(container: Answer, paths: readonly string[]): TmpfsOptions {
  const tmpfs = container.object('HostConfig').optionalObject('Tmpfs');
  const found = Object.keys(tmpfs.value);
  const ordered = [
    ...paths.filter((path) => found.includes(path)),
    ...found.filter((p) => !paths.includes(p)),
  ];
  return new Map(ordered.map((path) => [path, tmpfs.text(path)]));
}

/** How the box ended, in the engine's own words. */
export function toEndView(container: Answer): Readonly<Record<string, unknown>> {
  const state = container.object('State').value;
  const { Status, ExitCode, OOMKilled, Error: message, StartedAt, FinishedAt } = state;
  return { Status, ExitCode, OOMKilled, Error: message, StartedAt, FinishedAt, Image: container.value.Image };
}

function toNumberOrText(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Empty only when all are dropped and none is added; else what is known of the rest. */
function toCapabilities(host: Answer): readonly string[] {
  const dropsAll = host.texts('CapDrop').some((name) => /^(CAP_)?ALL$/i.test(name));
  return [...host.texts('CapAdd'), ...(dropsAll ? [] : ['engine default'])].sort();
}

function digestSeccomp(security: readonly string[]): string {
  const option = security.find((text) => /^seccomp[=:]/.test(text));
  const profile = option?.slice('seccomp='.length) ?? 'engine default';
  try {
    const value: unknown = JSON.parse(profile);
    return digestDocument(value);
  } catch {
    return profile;
  }
}

/** Destinations only. Volumes of type tmpfs are no binds of the host; every other mount of any kind is. */
function toHostBinds(container: Answer, host: Answer): readonly string[] {
  const mounts = container
    .list('Mounts')
    .filter((mount) => !(mount.text('Type') === 'volume' && mount.optionalText('Driver') === 'local'))
    .filter((mount) => mount.text('Type') !== 'tmpfs')
    .map((mount) => mount.text('Destination'));
  const binds = host.texts('Binds').map((bind) => bind.split(':')[1] ?? bind);
  return [...new Set([...mounts, ...binds, ...host.texts('VolumesFrom')])].sort();
}

function toDevices(host: Answer): readonly string[] {
  const devices = host.list('Devices').map((device) => device.text('PathInContainer'));
  const requests = host.list('DeviceRequests').map((request) => `request ${request.optionalText('Driver')}`);
  return [...devices, ...requests, ...host.texts('DeviceCgroupRules')].sort();
}

function toLimits(host: Answer): Readonly<Record<string, unknown>> {
  const nanoCpus = host.integer('NanoCpus');
  const period = host.integer('CpuPeriod');
  const limits = host.list('Ulimits').map((limit) => {
    const name = RESOURCE_LIMITS[limit.text('Name')] ?? limit.text('Name');
    const [soft, hard] = [limit.integer('Soft'), limit.integer('Hard')];
    return { name, value: soft === hard ? soft : `${soft}:${hard}` };
  });
  return {
    pidsLimit: host.value.PidsLimit,
    memoryBytes: host.integer('Memory'),
    memorySwapBytes: host.integer('MemorySwap'),
    cpuMillis: nanoCpus > 0 ? nanoCpus / 1e6 : period > 0 ? (host.integer('CpuQuota') / period) * 1000 : 0,
    resourceLimits: limits.sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}

/** A missing option becomes what the kernel would do, so that it differs from what was declared. */
function parseTmpfs(path: string, options: string): WritableMount {
  const words = options.split(',');
  const value = (key: string): number => {
    const word = words.find((candidate) => candidate.startsWith(`${key}=`));
    return word === undefined ? 0 : Number(word.slice(key.length + 1));
  };
  const mode = words.find((word) => word.startsWith('mode='))?.slice('mode='.length) ?? '1777';
  return {
    path,
    sizeBytes: value('size'),
    inodes: value('nr_inodes'),
    uid: value('uid'),
    gid: value('gid'),
    mode,
    exec: !words.includes('noexec'),
  };
}

/**
 * The same for volumes: their mount options by destination. A volume of another type shows its type
 * instead of options, so that it cannot be taken for a tmpfs.
 */
export function readVolumes(container: Answer, volumes: Answer, paths: readonly string[]): TmpfsOptions {
  const options = new Map(
    volumes.list('Volumes').map((volume): [string, string] => {
      const given = volume.optionalObject('Options');
      const isTmpfs = given.optionalText('type') === 'tmpfs';
      return [volume.text('Name'), isTmpfs ? (given.optionalText('o') ?? '') : 'no tmpfs'];
    }),
  );
  const found = new Map(
    container
      .list('Mounts')
      .filter((mount) => mount.text('Type') === 'volume')
      .map((mount): [string, string] => [
        mount.text('Destination'),
        options.get(mount.optionalText('Name') ?? '') ?? 'no volume of ours',
      ]),
  );
  return new Map([
    ...paths.filter((path) => found.has(path)).map((path) => [path, found.get(path) ?? ''] as const),
    ...found,
  ]);
}
