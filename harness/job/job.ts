import type { Engine } from '../engine/engine.ts';
import type { RunReport } from '../evidence/report.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import type { Reporter } from '../run/reporter.ts';
import type { RunLimits, Selection } from '../run/request.ts';
import type { CaseRun } from '../run/result.ts';
import type { AuditSummary } from './audit-summary.ts';
import type { InterruptingSignal } from './outcome.ts';

/** One run of a prepared context, from its images to its closed bundle. */
export interface RunJob {
  readonly context: PreparedContext;
  /** Absolute path of the evidence folder; absent or empty. */
  readonly target: string;
  readonly runId: string;
  readonly nonce: string | null;
  readonly embedArchives: boolean;
  /** What this command took to make the context; null when it was there. */
  readonly prepareMs: number | null;
  readonly limits: RunLimits;
  readonly selection: Selection;
  readonly cacheDir: string;
  readonly stateDir: string;
  /** Asked for only when something has to run. */
  readonly engine: () => Promise<Engine>;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
  /** The signal that ended the run early, if one did. */
  readonly interruptedBy: () => InterruptingSignal | null;
}

export interface JobOutcome {
  readonly report: RunReport;
  /** Without their attempts and the checks that passed, which the evidence has. */
  readonly cases: readonly CaseRun[];
  readonly audit: AuditSummary;
}
