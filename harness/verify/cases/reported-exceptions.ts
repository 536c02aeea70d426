import type { Findings } from '../finding.ts';
import type { Report } from '../shape/report.ts';
import type { Execution } from './declared.ts';
import { readExceptions } from './exceptions.ts';
import type { StoredReceipt } from './outcome.ts';

/** Results that show that a case is supported. */
const SUPPORTED = ['pass', 'fail', 'flaky'];

type ReportedExceptions = Pick<Report, 'exclusions' | 'expectedUnsupported' | 'staleExpectations'>;

/** What a report must say of exceptions, by the suites and the receipts. */
export function toReportedExceptions(
  report: Report,
  executions: readonly Execution[],
  receipts: readonly StoredReceipt[],
): ReportedExceptions {
  const blocked = report.blocked !== null;
  const excluded = executions.flatMap(({ declared, standing }) =>
    standing.kind === 'excluded' && !blocked ? [{ caseId: declared.id, reason: standing.reason }] : [],
  );
  const expected = executions.flatMap(({ declared, suite }) => {
    const reason = readExceptions(suite).unsupported.get(declared.id);
    return reason === undefined ? [] : [{ caseId: declared.id, reason }];
  });
  const staleExpectations = receipts
    .filter(({ execution }) => readExceptions(execution.suite).unsupported.has(execution.declared.id))
    .filter(({ receipt }) => SUPPORTED.includes(receipt.outcome))
    .map(({ receipt: { caseId, node, outcome } }) => ({ caseId, node, outcome }));
  return { exclusions: onceEach(excluded), expectedUnsupported: onceEach(expected), staleExpectations };
}

/** Holds the report's exceptions against the suites and the receipts; gives how many expectations are stale. */
export function checkReportedExceptions(
  report: Report,
  executions: readonly Execution[],
  receipts: readonly StoredReceipt[],
  findings: Findings,
): number {
  const derived = toReportedExceptions(report, executions, receipts);
  for (const field of ['exclusions', 'expectedUnsupported', 'staleExpectations'] as const) {
    const [ours, told] = [JSON.stringify(derived[field]), JSON.stringify(report[field])];
    findings.same('EXCEPTION_MISMATCH', `report.json.${field}`, ours, told);
  }
  return derived.staleExpectations.length;
}

/** A case on several Node versions is told of once. */
function onceEach<T extends { readonly caseId: string }>(entries: readonly T[]): readonly T[] {
  return [...new Map(entries.map((entry) => [entry.caseId, entry])).values()];
}
