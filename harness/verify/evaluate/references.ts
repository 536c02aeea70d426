import { namedBy } from '../cases/suite-rules.ts';
import type { StepRecord } from '../shape/receipt.ts';
import type { SuiteCase, SuiteCheck } from '../shape/suite.ts';

/** Exit codes by which a shell and `env` say that a program could not be run. POSIX.1-2017, 2.8.2. */
const CANNOT_RUN = [126, 127];

/**
 * Whether a reference never started: no process; or nothing on stdout, and exit 126 or 127 or a death by a signal
 * that nobody sent. The verifier's own reading of the rule.
 */
export function isExcluded({
  termination,
  killedBy,
  stdout,
}: Pick<StepRecord, 'termination' | 'killedBy' | 'stdout'>): boolean {
  if (termination.kind === 'not-started') return true;
  if (stdout.totalBytes !== 0) return false;
  if (termination.kind === 'signaled') return killedBy === 'candidate';
  return termination.kind === 'exited' && CANNOT_RUN.includes(termination.code);
}

/** A check that states the undo of a reference and nothing else; it is about what was done from outside. */
export function statesUndo({ expect, precondition }: SuiteCheck, { references }: SuiteCase): boolean {
  if (expect.kind !== 'control-undone' || precondition !== null) return false;
  const { control } = expect;
  return references.some(({ step }) => step === control);
}

/** The references of its case that a check speaks of, its undo apart. */
export function spokenReferences(check: SuiteCheck, declared: SuiteCase): readonly string[] {
  if (declared.references.length === 0 || statesUndo(check, declared)) return [];
  const spoken = [check.expect, ...(check.precondition === null ? [] : [check.precondition])].flatMap(
    namedBy,
  );
  const own = spoken.filter(({ caseId }) => caseId === null || caseId === declared.id);
  return declared.references.flatMap(({ step }) => (own.some((one) => one.step === step) ? [step] : []));
}
