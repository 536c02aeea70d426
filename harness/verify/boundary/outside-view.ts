import type { Json } from '../canonical.ts';
import { toCanonicalText } from '../canonical.ts';
import type { Findings } from '../finding.ts';
import type { Boundary } from '../shape/boundary.ts';
import type { Outside } from '../shape/receipt.ts';
import { checkMounts } from './mounts.ts';
import { checkStatus } from './status.ts';

/** What a view of a box is held against. */
export interface Standard {
  readonly boundary: Boundary;
  /** Digests of the two forms of the seccomp policy. */
  readonly seccompForms: readonly string[];
  /** Masked and read-only paths that the measured kernel does not have. */
  readonly absentPaths: ReadonlySet<string>;
}

const PRIVATE_NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'uts'];
/** A box may have its own or not; both are no wider. */
const FREE_NAMESPACES = ['time', 'user'];

/**
 * Holds what was read of one box from outside against the boundary, field by field. Parts that the host could
 * not read are null; what they would show must then come from the measurement.
 */
export function checkOutside(view: Outside, standard: Standard, at: string, findings: Findings): void {
  const { boundary } = standard;
  checkInspect(view.inspect, standard, `${at}.inspect`, findings);
  if (view.status !== null) checkStatus(view.status, boundary, `${at}.status`, findings);
  if (view.mounts !== null) checkMounts(view.mounts, standard, `${at}.mounts`, findings);
  if (view.namespaces !== null) checkNamespaces(view.namespaces, `${at}.namespaces`, findings);
  if (view.limits !== null) checkLimits(view.limits, boundary, `${at}.limits`, findings);
}

function checkInspect(
  inspect: Outside['inspect'],
  { boundary, seccompForms }: Standard,
  at: string,
  findings: Findings,
): void {
  const expected: Readonly<Record<Exclude<keyof Outside['inspect'], 'seccompFormSha256'>, Json>> = {
    user: `${boundary.uid}:${boundary.gid}`,
    supplementaryGids: boundary.supplementaryGids,
    capabilities: boundary.capabilities,
    privileged: false,
    noNewPrivileges: boundary.noNewPrivileges,
    networkMode: boundary.network,
    ipcMode: boundary.ipc,
    pidMode: 'private',
    utsMode: 'private',
    cgroupNamespaceMode: boundary.cgroupNamespace,
    rootReadOnly: boundary.rootReadOnly,
    writableMounts: boundary.mounts.map((mount) => ({ ...mount })),
    hostBinds: [],
    devices: [],
    pidsLimit: boundary.pidsLimit,
    memoryBytes: boundary.memoryBytes,
    memorySwapBytes: boundary.memorySwapBytes,
    cpuMillis: boundary.cpuMillis,
    hostname: boundary.hostname,
    resourceLimits: boundary.resourceLimits.map((limit) => ({ ...limit })),
    maskedPaths: [...boundary.maskedPaths].sort(),
    readonlyPaths: [...boundary.readonlyPaths].sort(),
  };
  for (const [field, value] of Object.entries(expected)) {
    const actual: Json = Reflect.get(inspect, field);
    findings.same('BOUNDARY_INSPECT', `${at}.${field}`, toCanonicalText(value), toCanonicalText(actual));
  }
  if (!seccompForms.includes(inspect.seccompFormSha256)) {
    findings.add(
      'BOUNDARY_INSPECT',
      `${at}.seccompFormSha256`,
      seccompForms.join(' or '),
      inspect.seccompFormSha256,
    );
  }
}

function checkNamespaces(
  namespaces: NonNullable<Outside['namespaces']>,
  at: string,
  findings: Findings,
): void {
  for (const name of PRIVATE_NAMESPACES) {
    findings.same('BOUNDARY_NAMESPACE', `${at}.${name}`, 'private', namespaces[name]);
  }
  for (const name of Object.keys(namespaces)) {
    if (![...PRIVATE_NAMESPACES, ...FREE_NAMESPACES].includes(name)) {
      findings.add('BOUNDARY_NAMESPACE', `${at}.${name}`, 'no such namespace', namespaces[name]);
    }
  }
}

type Limits = Readonly<Record<'pids' | 'memoryBytes' | 'memorySwapBytes' | 'cpuMillis', number | null>>;

/** Limits in force, from either side; null is "not shown". */
export function checkLimits(limits: Limits, boundary: Boundary, at: string, findings: Findings): void {
  const expected: Limits = {
    pids: boundary.pidsLimit,
    memoryBytes: boundary.memoryBytes,
    memorySwapBytes: boundary.memorySwapBytes,
    cpuMillis: boundary.cpuMillis,
  };
  for (const name of ['pids', 'memoryBytes', 'memorySwapBytes', 'cpuMillis'] as const) {
    if (limits[name] !== null)
      findings.same('BOUNDARY_LIMITS', `${at}.${name}`, expected[name], limits[name]);
  }
}
