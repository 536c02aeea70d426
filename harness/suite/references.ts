import type { CompiledCase, CompiledCheck } from './compiled.ts';
import type { StepObservation } from './observation.ts';
import { stepsOfCheck } from './spoken-steps.ts';

/** Whether a reference program was seen at work, or never started to. */
export type ReferenceStanding = 'observed' | 'excluded';

/** What a shell and `env` say of a program that cannot be run, and of one that is not there. POSIX.1-2017, 2.8.2. */
const CANNOT_RUN = [126, 127];

/**
 * The closed rule: a reference is `excluded` when its process was not started, or when it ended without a byte
 * on stdout by exit 126 or 127, or by a signal that neither packproof, nor the engine, nor the kernel for memory sent. Everything else was observed, whatever it
 * was: a program that says no is not a program that cannot start.
 */
export function standingOf({
  termination,
  killedBy,
  stdout,
}: Pick<StepObservation, 'termination' | 'killedBy'> & {
  readonly stdout: Pick<StepObservation['stdout'], 'totalBytes'>;
}): ReferenceStanding {
  if (termination.kind === 'not-started') return 'excluded';
  if (stdout.totalBytes > 0) return 'observed';
  if (termination.kind === 'exited') return CANNOT_RUN.includes(termination.code) ? 'excluded' : 'observed';
  return termination.kind === 'signaled' && killedBy === 'candidate' ? 'excluded' : 'observed';
}

/** A check that states the undo of a reference: it is about our own doing, as with a control. */
export function isUndoOfReference({ expect, precondition }: CompiledCheck, own: CompiledCase): boolean {
  return (
    expect.kind === 'control-undone' &&
    precondition === null &&
    own.references.some(({ step }) => step === expect.control)
  );
}

/** The reference steps that a check speaks of, in its statement or its condition; its undo apart. */
export function referencesOf(check: CompiledCheck, own: CompiledCase): readonly string[] {
  if (own.references.length === 0 || isUndoOfReference(check, own)) return [];
  const names = stepsOfCheck(check)
    .filter(({ caseId }) => caseId === null || caseId === own.id)
    .map(({ step }) => step);
  return own.references.map(({ step }) => step).filter((step) => names.includes(step));
}

/** Ids of the checks of a case that speak of a reference: they count for no outcome. */
export function informingChecks(one: CompiledCase): ReadonlySet<string> {
  return new Set(one.checks.flatMap((check) => (referencesOf(check, one).length > 0 ? [check.id] : [])));
}
