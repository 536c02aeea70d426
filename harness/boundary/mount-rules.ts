import type { Boundary, WritableMount } from './boundary.ts';
import type { MeasuredMount } from './measured.ts';

/** What a mount of a box must look like. */
export interface MountRule {
  /** Types of file system; empty where every one will do. */
  readonly types: readonly string[];
  readonly options: readonly string[];
  readonly forbidden: readonly string[];
  readonly needed: boolean;
  /** A path whose mount it may be a part of instead, told by having the very same options. */
  readonly orPartOf?: string;
}

const LOCKED = ['nosuid', 'nodev', 'noexec'];

/** Mounts that every box has, and those that an engine may add. */
const SYSTEM_RULES: Readonly<Record<string, MountRule>> = {
  '/': readOnly([]),
  '/proc': rule(['proc'], LOCKED),
  '/dev': rule(['tmpfs'], ['nosuid']),
  '/dev/pts': rule(['devpts'], ['nosuid', 'noexec']),
  '/sys': readOnly(['sysfs'], LOCKED),
  '/sys/fs/cgroup': rule(['tmpfs', 'cgroup2'], LOCKED),
  // Docker's own files about the name of the box; never writable, and neutral by the declared hostname.
  '/etc/hostname': { ...readOnly([]), needed: false },
  '/etc/hosts': { ...readOnly([]), needed: false },
  '/etc/resolv.conf': { ...readOnly([]), needed: false },
};

const CGROUP_CONTROLLER = /^\/sys\/fs\/cgroup\/[a-z_,=]+$/;

/**
 * The rule for each path at which this boundary has or may have a mount.
 *
 * `absent` names masked and read-only paths that this kernel does not have; the others must be covered.
 */
export function toMountRules(
  boundary: Boundary,
  absent: ReadonlySet<string>,
): ReadonlyMap<string, MountRule> {
  const needed = (path: string) => !absent.has(path);
  return new Map([
    ...Object.entries(SYSTEM_RULES),
    ...boundary.readonlyPaths.map((path): [string, MountRule] => [
      path,
      { ...readOnly(['proc', 'sysfs']), needed: needed(path) },
    ]),
    // A folder is covered by an empty read-only tmpfs, a file by the box's own /dev/null.
    ...boundary.maskedPaths.map((path): [string, MountRule] => [
      path,
      { ...readOnly(['tmpfs']), needed: needed(path), orPartOf: '/dev' },
    ]),
    ...boundary.mounts.map((mount): [string, MountRule] => [mount.path, toWritableRule(mount)]),
  ]);
}

/** The rule for a mount that the boundary does not name, or null when it must not be there. */
export function findUnnamedRule(path: string): MountRule | null {
  return CGROUP_CONTROLLER.test(path) ? readOnly(['cgroup', 'cgroup2'], LOCKED) : null;
}

function rule(types: readonly string[], options: readonly string[]): MountRule {
  return { types, options, forbidden: [], needed: true };
}

function readOnly(types: readonly string[], options: readonly string[] = []): MountRule {
  return rule(types, ['ro', ...options]);
}

/** In the words in which the kernel shows a tmpfs; it leaves out what is its own default. */
function toWritableRule(mount: WritableMount): MountRule {
  const mode = Number.parseInt(mount.mode, 8);
  return {
    types: ['tmpfs'],
    options: [
      'rw',
      'nosuid',
      'nodev',
      ...(mount.exec ? [] : ['noexec']),
      `size=${mount.sizeBytes / 1024}k`,
      `nr_inodes=${mount.inodes}`,
      ...(mode === 0o1777 ? [] : [`mode=${mode.toString(8)}`]),
      ...(mount.uid === 0 ? [] : [`uid=${mount.uid}`]),
      ...(mount.gid === 0 ? [] : [`gid=${mount.gid}`]),
    ],
    forbidden: mount.exec ? ['ro', 'noexec'] : ['ro'],
    needed: true,
  };
}

/** Of several mounts at one path only the last is seen. */
export function visibleMounts(mounts: readonly MeasuredMount[]): ReadonlyMap<string, MeasuredMount> {
  return new Map(mounts.map((mount) => [mount.path, mount]));
}
