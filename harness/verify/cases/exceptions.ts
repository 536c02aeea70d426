import { once } from '../files/once.ts';
import type { Findings } from '../finding.ts';
import type { Suite, SuiteException } from '../shape/suite.ts';
import { globMatches } from './glob.ts';
import { namedBy } from './suite-rules.ts';

export interface Exceptions {
  /** Reasons by case id. */
  readonly excluded: ReadonlyMap<string, string>;
  readonly unsupported: ReadonlyMap<string, string>;
}

export function readExceptions(suite: Suite): Exceptions {
  return once(suite, 'exceptions', () => findExceptions(suite));
}

function findExceptions(suite: Suite): Exceptions {
  const reasons = (list: readonly SuiteException[]): ReadonlyMap<string, string> =>
    new Map(
      list.flatMap(({ cases, reason }) =>
        suite.cases
          .filter(({ id }) => globMatches(cases, id))
          .map(({ id }): [string, string] => [id, reason]),
      ),
    );
  return { excluded: reasons(suite.exclusions), unsupported: reasons(suite.expectedUnsupported) };
}

/** An exception matches as many cases as it says, none of them in two; what is excluded is not needed. */
export function checkExceptionRules(suite: Suite, path: string, findings: Findings): void {
  const seen = new Set<string>();
  for (const list of ['exclusions', 'expectedUnsupported'] as const) {
    for (const [index, { cases, count }] of suite[list].entries()) {
      const at = `${path}.${list}[${index}]`;
      const matched = suite.cases.map(({ id }) => id).filter((id) => globMatches(cases, id));
      findings.same('SUITE_EXCEPTION', `${at}.count`, matched.length, count);
      const twice = matched.find((id) => seen.has(id));
      if (twice !== undefined) findings.add('SUITE_EXCEPTION', at, 'each case in one exception', twice);
      for (const id of matched) seen.add(id);
    }
  }
  const { excluded } = readExceptions(suite);
  for (const [index, { id, requires, checks }] of suite.cases.entries()) {
    if (excluded.has(id)) continue;
    const stated = checks.flatMap(({ precondition, expect }) => [
      ...(precondition === null ? [] : [precondition]),
      expect,
    ]);
    const named = [requires?.classification, ...stated.flatMap(namedBy).map(({ caseId }) => caseId)];
    const needed = named.find((one) => typeof one === 'string' && excluded.has(one));
    if (needed !== undefined)
      findings.add('SUITE_EXCEPTION', `${path}.cases[${index}]`, 'no need of an excluded case', needed);
  }
}
