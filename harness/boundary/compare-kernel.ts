import type { Boundary } from './boundary.ts';
import type { BoundaryEngineView } from './engine-view.ts';
import { showValue } from './field-reader.ts';
import type { BoundaryFinding, BoundaryFindingCode } from './finding.ts';
import { type MeasuredMount, STATUS_FIELDS } from './measured.ts';
import { findUnnamedRule, type MountRule, toMountRules, visibleMounts } from './mount-rules.ts';

/** Whose eyes saw it; the first word of the finding's code. */
export type KernelViewName = 'OUTSIDE' | 'MEASURED';

type StatusCode =
  | 'USER'
  | 'GROUP'
  | 'GROUPS'
  | 'CAPABILITIES'
  | 'NO_NEW_PRIVILEGES'
  | 'SECCOMP'
  | 'STATUS_UNKNOWN';

/** What the kernel shows of a box from outside; parts that this host cannot read are null. */
export function compareKernelView(
  declared: Boundary,
  view: BoundaryEngineView,
  absentPaths: ReadonlySet<string>,
): readonly BoundaryFinding[] {
  return [
    ...(view.status === null ? [] : compareStatus(declared, view.status, 'OUTSIDE')),
    ...(view.mounts === null ? [] : compareMounts(declared, view.mounts, { name: 'OUTSIDE', absentPaths })),
    ...(view.namespaces === null ? [] : compareNamespaces(view.namespaces)),
    ...(view.limits === null ? [] : compareLimits(declared, view.limits, 'OUTSIDE')),
  ];
}

const STATUS_CODES: Readonly<Record<string, readonly [StatusCode, keyof Boundary]>> = {
  Uid: ['USER', 'uid'],
  Gid: ['GROUP', 'gid'],
  Groups: ['GROUPS', 'supplementaryGids'],
  CapInh: ['CAPABILITIES', 'capabilities'],
  CapPrm: ['CAPABILITIES', 'capabilities'],
  CapEff: ['CAPABILITIES', 'capabilities'],
  CapBnd: ['CAPABILITIES', 'capabilities'],
  CapAmb: ['CAPABILITIES', 'capabilities'],
  NoNewPrivs: ['NO_NEW_PRIVILEGES', 'noNewPrivileges'],
  Seccomp: ['SECCOMP', 'seccompSha256'],
};

/** SECCOMP_MODE_FILTER in a status file. */
const FILTER_MODE = '2';
const NO_CAPABILITIES = '0000000000000000';

/** Fields of a status file, from either side. */
export function compareStatus(
  declared: Boundary,
  status: Readonly<Record<string, string>>,
  view: KernelViewName,
): readonly BoundaryFinding[] {
  const expected = toExpectedStatus(declared);
  return [...new Set([...STATUS_FIELDS, ...Object.keys(status)])].flatMap((field): BoundaryFinding[] => {
    const accepted = expected[field];
    const actual = status[field];
    if (accepted !== undefined && actual !== undefined && accepted.includes(actual)) return [];
    const [code, declaredField] = STATUS_CODES[field] ?? (['STATUS_UNKNOWN', 'uid'] as const);
    return [
      {
        code: `${view}_${code}`,
        path: `boundary.${declaredField}.${field}`,
        expected: accepted?.join(' or ') ?? 'no such field',
        actual: showValue(actual),
      },
    ];
  });
}

function toExpectedStatus(declared: Boundary): Readonly<Record<string, readonly string[]>> {
  const { uid, gid, supplementaryGids } = declared;
  const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
  return {
    Uid: [Array(4).fill(uid).join(' ')],
    Gid: [Array(4).fill(gid).join(' ')],
    // Engines since CVE-2022-36109 repeat the group itself among the supplementary ones.
    Groups: [supplementaryGids.join(' '), [gid, ...supplementaryGids].sort(byNumber).join(' ')],
    ...Object.fromEntries(sets.map((name) => [name, [NO_CAPABILITIES]])),
    NoNewPrivs: [declared.noNewPrivileges ? '1' : '0'],
    Seccomp: [FILTER_MODE],
  };
}

function byNumber(one: number, other: number): number {
  return one - other;
}

