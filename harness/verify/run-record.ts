import { checkBlocked } from './blocked.ts';
import type { Execution } from './cases/declared.ts';
import type { StoredReceipt } from './cases/outcome.ts';
import { checkReportedExceptions } from './cases/reported-exceptions.ts';
import { checkReportedReferences } from './cases/reported-references.ts';
import type { ClosedList } from './closed-list.ts';
import type { Findings } from './finding.ts';
import { exitOfRun } from './outcome.ts';
import type { Audit } from './shape/inputs.ts';
import type { Counts, Report } from './shape/report.ts';

/** What the receipts of a run come to. */
export interface RunOutcome {
  readonly exitCode: number;
  readonly counts: Counts;
}

const AT = 'report.json';
/** The two clocks of a run (wall and monotonic) start a moment apart, later on a loaded machine. In milliseconds. */
const CLOCK_SLACK_MS = 10_000;

/** Holds `report.json` against receipts and audit; the exit code and the counts are derived again. */
export function checkRun(
  parts: {
    readonly report: Report;
    readonly audit: Audit;
    readonly list: ClosedList;
    readonly receipts: readonly StoredReceipt[];
    readonly executions: readonly Execution[];
  },
  findings: Findings,
): RunOutcome {
  const { report, audit, list, receipts, executions } = parts;
  const counts = countOutcomes(receipts);
  checkReportedReferences(report, receipts, findings);
  const stale = checkReportedExceptions(report, executions, receipts, findings);
  const exitCode = exitCodeOf(report, { audit, stale }, receipts);
  findings.same('RECEIPT_IDENTITY', `${AT}.runId`, list.runId, report.runId);
  findings.same('RECEIPT_IDENTITY', `${AT}.nonce`, list.nonce, report.nonce);
  for (const [outcome, count] of Object.entries(counts)) {
    findings.same('COUNTS_MISMATCH', `${AT}.counts.${outcome}`, count, Reflect.get(report.counts, outcome));
  }
  const executed = receipts.filter(({ receipt }) => receipt.attempts.length > 0).length;
  findings.same('COUNTS_MISMATCH', `${AT}.declared`, executions.length, report.declared);
  findings.same('COUNTS_MISMATCH', `${AT}.executed`, executed, report.executed);
  findings.same('EXIT_CODE_MISMATCH', `${AT}.exitCode`, exitCode, report.exitCode);
  const result = exitCode === 0 ? 'passed' : exitCode === 1 ? 'failed' : 'error';
  findings.same('REPORT_RESULT', `${AT}.result`, result, report.result);
  checkStandings(report, receipts, findings);
  checkReasons(report, receipts, findings);
  checkBlocked(report, audit, findings);
  checkTimes(report, receipts, findings);
  return { exitCode, counts };
}

export function countOutcomes(receipts: readonly StoredReceipt[]): Counts {
  const counts = { pass: 0, fail: 0, error: 0, unrun: 0, excluded: 0, unsupported: 0, flaky: 0 };
  for (const { receipt } of receipts) counts[receipt.outcome] += 1;
  return counts;
}

function exitCodeOf(
  report: Report,
  { audit, stale }: { readonly audit: Audit; readonly stale: number },
  receipts: readonly StoredReceipt[],
): number {
  const gates = audit.findings.filter(({ severity, waived }) => severity === 'gate' && waived === null);
  return exitOfRun(
    receipts.map(({ receipt }) => receipt),
    {
      gateFindings: gates.length,
      blocked: report.blocked !== null,
      stale,
      interruptedBy: report.interruptedBy,
    },
  );
}

/** What the selection or an exclusion leaves out did not run and says why; everything else is not left out. */
function checkStandings(report: Report, receipts: readonly StoredReceipt[], findings: Findings): void {
  if (report.blocked !== null) return;
  for (const { receipt, execution, path } of receipts) {
    const { standing } = execution;
    const { outcome, reason, attempts, detail } = receipt;
    const told = `${outcome} ${reason}`;
    if (standing.kind === 'excluded') {
      findings.same('EXCEPTION_MISMATCH', `${path}.outcome`, 'excluded exclusion', told);
      findings.same('EXCEPTION_MISMATCH', `${path}.detail`, standing.reason, detail);
    } else if (outcome === 'excluded' || reason === 'exclusion') {
      findings.add('EXCEPTION_MISMATCH', `${path}.outcome`, 'a case that its suite does not exclude', told);
    }
    const left = told === 'unrun selection';
    if (left !== (standing.kind === 'unselected')) {
      const expected = left ? 'a case that the selection leaves out' : 'unrun selection';
      if (standing.kind !== 'excluded') findings.add('SELECTION_MISMATCH', `${path}.outcome`, expected, told);
    }
    if (standing.kind !== 'selected' && attempts.length > 0) {
      findings.add(
        'SELECTION_MISMATCH',
        `${path}.attempts`,
        'none of a case that is left out',
        attempts.length,
      );
    }
  }
}

