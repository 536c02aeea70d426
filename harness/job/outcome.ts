import { toExitInputs } from '../run/outcome.ts';
import type { CaseRun } from '../run/result.ts';

export type JobResult = 'passed' | 'failed' | 'error';

/** Signals that end a run in order, and its exit code then: 128 and the signal's number, as shells tell it. */
export const INTERRUPTED_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type InterruptingSignal = keyof typeof INTERRUPTED_EXITS;

export function isInterruptingSignal(name: string | null): name is InterruptingSignal {
  return name !== null && Object.hasOwn(INTERRUPTED_EXITS, name);
}

/** What the run's exit code and word are derived from. */
export interface OutcomeInput {
  readonly cases: readonly CaseRun[];
  /** Findings of the audit at gate level that no waiver covers. */
  readonly openGates: number;
  /** The candidate was refused at audit, resolution or install: its own fault. */
  readonly blocked: boolean;
  /** A case that its suite expects to be unsupported is not. */
  readonly stale: boolean;
  /** Signal that ended the run early. */
  readonly interruptedBy: InterruptingSignal | null;
}

/**
 * The exit code of a run by what it saw, strongest first: signal, case in error, budget, candidate failed.
 * A run that saw nothing pass is never 0: with no other reason it counts as infrastructure.
 */
export function exitCodeOf(input: OutcomeInput): number {
  const holds = toExitInputs(input.cases, input.interruptedBy !== null);
  if (input.interruptedBy !== null) return INTERRUPTED_EXITS[input.interruptedBy];
  if (holds.infrastructure) return 3;
  if (holds.budgetExhausted) return 124;
  if (holds.failed || input.openGates > 0 || input.blocked || input.stale) return 1;
  return input.cases.some((run) => run.outcome === 'pass') ? 0 : 3;
}

export function resultOf(exitCode: number): JobResult {
  if (exitCode === 0) return 'passed';
  return exitCode === 1 ? 'failed' : 'error';
}