/** The mount table, from either side: what must be there is, as it must be, and nothing else. */
export function compareMounts(
  declared: Boundary,
  mounts: readonly MeasuredMount[],
  view: { readonly name: KernelViewName; readonly absentPaths: ReadonlySet<string> },
): readonly BoundaryFinding[] {
  const rules = toMountRules(declared, view.absentPaths);
  const visible = visibleMounts(mounts);
  const missing = [...rules]
    .filter(([path, rule]) => rule.needed && !visible.has(path))
    .map(([path, rule]) =>
      mountFinding(`${view.name}_MOUNT_MISSING`, path, rule.options.join(',') || 'a mount', 'nothing'),
    );
  const wrong = [...visible.values()].flatMap((mount) => {
    const rule = rules.get(mount.path) ?? findUnnamedRule(mount.path);
    if (rule === null) {
      return [mountFinding(`${view.name}_MOUNT_UNEXPECTED`, mount.path, 'no mount', mount.type)];
    }
    return compareMount(mount, rule, { name: view.name, visible });
  });
  return [...missing, ...wrong];
}

function compareMount(
  mount: MeasuredMount,
  rule: MountRule,
  view: { readonly name: KernelViewName; readonly visible: ReadonlyMap<string, MeasuredMount> },
): readonly BoundaryFinding[] {
  const { path, type, options } = mount;
  const whole = rule.orPartOf === undefined ? undefined : view.visible.get(rule.orPartOf);
  if (whole !== undefined && whole.type === type && whole.options.join() === options.join()) return [];
  const isOfType = rule.types.length === 0 || rule.types.includes(type);
  const missing = rule.options.filter((option) => !options.includes(option));
  const forbidden = rule.forbidden.filter((option) => options.includes(option));
  return [
    ...(isOfType ? [] : [mountFinding(`${view.name}_MOUNT_TYPE`, path, rule.types.join(' or '), type)]),
    ...(missing.length + forbidden.length === 0
      ? []
      : [mountFinding(`${view.name}_MOUNT_OPTIONS`, path, rule.options.join(','), options.join(','))]),
  ];
}

function mountFinding(
  code: BoundaryFindingCode,
  ...[path, expected, actual]: readonly [string, string, string]
): BoundaryFinding {
  return { code, path: `boundary.mounts.${path}`, expected, actual };
}

const PRIVATE_NAMESPACES: Readonly<Record<string, keyof Boundary>> = {
  cgroup: 'cgroupNamespace',
  ipc: 'ipc',
  mnt: 'mounts',
  net: 'network',
  pid: 'pidsLimit',
  uts: 'hostname',
};
/** A box may have its own, for which a boundary does not ask: both only make it tighter. */
const FREE_NAMESPACES = ['time', 'user'];

function compareNamespaces(
  namespaces: NonNullable<BoundaryEngineView['namespaces']>,
): readonly BoundaryFinding[] {
  const names = [...new Set([...Object.keys(PRIVATE_NAMESPACES), ...Object.keys(namespaces)])];
  return names
    .filter((name) => !FREE_NAMESPACES.includes(name))
    .filter((name) => PRIVATE_NAMESPACES[name] === undefined || namespaces[name] !== 'private')
    .map((name) => ({
      code: 'OUTSIDE_NAMESPACE',
      path: `boundary.${PRIVATE_NAMESPACES[name] ?? 'namespaces'}.${name}`,
      expected: PRIVATE_NAMESPACES[name] === undefined ? 'no such namespace' : 'private',
      actual: namespaces[name] ?? 'nothing',
    }));
}

const LIMIT_CODES = [
  ['pids', 'PIDS', 'pidsLimit'],
  ['memoryBytes', 'MEMORY', 'memoryBytes'],
  ['memorySwapBytes', 'MEMORY_SWAP', 'memorySwapBytes'],
  ['cpuMillis', 'CPU', 'cpuMillis'],
] as const;

/** Limits in force, from either side; null is "not shown", for which the caller has a rule of its own. */
export function compareLimits(
  declared: Boundary,
  limits: Readonly<Record<(typeof LIMIT_CODES)[number][0], number | null>>,
  view: KernelViewName,
): readonly BoundaryFinding[] {
  return LIMIT_CODES.filter(([name, , field]) => {
    const actual = limits[name];
    return actual !== null && actual !== declared[field];
  }).map(([name, code, field]) => ({
    code: `${view}_${code}`,
    path: `boundary.${field}`,
    expected: String(declared[field]),
    actual: showValue(limits[name]),
  }));
}