/** A reason for not running holds for the run as a whole, which must say so too. */
function checkReasons(report: Report, receipts: readonly StoredReceipt[], findings: Findings): void {
  const { blocked, budget, interruptedBy, watchdog } = report;
  const cutOff = receipts.some(({ receipt }) => receipt.outcome === 'unrun' && receipt.reason === 'budget');
  findings.same('REPORT_BUDGET', `${AT}.budget.exhausted`, cutOff, budget.exhausted);
  // The runner stops at the deadline alone, and the watchdog has noted that deadline when the run ends.
  if (cutOff && watchdog?.firedAtMs === null) {
    findings.add('REPORT_BUDGET', `${AT}.watchdog.firedAtMs`, `at least ${watchdog.limitMs}`, 'null');
  }
  for (const { receipt, path } of receipts) {
    const { outcome, reason } = receipt;
    const at = `${path}.reason`;
    if ((blocked !== null) !== (reason === 'audit')) {
      findings.add('RECEIPT_REASON', at, blocked === null ? 'a run that was blocked' : 'audit', reason);
    }
    if (reason === 'interrupted' && interruptedBy === null) {
      findings.add('RECEIPT_REASON', at, 'a run that was interrupted', reason);
    }
    if (!REASONS[outcome].includes(String(reason))) {
      findings.add('RECEIPT_REASON', at, REASONS[outcome].join(' or '), reason);
    }
  }
}

/** The closed list of reasons for each outcome. */
const REASONS: Readonly<Record<StoredReceipt['receipt']['outcome'], readonly string[]>> = {
  pass: ['null'],
  fail: ['null'],
  flaky: ['attempts-differ'],
  excluded: ['exclusion'],
  unsupported: ['no-node-version', 'not-of-this-class', 'no-check-exercised'],
  unrun: ['budget', 'interrupted', 'selection', 'audit', 'classification-missing'],
  error: [
    'box-not-opened',
    'box-lost',
    'not-observed',
    'not-evaluated',
    'image-unread',
    'check-not-judged',
    'control-failed',
  ],
};

/** Times of the run, of its budget and of its parts follow from each other. */
function checkTimes(report: Report, receipts: readonly StoredReceipt[], findings: Findings): void {
  const { startedAt, finishedAt, durationMs, budget, watchdog, timings, blocked } = report;
  const elapsedMs = Date.parse(finishedAt) - Date.parse(startedAt);
  if (!(elapsedMs >= 0)) findings.add('REPORT_TIME', `${AT}.finishedAt`, `after ${startedAt}`, finishedAt);
  if (blocked === null && Math.abs(elapsedMs - durationMs) > CLOCK_SLACK_MS) {
    findings.add('REPORT_TIME', `${AT}.durationMs`, `about ${elapsedMs}`, durationMs);
  }
  const ran = receipts.some(({ receipt }) => receipt.attempts.length > 0);
  for (const part of ['watchdog', 'timings', 'engine'] as const) {
    if (ran && report[part] === null) findings.add('REPORT_FACT', `${AT}.${part}`, 'that of a run', 'null');
    if (blocked !== null && report[part] !== null) {
      findings.add('REPORT_FACT', `${AT}.${part}`, 'null for a blocked candidate', 'a value');
    }
  }
  if (watchdog !== null) {
    findings.same('REPORT_BUDGET', `${AT}.watchdog.limitMs`, budget.limitMs, watchdog.limitMs);
    if (watchdog.firedAtMs !== null && watchdog.firedAtMs + 100 < watchdog.limitMs) {
      findings.add(
        'REPORT_BUDGET',
        `${AT}.watchdog.firedAtMs`,
        `at least ${watchdog.limitMs}`,
        watchdog.firedAtMs,
      );
    }
    // One clock, from one start; its figures are rounded.
    if (watchdog.firedAtMs !== null && timings !== null && watchdog.firedAtMs > timings.totalMs + 1) {
      findings.add(
        'REPORT_BUDGET',
        `${AT}.watchdog.firedAtMs`,
        `at most ${timings.totalMs}`,
        watchdog.firedAtMs,
      );
    }
  }
  if (timings !== null) {
    findings.same('REPORT_TIME', `${AT}.timings.totalMs`, durationMs, timings.totalMs);
    findings.same('REPORT_TIME', `${AT}.budget.usedMs`, durationMs, budget.usedMs);
    if (timings.probeMs + timings.casesMs > timings.totalMs + 1) {
      findings.add(
        'REPORT_TIME',
        `${AT}.timings`,
        `at most ${timings.totalMs}`,
        timings.probeMs + timings.casesMs,
      );
    }
  }
}
