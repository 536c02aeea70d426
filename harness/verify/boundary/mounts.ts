import type { Findings } from '../finding.ts';
import type { Boundary } from '../shape/boundary.ts';
import type { MountRecord } from '../shape/receipt.ts';

interface Rule {
  /** Empty: any type. */
  readonly types: readonly string[];
  readonly options: readonly string[];
  readonly never: readonly string[];
  readonly needed: boolean;
}

const LOCKED = ['nosuid', 'nodev', 'noexec'];

function rule(types: readonly string[], options: readonly string[], needed = true): Rule {
  return { types, options, never: [], needed };
}

/** What every box has, and the files about a box's own name that an engine may lay over the image's. */
const SYSTEM: Readonly<Record<string, Rule>> = {
  '/': rule([], ['ro']),
  '/proc': rule(['proc'], LOCKED),
  '/dev': rule(['tmpfs'], ['nosuid']),
  '/dev/pts': rule(['devpts'], ['nosuid', 'noexec']),
  '/sys': rule(['sysfs'], ['ro', ...LOCKED]),
  '/sys/fs/cgroup': rule(['tmpfs', 'cgroup2'], LOCKED),
  '/etc/hostname': rule([], ['ro'], false),
  '/etc/hosts': rule([], ['ro'], false),
  '/etc/resolv.conf': rule([], ['ro'], false),
};
const CONTROLLER = /^\/sys\/fs\/cgroup\/[a-z_,=]+$/;
const CONTROLLER_RULE = rule(['cgroup', 'cgroup2'], ['ro', ...LOCKED], false);

/** The mount table of a box, from either side: what must be there is, as it must be, and nothing else. */
export function checkMounts(
  mounts: readonly MountRecord[],
  place: { readonly boundary: Boundary; readonly absentPaths: ReadonlySet<string> },
  at: string,
  findings: Findings,
): void {
  const { boundary, absentPaths } = place;
  // Of several mounts at one path only the last is seen.
  const visible = new Map(mounts.map((mount) => [mount.path, mount]));
  const device = visible.get('/dev');
  const rules = new Map<string, Rule>(Object.entries(SYSTEM));
  for (const path of boundary.readonlyPaths)
    rules.set(path, rule(['proc', 'sysfs'], ['ro'], !absentPaths.has(path)));
  for (const path of boundary.maskedPaths) rules.set(path, rule(['tmpfs'], ['ro'], !absentPaths.has(path)));
  for (const mount of boundary.mounts) rules.set(mount.path, writableRule(mount));
  for (const [path, { needed }] of rules) {
    if (needed && !visible.has(path)) findings.add('BOUNDARY_MOUNTS', `${at} ${path}`, 'a mount', 'nothing');
  }
  for (const mount of visible.values()) {
    const { path } = mount;
    const wanted = rules.get(path) ?? (CONTROLLER.test(path) ? CONTROLLER_RULE : null);
    if (wanted === null) findings.add('BOUNDARY_MOUNTS', `${at} ${path}`, 'no mount', mount.type);
    // A masked file is covered by the box's own /dev/null, which is a part of /dev.
    else if (!(boundary.maskedPaths.includes(path) && isPartOf(mount, device))) {
      checkMount(mount, wanted, at, findings);
    }
  }
}

function isPartOf(mount: MountRecord, whole: MountRecord | undefined): boolean {
  return whole?.type === mount.type && whole.options.join() === mount.options.join();
}

function checkMount(
  { path, type, options }: MountRecord,
  wanted: Rule,
  at: string,
  findings: Findings,
): void {
  const isOfType = wanted.types.length === 0 || wanted.types.includes(type);
  if (!isOfType) findings.add('BOUNDARY_MOUNTS', `${at} ${path} type`, wanted.types.join(' or '), type);
  const fits =
    wanted.options.every((option) => options.includes(option)) &&
    !wanted.never.some((option) => options.includes(option));
  if (!fits)
    findings.add('BOUNDARY_MOUNTS', `${at} ${path} options`, wanted.options.join(','), options.join(','));
}

/** As the kernel words a tmpfs: sizes in KiB, a mode without its zeros, no owner that is root. */
function writableRule({
  path: _path,
  exec,
  mode,
  sizeBytes,
  inodes,
  uid,
  gid,
}: Boundary['mounts'][number]): Rule {
  const bits = Number.parseInt(mode, 8);
  return {
    types: ['tmpfs'],
    options: [
      'rw',
      'nosuid',
      'nodev',
      ...(exec ? [] : ['noexec']),
      `size=${sizeBytes / 1024}k`,
      `nr_inodes=${inodes}`,
      ...(bits === 0o1777 ? [] : [`mode=${bits.toString(8)}`]),
      ...(uid === 0 ? [] : [`uid=${uid}`]),
      ...(gid === 0 ? [] : [`gid=${gid}`]),
    ],
    never: exec ? ['ro', 'noexec'] : ['ro'],
    needed: true,
  };
}
