import type { BoxEnd, BoxProcess } from '../engine/engine.ts';
import type { OutcomeReason } from '../run/result.ts';
import type { CaseOutcome, CheckResult, Severity } from '../suite/compiled.ts';
import type {
  CaseObservation,
  KilledBy,
  NamedFile,
  StepObservation,
  StreamObservation,
  TeardownEvent,
  Termination,
} from '../suite/observation.ts';

/** The stored record of one case on one Node version: what was seen, and what the checks made of it. */
export interface Receipt {
  readonly formatVersion: 1;
  readonly runId: string;
  readonly suite: string;
  readonly caseId: string;
  readonly node: string;
  readonly outcome: CaseOutcome;
  /** Why the outcome is not pass or fail, such as `budget`; null for those two. */
  readonly reason: OutcomeReason | null;
  /** One line for people; may hold candidate text. */
  readonly detail: string;
  /** The sentences of its suite, then its own; they speak of a pass. */
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
  readonly checks: readonly CheckRecord[];
  readonly attempts: readonly AttemptRecord[];
}

export interface CheckRecord {
  readonly id: string;
  readonly severity: Severity;
  readonly result: CheckResult;
  readonly message: string;
}

/** One try of a case. A retry never erases it; its files lie in `folder`, relative to the receipt. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly folder: string;
  readonly boxId: string;
  readonly steps: readonly StepRecord[];
  readonly leftovers: readonly BoxProcess[];
  readonly filesTruncated: readonly string[];
  /** Names the box as read from outside: `boundary/outside/<sha256>.json`. */
  readonly outsideSha256: string;
  readonly end: BoxEnd;
  readonly teardown: readonly TeardownEvent[];
}

/** A step without its chunk times, which are lines of `transcript.ndjson`. */
export interface StepRecord {
  readonly name: string;
  readonly argv: readonly string[];
  readonly startedAt: string;
  readonly durationMs: number;
  readonly termination: Termination;
  readonly killedBy: KilledBy;
  readonly oomKilled: boolean;
  readonly stdout: StreamObservation;
  readonly stderr: StreamObservation;
}

/** A line of `files.ndjson`: an entry of the writable places before the first or after the last step. */
export type FilesLine = { readonly when: 'before' | 'after' } & CaseObservation['before']['entries'][number];

/** A line of `controls.ndjson`: an entry of the writable places around a control, in the order of the looks. */
export type LookLine = {
  readonly step: string;
  readonly when: 'laid' | 'ran' | 'undone';
} & CaseObservation['before']['entries'][number];

/** A line of `controls.ndjson` between those of what was laid and of what was there when it had run. */
export type ProgramLine = { readonly step: string; readonly when: 'program' } & NamedFile;

export type ControlLine = LookLine | ProgramLine;

/** A line of `transcript.ndjson`, in arrival order within its step. */
export type TranscriptLine =
  | {
      readonly step: string;
      readonly kind: 'output';
      readonly stream: 'stdout' | 'stderr';
      readonly sizeBytes: number;
      readonly atMs: number;
    }
  | {
      readonly step: string;
      readonly kind: 'signal' | 'stdin' | 'stdin-closed' | 'output-closed';
      readonly detail: string;
      readonly atMs: number;
    };

/** Where an attempt's files lie below its receipt's folder: the first one directly, later ones apart. */
export function attemptFolder(attempt: number): string {
  return attempt === 1 ? '' : `attempts/${attempt}/`;
}

/** The folder of a step's raw bytes, `steps/<n>-<name>` with n from 1. */
export function stepFolder(index: number, name: string): string {
  return `steps/${index + 1}-${name}`;
}

export function toAttemptRecord(observation: CaseObservation, outsideSha256: string): AttemptRecord {
  return {
    attempt: observation.attempt,
    folder: attemptFolder(observation.attempt),
    boxId: observation.boxId,
    steps: observation.steps.map(toStepRecord),
    leftovers: observation.leftovers,
    filesTruncated: [observation.before, ...looksOf(observation), observation.after].flatMap(
      (snapshot) => snapshot?.truncated ?? [],
    ),
    outsideSha256,
    end: observation.end,
    teardown: observation.teardown,
  };
}

function toStepRecord(step: StepObservation): StepRecord {
  const { arrivals: _arrivals, actions: _actions, ...record } = step;
  return record;
}

export function toFilesLines(observation: CaseObservation): readonly FilesLine[] {
  const before = observation.before.entries.map((entry) => ({ when: 'before' as const, ...entry }));
  const after = (observation.after?.entries ?? []).map((entry) => ({ when: 'after' as const, ...entry }));
  return [...before, ...after];
}

export function toControlLines({ controls }: CaseObservation): readonly ControlLine[] {
  return controls.flatMap(({ step, program, ...looks }) => {
    const look = (when: LookLine['when']): readonly LookLine[] =>
      (looks[when]?.entries ?? []).map((entry) => ({ step, when, ...entry }));
    const named = program.map((one): ProgramLine => ({ step, when: 'program', ...one }));
    return [...look('laid'), ...named, ...look('ran'), ...look('undone')];
  });
}

function looksOf({ controls }: CaseObservation): readonly CaseObservation['after'][] {
  return controls.flatMap(({ laid, ran, undone }) => [laid, ran, undone]);
}

export function toTranscriptLines(observation: CaseObservation): readonly TranscriptLine[] {
  return observation.steps.flatMap((step) => {
    const output = step.arrivals.map((run) => ({ step: step.name, kind: 'output' as const, ...run }));
    const actions = step.actions.map((action) => ({ step: step.name, ...action }));
    return [...output, ...actions].sort((a, b) => a.atMs - b.atMs);
  });
}
