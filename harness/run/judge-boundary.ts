import type { Boundary } from '../boundary/boundary.ts';
import { compareBoundary, compareEngineView } from '../boundary/compare.ts';
import type { BoundaryFinding } from '../boundary/finding.ts';
import { type BoundaryKind, nameKind } from '../boundary/kind.ts';
import type { MeasuredBoundary } from '../boundary/measured.ts';
import type { OutsideView } from '../engine/engine.ts';
import { RunError } from './errors.ts';
import type { JudgeOutside } from './outside-views.ts';
import type { BoundaryReport } from './result.ts';

/** Findings named in one message; the first ones tell the cause, a wide-open box has hundreds. */
const NAMED_FINDINGS = 5;

/**
 * Holds the three views of one kind of box against each other.
 *
 * @throws {RunError} BOUNDARY_MISMATCH, which names the first findings
 */
export function judgeKind(
  declared: Boundary,
  views: { readonly engine: OutsideView; readonly measured: MeasuredBoundary },
  boxName: string,
): void {
  refuse(compareBoundary(declared, views), boxName);
}

/**
 * The judge of every further box: the outside view must be the declared boundary too, in the light of what
 * was measured in the box of its kind.
 */
export function toOutsideJudge(
  boundary: (kind: BoundaryKind) => Boundary,
  reports: readonly BoundaryReport[],
): JudgeOutside {
  return (kind, engine, boxName) => {
    const name = nameKind(kind);
    const report = reports.find((one) => one.node === kind.node && nameKind(one) === name);
    if (report === undefined) {
      throw new RunError('PROBE_FAILED', 'boundary', { where: boxName, expected: 'a measured kind of box' });
    }
    const views = { engine, measured: report.measured };
    refuse(compareEngineView(boundary(kind), views), boxName);
  };
}

function refuse(findings: readonly BoundaryFinding[], boxName: string): void {
  const [first] = findings;
  if (first === undefined) return;
  const named = findings
    .slice(0, NAMED_FINDINGS)
    .map(({ code, path, actual }) => `${code} ${path} ${actual}`);
  throw new RunError('BOUNDARY_MISMATCH', `boundary of box ${boxName}`, {
    where: first.path,
    expected: first.expected,
    actual: `${named.join('; ')} (${findings.length} in all)`,
  });
}
