import type { CaseRun } from '../run/result.ts';
import { type Claims, claimsOfCase } from '../suite/claims.ts';
import type { RunReport } from './report.ts';

/** What the receipt of a case says that a pass shows and does not show. */
export type FindClaims = (run: Pick<CaseRun, 'suiteId' | 'caseId'>) => Claims;

const NONE: Claims = { proves: [], doesNotProve: [] };

/** The sentences that each case carries, found by what the report says of its suite. */
export function toFindClaims(suites: RunReport['suites']): FindClaims {
  const bySuite = new Map(
    suites.map((suite) => [
      suite.id,
      { suite, own: new Map(suite.caseClaims.map((claims) => [claims.caseId, claims])) },
    ]),
  );
  return ({ suiteId, caseId }) => {
    const found = bySuite.get(suiteId);
    return found === undefined ? NONE : claimsOfCase(found.suite, found.own.get(caseId) ?? NONE);
  };
}
