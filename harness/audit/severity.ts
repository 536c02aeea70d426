/** The same three words as for a check of a case; declared here because audit knows nothing of suites. */
export type Severity = 'gate' | 'warn' | 'info';

const RANK: Readonly<Record<Severity, number>> = { gate: 0, warn: 1, info: 2 };

/** Orders the gravest first. */
export function compareSeverities(left: Severity, right: Severity): number {
  return RANK[left] - RANK[right];
}
