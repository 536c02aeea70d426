import type { StoredReceipt } from '../cases/outcome.ts';
import { toReportedExceptions } from '../cases/reported-exceptions.ts';
import { toReportedReferences } from '../cases/reported-references.ts';
import { exitOfRun } from '../outcome.ts';
import type { ReadBundle } from '../read-bundle.ts';
import { countOutcomes, type RunOutcome } from '../run-record.ts';
import type { Report } from '../shape/report.ts';

/** The report that a merged bundle must have, from those of its shards and the receipts of the homes. */
export function deriveReport(
  told: Report,
  shards: readonly ReadBundle[],
  receipts: readonly StoredReceipt[],
): { readonly report: Report; readonly outcome: RunOutcome } {
  const [first] = shards;
  if (first === undefined) return { report: told, outcome: { exitCode: 3, counts: countOutcomes([]) } };
  const reports = shards.map(({ report }) => report);
  const executions = receipts.map(({ execution }) => execution);
  const exceptions = toReportedExceptions(first.report, executions, receipts);
  const interruptedBy = reports.find((one) => one.interruptedBy !== null)?.interruptedBy ?? null;
  const gates = first.inputs.audit.findings.filter(
    ({ severity, waived }) => severity === 'gate' && waived === null,
  );
  const exitCode = exitOfRun(
    receipts.map(({ receipt }) => receipt),
    { gateFindings: gates.length, blocked: false, interruptedBy, stale: exceptions.staleExpectations.length },
  );
  const counts = countOutcomes(receipts);
  const startedAt = reports.map((one) => one.startedAt).sort()[0] ?? '';
  const finishedAt =
    reports
      .map((one) => one.finishedAt)
      .sort()
      .at(-1) ?? '';
  const largest = (of: (report: Report) => number): number => Math.max(...reports.map(of));
  return {
    report: {
      ...first.report,
      ...exceptions,
      references: toReportedReferences(receipts),
      runId: told.runId,
      result: exitCode === 0 ? 'passed' : exitCode === 1 ? 'failed' : 'error',
      exitCode,
      startedAt,
      finishedAt,
      durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
      budget: {
        limitMs: largest(({ budget }) => budget.limitMs),
        usedMs: largest(({ budget }) => budget.usedMs),
        exhausted: receipts.some(({ receipt }) => receipt.outcome === 'unrun' && receipt.reason === 'budget'),
      },
      limits: { ...first.report.limits, jobs: largest(({ limits }) => limits.jobs) },
      selection: { only: first.report.selection.only, shard: null, shuffle: null },
      watchdog: null,
      timings: null,
      interruptedBy,
      counts,
      declared: receipts.length,
      executed: receipts.filter(({ receipt }) => receipt.attempts.length > 0).length,
    },
    outcome: { exitCode, counts },
  };
}
