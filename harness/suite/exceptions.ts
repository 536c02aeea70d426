import { isGlob, matchesGlob } from './case-glob.ts';
import type { CompiledSuite, SuiteException } from './compiled.ts';
import { needsOf } from './needs.ts';

type ExceptedSuite = Pick<CompiledSuite, 'cases' | 'exclusions' | 'expectedUnsupported'>;

/** Reasons of the cases that the suite excludes, by case id. */
export function excludedCases(suite: ExceptedSuite): ReadonlyMap<string, string> {
  return reasonsOf(suite, suite.exclusions);
}

/** Reasons of the cases that the suite expects to be unsupported, by case id. */
export function expectedUnsupportedCases(suite: ExceptedSuite): ReadonlyMap<string, string> {
  return reasonsOf(suite, suite.expectedUnsupported);
}

function reasonsOf(suite: ExceptedSuite, exceptions: readonly SuiteException[]): ReadonlyMap<string, string> {
  return new Map(
    exceptions.flatMap((exception) =>
      matchedBy(suite, exception).map((id): [string, string] => [id, exception.reason]),
    ),
  );
}

function matchedBy({ cases }: ExceptedSuite, exception: SuiteException): readonly string[] {
  return cases.map(({ id }) => id).filter((id) => matchesGlob(exception.cases, id));
}

export interface ExceptionProblem {
  readonly code: 'EXCEPTION_STALE' | 'EXCEPTION_COUNT' | 'EXCEPTION_TWICE' | 'EXCLUDED_BUT_NEEDED';
  readonly list: 'exclusions' | 'expectedUnsupported';
  readonly index: number;
  readonly expected: string;
  readonly actual: string;
}

/**
 * What is wrong with the exceptions of a suite whose fields are well-formed: one that matches no case or
 * another number than it says, a case in two of them, an excluded case that another one needs.
 */
export function checkExceptions(suite: ExceptedSuite): readonly ExceptionProblem[] {
  const seen = new Set<string>();
  return (['exclusions', 'expectedUnsupported'] as const).flatMap((list) =>
    suite[list].flatMap((exception, index): readonly ExceptionProblem[] => {
      if (!isGlob(exception.cases)) return [];
      const found = findProblem(suite, exception, { seen, isExclusion: list === 'exclusions' });
      return found === null ? [] : [{ list, index, ...found }];
    }),
  );
}

function findProblem(
  suite: ExceptedSuite,
  exception: SuiteException,
  { seen, isExclusion }: { readonly seen: Set<string>; readonly isExclusion: boolean },
): Pick<ExceptionProblem, 'code' | 'expected' | 'actual'> | null {
  const matched = matchedBy(suite, exception);
  if (matched.length === 0) {
    return { code: 'EXCEPTION_STALE', expected: 'a glob of cases of this suite', actual: exception.cases };
  }
  if (matched.length !== exception.count) {
    const expected = `count: ${matched.length}, as ${exception.cases} matches`;
    return { code: 'EXCEPTION_COUNT', expected, actual: String(exception.count) };
  }
  const twice = matched.find((id) => seen.has(id));
  for (const id of matched) seen.add(id);
  if (twice !== undefined) {
    return { code: 'EXCEPTION_TWICE', expected: 'each case in one exception', actual: twice };
  }
  return isExclusion ? findNeeded(suite, new Set(matched)) : null;
}

function findNeeded(
  suite: ExceptedSuite,
  matched: ReadonlySet<string>,
): Pick<ExceptionProblem, 'code' | 'expected' | 'actual'> | null {
  const excluded = excludedCases(suite);
  for (const one of suite.cases) {
    const needed = excluded.has(one.id) ? undefined : needsOf(one).find((id) => matched.has(id));
    if (needed === undefined) continue;
    const expected = `no case that ${one.id} needs, or that one excluded too`;
    return { code: 'EXCLUDED_BUT_NEEDED', expected, actual: needed };
  }
  return null;
}
