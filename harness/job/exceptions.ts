import type { RunReport } from '../evidence/report.ts';
import type { CaseRun } from '../run/result.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { expectedUnsupportedCases } from '../suite/exceptions.ts';

export type ReportedExceptions = Pick<RunReport, 'exclusions' | 'expectedUnsupported' | 'staleExpectations'>;

/** Results that show that a case is supported. */
const SUPPORTED = ['pass', 'fail', 'flaky'];

/**
 * What the report says of the exceptions of a run: each case once, in the order of the run; and the
 * executions that were expected to be unsupported and were not.
 */
export function toExceptions(
  suites: readonly CompiledSuite[],
  cases: readonly CaseRun[],
): ReportedExceptions {
  const expected = new Map(suites.flatMap((suite) => [...expectedUnsupportedCases(suite)]));
  return {
    exclusions: onceEach(
      cases.filter(({ outcome }) => outcome === 'excluded'),
      ({ detail }) => detail,
    ),
    expectedUnsupported: onceEach(
      cases.filter(({ caseId }) => expected.has(caseId)),
      ({ caseId }) => expected.get(caseId) ?? '',
    ),
    staleExpectations: cases
      .filter(({ caseId, outcome }) => expected.has(caseId) && SUPPORTED.includes(outcome))
      .map(({ caseId, node, outcome }) => ({ caseId, node, outcome })),
  };
}

function onceEach(
  runs: readonly CaseRun[],
  reasonOf: (run: CaseRun) => string,
): readonly { readonly caseId: string; readonly reason: string }[] {
  const reasons = new Map(runs.map((run) => [run.caseId, reasonOf(run)]));
  return [...reasons].map(([caseId, reason]) => ({ caseId, reason }));
}
