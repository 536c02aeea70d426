import type { Boundary } from './boundary.ts';
import { compareInspect } from './compare-inspect.ts';
import { compareKernelView } from './compare-kernel.ts';
import { compareMeasured, pathsAbsent } from './compare-measured.ts';
import type { BoundaryEngineView } from './engine-view.ts';
import { BOUNDARY_FINDING_CODES, type BoundaryFinding } from './finding.ts';
import type { MeasuredBoundary } from './measured.ts';
import type { SeccompPolicy } from './seccomp-policy.ts';
import { readSeccompPolicy } from './seccomp-policy.ts';

/**
 * Holds the three views of one kind of box against each other, field by field: declared, read from outside,
 * measured from inside. Empty when all agree; anything else means that nothing may be reported as passed.
 *
 * A value that is missing, unknown or of another form is a finding like a wrong one. Parts of the outside
 * view that this host cannot read are null; what they would show must then come from the measurement.
 * `policy` is the seccomp policy whose digest the boundary names.
 */
export function compareBoundary(
  declared: Boundary,
  views: { readonly engine: BoundaryEngineView; readonly measured: MeasuredBoundary },
  policy: SeccompPolicy = readSeccompPolicy(),
): readonly BoundaryFinding[] {
  return [
    ...compareEngineView(declared, views, policy),
    ...compareMeasured(declared, views.measured),
    ...compareLimitsRead(declared, views),
  ].sort(byCodeAndPath);
}

/**
 * The outside half of the comparison, for every further box of a kind that has been measured once:
 * `measured` says which paths this kernel has, so that each of them must be covered here too.
 */
export function compareEngineView(
  declared: Boundary,
  views: { readonly engine: BoundaryEngineView; readonly measured: MeasuredBoundary },
  policy: SeccompPolicy = readSeccompPolicy(),
): readonly BoundaryFinding[] {
  return [
    ...compareInspect(declared, views.engine.inspect, policy),
    ...compareKernelView(declared, views.engine, pathsAbsent(declared, views.measured)),
  ];
}

const LIMITS = [
  ['pidsLimit', 'pids'],
  ['memoryBytes', 'memoryBytes'],
  ['memorySwapBytes', 'memorySwapBytes'],
  ['cpuMillis', 'cpuMillis'],
] as const;

/** A limit that neither view could read is not known to be in force. */
function compareLimitsRead(
  declared: Boundary,
  views: { readonly engine: BoundaryEngineView; readonly measured: MeasuredBoundary },
): readonly BoundaryFinding[] {
  if (views.engine.limits !== null) return [];
  return LIMITS.filter(([, name]) => views.measured.limits[name] === null).map(([field]) => ({
    code: 'LIMITS_NOT_READ',
    path: `boundary.${field}`,
    expected: String(declared[field]),
    actual: 'nothing',
  }));
}

function byCodeAndPath(one: BoundaryFinding, other: BoundaryFinding): number {
  const order = BOUNDARY_FINDING_CODES.indexOf(one.code) - BOUNDARY_FINDING_CODES.indexOf(other.code);
  return order !== 0 ? order : one.path < other.path ? -1 : 1;
}
