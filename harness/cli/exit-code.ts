import { Fault } from '../document/fault.ts';
import { INTERRUPTED_EXITS, type InterruptingSignal, isInterruptingSignal } from '../job/outcome.ts';
import { CliError } from './errors.ts';

/** The documented exit codes; no other value ever leaves the process. */
export const EXIT = {
  passed: 0,
  candidateFailed: 1,
  usage: 2,
  infrastructure: 3,
  evidenceRejected: 4,
  budget: 124,
  hungUp: INTERRUPTED_EXITS.SIGHUP,
  interrupted: INTERRUPTED_EXITS.SIGINT,
  terminated: INTERRUPTED_EXITS.SIGTERM,
} as const;

/** Strongest first: when several hold, the run ends with the first of them. */
const PRECEDENCE: readonly number[] = [
  EXIT.interrupted,
  EXIT.terminated,
  EXIT.hungUp,
  EXIT.evidenceRejected,
  EXIT.infrastructure,
  EXIT.budget,
  EXIT.candidateFailed,
  EXIT.usage,
  EXIT.passed,
];

/** The one exit code for everything that holds; 0 only for an empty list or zeros. */
export function strongestExit(codes: readonly number[]): number {
  return (
    PRECEDENCE.find((code) => codes.includes(code)) ??
    (codes.length === 0 ? EXIT.passed : EXIT.infrastructure)
  );
}

export function exitOfSignal(signal: InterruptingSignal): number {
  return INTERRUPTED_EXITS[signal];
}

/** The exit code of a command that ended with an error, the signal that came before it taken into account. */
export function exitOfEnd(error: unknown, signal: InterruptingSignal | null): number {
  return strongestExit([exitOfError(error), ...(signal === null ? [] : [exitOfSignal(signal)])]);
}

/** An error's exit code. What is not a Fault is a bug of ours and never looks like a failed candidate. */
export function exitOfError(error: unknown): number {
  if (!(error instanceof Fault)) return EXIT.infrastructure;
  if (error instanceof CliError && error.code === 'INTERRUPTED') {
    return isInterruptingSignal(error.where) ? exitOfSignal(error.where) : EXIT.interrupted;
  }
  switch (error.kind) {
    case 'usage':
      return EXIT.usage;
    case 'candidate':
      return EXIT.candidateFailed;
    case 'infrastructure':
      return EXIT.infrastructure;
    case 'evidence':
      return EXIT.evidenceRejected;
  }
}
