import { asList, asObject, asText, type JsonObject } from './shape.ts';

/** The exit codes a run can have by its receipts, strongest first (the signals stand in the report alone). */
const PRECEDENCE = [130, 143, 3, 124, 1, 2, 0];

/** A case's outcome as its check results demand; null when the receipt's own outcome is not derived from checks. */
export function outcomeOfChecks(receipt: JsonObject): 'pass' | 'fail' | 'error' | 'unsupported' | null {
  const outcome = asText(receipt.outcome);
  if (outcome !== 'pass' && outcome !== 'fail') return null;
  const checks = (asList(receipt.checks) ?? []).map((check) => asObject(check) ?? {});
  if (checks.some((check) => check.severity === 'gate' && check.result === 'fail')) return 'fail';
  if (checks.some((check) => check.result === 'error')) return 'error';
  return checks.some((check) => check.result === 'pass' || check.result === 'fail') ? 'pass' : 'unsupported';
}

/**
 * Exit code that a set of outcomes with their reasons, and the audit's unwaived gates, amount to. Nothing
 * passed and nothing else to say is 3: nothing passes because nothing ran.
 */
export function exitOfRun(
  receipts: readonly JsonObject[],
  run: {
    readonly gateFindings: number;
    /** The candidate could not be installed, or must not be. */
    readonly blocked: boolean;
    readonly interruptedBy: string | null;
  },
): number {
  const codes = new Set<number>();
  if (run.interruptedBy !== null) codes.add(run.interruptedBy === 'SIGTERM' ? 143 : 130);
  if (run.gateFindings > 0 || run.blocked) codes.add(1);
  for (const receipt of receipts) {
    const outcome = asText(receipt.outcome);
    if (outcome === 'fail' || outcome === 'flaky') codes.add(1);
    else if (outcome === 'error') codes.add(3);
    else if (outcome === 'unrun' && receipt.reason === 'budget') codes.add(124);
  }
  if (codes.size === 0 && !receipts.some((receipt) => receipt.outcome === 'pass')) return 3;
  return PRECEDENCE.find((code) => codes.has(code)) ?? 0;
}
