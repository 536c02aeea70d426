import type { WritableMount } from '../../boundary/boundary.ts';
import { digestDocument } from '../../document/canonical.ts';
import type { StoredFields } from './stored-fields.ts';

/** Linux mount flag; runc stores flags as the number it gives to mount(2). */
const MS_NOEXEC = 8;

const STANDARD_DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/** A namespace of the box's own: named, and joined from nowhere. */
type NamespaceName = 'NEWPID' | 'NEWNET' | 'NEWIPC' | 'NEWUTS' | 'NEWCGROUP';

/**
 * The boundary as runc gives it back, in the names and units of the boundary comparison.
 *
 * `state` is runc's own state of the container (what it applied), `config` the stored config.json, which
 * alone keeps user, resource limits and the seccomp profile in readable form. No host path is taken over.
 */
export function toInspectView(state: StoredFields, config: StoredFields): Readonly<Record<string, unknown>> {
  const applied = state.object('config');
  const process = config.object('process');
  const mounts = applied.objects('mounts');
  const user = process.object('user');
  return {
    user: `${user.number('uid')}:${user.number('gid')}`,
    supplementaryGids: user.value('additionalGids') ?? [],
    capabilities: toCapabilities(applied.object('capabilities')),
    privileged: false,
    noNewPrivileges: applied.flag('no_new_privileges'),
    seccompFormSha256: digestSeccomp(applied, config),
    networkMode: toNetworkMode(applied),
    ipcMode: toIpcMode(applied, mounts),
    pidMode: isPrivate(applied, 'NEWPID') ? 'private' : 'host',
    utsMode: isPrivate(applied, 'NEWUTS') ? 'private' : 'host',
    cgroupNamespaceMode: isPrivate(applied, 'NEWCGROUP') ? 'private' : 'host',
    rootReadOnly: applied.flag('readonlyfs'),
    writableMounts: mounts.filter(isWritableTmpfs).map(toWritableMount),
    hostBinds: mounts.filter(isBind).map((mount) => mount.text('destination')),
    devices: applied
      .objects('devices')
      .map((device) => device.text('path'))
      .filter((path) => !STANDARD_DEVICES.includes(path)),
    ...toLimits(applied.object('cgroups')),
    hostname: applied.text('hostname'),
    resourceLimits: toResourceLimits(process),
    maskedPaths: [...applied.texts('mask_paths')].sort(),
    readonlyPaths: [...applied.texts('readonly_paths')].sort(),
  };
}

/** What runc itself tells of a box at its end, without host paths and host pids. */
export function toStateView(state: StoredFields): Readonly<Record<string, unknown>> {
  return {
    id: state.text('id'),
    created: state.text('created'),
    rootless: state.flag('rootless'),
    ociVersion: state.object('config').text('version'),
  };
}

function toCapabilities(sets: StoredFields): readonly string[] {
  const known = ['Bounding', 'Effective', 'Inheritable', 'Permitted', 'Ambient'];
  // Without the sets runc would give its own default.
  const missing = known.filter((name) => !Array.isArray(sets.value(name)));
  const given = sets.names().flatMap((name) => sets.texts(name));
  return [...new Set([...given, ...missing.map((name) => `${name} not set`)])].sort();
}

/** The profile as written; but only when runc holds a filter of as many calls for it. */
function digestSeccomp(applied: StoredFields, config: StoredFields): string {
  const isApplied = applied.object('seccomp').objects('syscalls').length > 0;
  return isApplied ? digestOnce(config.object('linux').value('seccomp')) : 'none';
}

/** Digests by JSON text: every box of a run stores the same profile of 90 rules. */
const digests = new Map<string, string>();

function digestOnce(profile: unknown): string {
  const text = JSON.stringify(profile ?? null);
  const digest = digests.get(text) ?? digestDocument(profile ?? null);
  digests.set(text, digest);
  return digest;
}

function toNetworkMode(applied: StoredFields): string {
  const kinds = applied.objects('networks').map((network) => network.text('type'));
  const onlyLoopback = kinds.every((kind) => kind === 'loopback');
  return isPrivate(applied, 'NEWNET') && onlyLoopback ? 'none' : ['host', ...kinds].join(' ');
}

/** `none` is a namespace of one's own without a shared memory or message queue file system. */
function toIpcMode(applied: StoredFields, mounts: readonly StoredFields[]): string {
  if (!isPrivate(applied, 'NEWIPC')) {
    return 'host';
  }
  const shared = mounts.some((mount) => ['/dev/shm', '/dev/mqueue'].includes(mount.text('destination')));
  return shared ? 'private' : 'none';
}

function isPrivate(applied: StoredFields, name: NamespaceName): boolean {
  return applied
    .objects('namespaces')
    .some((namespace) => namespace.text('type') === name && namespace.text('path') === '');
}

function isBind(mount: StoredFields): boolean {
  return mount.text('device') === 'bind' || mount.text('source').startsWith('/');
}

function isWritableTmpfs(mount: StoredFields): boolean {
  return mount.text('device') === 'tmpfs' && mount.text('destination') !== '/dev';
}

/** An option that is missing reads as what the kernel would do, and so differs from what was declared. */
function toWritableMount(mount: StoredFields): WritableMount {
  const options = new Map(
    mount
      .text('data')
      .split(',')
      .map((option): [string, string] => {
        const [name = '', value = ''] = option.split('=');
        return [name, value];
      }),
  );
  return {
    path: mount.text('destination'),
    sizeBytes: Number(options.get('size') ?? 0),
    inodes: Number(options.get('nr_inodes') ?? 0),
    uid: Number(options.get('uid') ?? 0),
    gid: Number(options.get('gid') ?? 0),
    mode: options.get('mode') ?? '1777',
    exec: ((mount.number('flags') ?? 0) & MS_NOEXEC) === 0,
  };
}

function toLimits(cgroups: StoredFields): Readonly<Record<string, unknown>> {
  const quota = cgroups.number('cpu_quota') ?? 0;
  const period = cgroups.number('cpu_period') ?? 0;
  return {
    pidsLimit: cgroups.number('pids_limit'),
    memoryBytes: cgroups.number('memory'),
    memorySwapBytes: cgroups.number('memory_swap'),
    cpuMillis: period > 0 ? (quota / period) * 1000 : 0,
  };
}

function toResourceLimits(process: StoredFields): readonly unknown[] {
  return process
    .objects('rlimits')
    .map((limit) => {
      const [soft, hard] = [limit.number('soft'), limit.number('hard')];
      return { name: limit.text('type'), value: soft === hard ? soft : `${soft}:${hard}` };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
