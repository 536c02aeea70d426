import type { BoundaryKind } from '../boundary/kind.ts';
import type { MeasuredBoundary } from '../boundary/measured.ts';
import type { EngineFacts, OutsideView } from '../engine/engine.ts';
import type { CaseOutcome, CheckResult, Severity } from '../suite/compiled.ts';
import type { KeptFile } from '../suite/evaluator-protocol.ts';
import type { CaseObservation } from '../suite/observation.ts';
import type { SpooledStep } from './spool.ts';

/** The closed list of reasons for an outcome other than `pass` and `fail`; free text goes to `detail`. */
export type OutcomeReason =
  | 'budget'
  | 'interrupted'
  | 'selection'
  /** Its suite excludes the case; `detail` is the reason given there. */
  | 'exclusion'
  /** The candidate was refused before anything ran; nothing of `run/` gives this reason. */
  | 'audit'
  /** No Node version of the run is one that the case asks for. */
  | 'no-node-version'
  | 'not-of-this-class'
  | 'classification-missing'
  | 'attempts-differ'
  | 'box-not-opened'
  | 'box-lost'
  | 'not-observed'
  | 'not-evaluated'
  /** The image could not be read again after the run; nothing of `run/` gives this reason. */
  | 'image-unread'
  | 'check-not-judged'
  /** A control did not show what it must; nothing is said of the candidate. */
  | 'control-failed'
  | 'no-check-exercised';

export interface CheckVerdict {
  readonly id: string;
  readonly severity: Severity;
  readonly result: CheckResult;
  /** May hold candidate text; escaped by whoever shows it. */
  readonly message: string;
}

/** One try of a case. `observation` is null only when no box could be opened for it or nothing was started. */
export interface CaseAttempt {
  readonly attempt: number;
  readonly observation: CaseObservation | null;
  /** Where the kept raw bytes of each started step lie, in step order. */
  readonly spooled: readonly SpooledStep[];
  /** Files that the case left and whose bytes were kept, because its checks look into them. */
  readonly kept: readonly KeptFile[];
  readonly checks: readonly CheckVerdict[];
  readonly outcome: CaseOutcome;
  readonly reason: OutcomeReason | null;
  readonly detail: string;
}

/** Everything about one case on one Node version. A retry never erases an attempt. */
export interface CaseRun {
  readonly suiteId: string;
  readonly caseId: string;
  readonly node: string;
  readonly attempts: readonly CaseAttempt[];
  /** The verdicts that the outcome rests on: those of the last attempt that was evaluated, else empty. */
  readonly checks: readonly CheckVerdict[];
  readonly outcome: CaseOutcome;
  /** Null exactly for `pass` and `fail`. */
  readonly reason: OutcomeReason | null;
  /** One line for people: which attempt, which class, which errno. May hold candidate text. */
  readonly detail: string;
  readonly durationMs: number;
}

/** The measured boundary of one kind of box, whose three views agreed (a run in which they do not has no result). */
export interface BoundaryReport extends BoundaryKind {
  readonly node: string;
  readonly measured: MeasuredBoundary;
  /** As seen while the probe ran. */
  readonly outside: OutsideView;
  readonly durationMs: number;
}

export type KillResult = 'killed' | 'already-gone' | 'failed';

export interface WatchdogKill {
  readonly boxName: string;
  /** Milliseconds after the start of the budget at which the kill was asked for and had its effect. */
  readonly askedAtMs: number;
  readonly doneAtMs: number;
  readonly result: KillResult;
}

/** What the watchdog process says it did; `firedAtMs` is null when the run ended before its budget. */
export interface WatchdogRecord {
  readonly limitMs: number;
  readonly firedAtMs: number | null;
  readonly kills: readonly WatchdogKill[];
}

export type OutcomeCounts = Readonly<Record<CaseOutcome, number>>;

/** Durations of the phases of a run, in milliseconds; evaluation overlaps the cases. */
export interface RunTimings {
  readonly probeMs: number;
  readonly casesMs: number;
  readonly totalMs: number;
}

export interface RunResult {
  readonly runId: string;
  /** RFC 3339 with `Z`. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly engine: EngineFacts;
  readonly boundaries: readonly BoundaryReport[];
  /** Every declared case on every Node version of its matrix, in suite order: those not run have their reason. */
  readonly cases: readonly CaseRun[];
  readonly counts: OutcomeCounts;
  readonly budget: { readonly limitMs: number; readonly usedMs: number; readonly exhausted: boolean };
  readonly interrupted: boolean;
  readonly timings: RunTimings;
  readonly watchdog: WatchdogRecord;
}
