import type { CompiledCase, CompiledSuite } from './compiled.ts';

/** What a pass shows, and what it does not show, in sentences for people. */
export interface Claims {
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
}

export interface CaseClaims extends Claims {
  readonly caseId: string;
}

/** What the receipt of a case carries: the sentences of its suite, then its own. */
export function claimsOfCase(suite: Claims, one: Claims): Claims {
  return {
    proves: [...suite.proves, ...one.proves],
    doesNotProve: [...suite.doesNotProve, ...one.doesNotProve],
  };
}

/** What report and statement carry of single cases: those that say something of their own, in order. */
export function claimsOfCases(cases: readonly CompiledCase[]): readonly CaseClaims[] {
  return cases
    .filter(({ proves, doesNotProve }) => proves.length + doesNotProve.length > 0)
    .map(({ id, proves, doesNotProve }) => ({ caseId: id, proves, doesNotProve }));
}

/** Statements of a suite about what may differ between two runs of the same thing. */
export function countVolatile(suite: Pick<CompiledSuite, 'cases'>): number {
  return suite.cases.reduce((count, one) => count + one.volatile.length, 0);
}
