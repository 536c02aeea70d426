export type CheckResult = 'pass' | 'fail' | 'not-exercised' | 'error';

/** A case's outcome by its check results alone. Source of the order: design.md, section 3. */
export function outcomeOfChecks(
  checks: readonly { readonly severity: string; readonly result: CheckResult }[],
): 'pass' | 'fail' | 'error' | 'unsupported' {
  if (checks.some(({ severity, result }) => severity === 'gate' && result === 'fail')) return 'fail';
  if (checks.some(({ result }) => result === 'error')) return 'error';
  return checks.every(({ result }) => result === 'not-exercised') ? 'unsupported' : 'pass';
}

/** Exit codes of runs that a signal ended. */
const SIGNAL_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** What a run's exit code is derived from, beside its cases. */
export interface RunFacts {
  /** Findings of the audit at gate level that no waiver covers. */
  readonly gateFindings: number;
  /** The candidate could not be installed, or must not be. */
  readonly blocked: boolean;
  readonly interruptedBy: keyof typeof SIGNAL_EXITS | null;
  /** Executions that were expected to be unsupported and are not. */
  readonly stale: number;
}

/**
 * The run's exit code, strongest first: signal, case in error, budget, candidate failed. Nothing passed and
 * nothing else to say is 3: nothing passes because nothing ran. Source: design.md, section 4.
 */
export function exitOfRun(
  receipts: readonly { readonly outcome: string; readonly reason: string | null }[],
  { gateFindings, blocked, interruptedBy, stale }: RunFacts,
): number {
  const has = (...outcomes: readonly string[]): boolean =>
    receipts.some(({ outcome }) => outcomes.includes(outcome));
  if (interruptedBy !== null) return SIGNAL_EXITS[interruptedBy];
  if (has('error')) return 3;
  if (receipts.some(({ outcome, reason }) => outcome === 'unrun' && reason === 'budget')) return 124;
  if (has('fail', 'flaky') || gateFindings > 0 || blocked || stale > 0) return 1;
  return has('pass') ? 0 : 3;
}
