import type { Boundary, Platform } from './boundary.ts';
import { toTrials } from './trials.ts';

/** A fact that the probe reads and tells as the kernel gives it; the measurement's parser interprets it. */
export interface FactOrder {
  readonly id: string;
  readonly operation: string;
  readonly arguments: readonly string[];
}

const ARCHITECTURES: Readonly<Record<Platform, string>> = {
  'linux/amd64': 'x86_64',
  'linux/arm64': 'aarch64',
};

/** Environment of the probe's step, all of it: whatever else it sees has leaked in. */
export const PROBE_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TZ: 'UTC',
};

/** Where the probe is started; it must come out there and nowhere else. */
export const PROBE_FOLDER = '/work';

/** How the probe is started in a box; its orders go to its stdin, which is then closed. */
export interface ProbeStep {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: Buffer;
}

/** The step that measures a box of this boundary from inside. Its stdout is what `parseMeasured` reads. */
export function toProbeStep(boundary: Boundary): ProbeStep {
  const orders = [...toFactOrders(boundary), ...toTrials(boundary)];
  return {
    argv: ['/.packproof/perl', '/.packproof/probe.pl'],
    env: PROBE_ENVIRONMENT,
    cwd: PROBE_FOLDER,
    stdin: encodeOrders(boundary.platform, orders),
  };
}

/** Orders in the probe's own line form, the architecture first. */
export function encodeOrders(platform: Platform, orders: readonly FactOrder[]): Buffer {
  const lines = [
    ['architecture', ARCHITECTURES[platform]],
    ...orders.map((order) => [order.id, order.operation, ...order.arguments]),
  ];
  return Buffer.from(lines.map((fields) => `${fields.map(escapeField).join('\t')}\n`).join(''), 'utf8');
}

function escapeField(text: string): string {
  return text.replace(/[%\t\n]/g, (character) =>
    character === '%' ? '%25' : character === '\t' ? '%09' : '%0a',
  );
}

/** Files of a cgroup's own limits, of both versions; a box shows those of one, or none. */
export const CGROUP_FILES: Readonly<Record<string, string>> = {
  'cgroup.v1.pids': '/sys/fs/cgroup/pids/pids.max',
  'cgroup.v1.memory': '/sys/fs/cgroup/memory/memory.limit_in_bytes',
  'cgroup.v1.swap': '/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes',
  'cgroup.v1.quota': '/sys/fs/cgroup/cpu/cpu.cfs_quota_us',
  'cgroup.v1.period': '/sys/fs/cgroup/cpu/cpu.cfs_period_us',
  'cgroup.v2.pids': '/sys/fs/cgroup/pids.max',
  'cgroup.v2.memory': '/sys/fs/cgroup/memory.max',
  'cgroup.v2.swap': '/sys/fs/cgroup/memory.swap.max',
  'cgroup.v2.cpu': '/sys/fs/cgroup/cpu.max',
};

/** Of the image the candidate's own files are left out: its inventory has none but files, folders and links. */
const NOT_WALKED = ['/proc', '/sys', '/opt/candidate'];

/** The facts that are read in every box. */
export function toFactOrders(boundary: Boundary): readonly FactOrder[] {
  const text = (id: string, path: string): FactOrder => ({ id, operation: 'text', arguments: [path] });
  return [
    { id: 'descriptors', operation: 'descriptors', arguments: [] },
    { id: 'folder', operation: 'link', arguments: ['/proc/self/cwd'] },
    { id: 'environment', operation: 'environment', arguments: [] },
    { id: 'zone', operation: 'zone', arguments: [] },
    text('status', '/proc/self/status'),
    text('limits', '/proc/self/limits'),
    text('mounts', '/proc/self/mountinfo'),
    text('interfaces', '/proc/net/dev'),
    text('unix-sockets', '/proc/net/unix'),
    text('hostname', '/proc/sys/kernel/hostname'),
    text('domainname', '/proc/sys/kernel/domainname'),
    text('cgroup', '/proc/self/cgroup'),
    text('holder', '/proc/1/cmdline'),
    { id: 'devices', operation: 'devices', arguments: ['/dev'] },
    { id: 'tree', operation: 'walk', arguments: ['/', ...NOT_WALKED] },
    ...Object.entries(CGROUP_FILES).map(([id, path]) => text(id, path)),
    ...boundary.mounts.map((mount) => ({
      id: `space.${mount.path}`,
      operation: 'space',
      arguments: [mount.path],
    })),
  ];
}
