import type { PreparedContext } from '../prepare/read-context.ts';
import type { CaseRun } from '../run/result.ts';
import type { CompiledCheck } from '../suite/compiled.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { exactOf } from './update/seen.ts';

// Of checks whose author gives no advice; said here so that a suite does not repeat it in every check.
const COMMON = 'change the program, or the suite if this behaviour is wanted';
/** `--update` follows what is stated exactly, and shows it before anything is written. */
const OF_EXACT = `${COMMON} (--update offers to write what was seen)`;
/** What holds without being stated is in no place that `--update` could write to. */
const OF_DEFAULT = 'change the program, or state in the suite what is wanted instead of the default';
/** The end of the reasons of checks that a suite has by default. */
const DEFAULT_MARK = ' (default)';
/** What leaks a secret is never wanted. */
const OF_CANARY = 'keep this value out of what the program prints and writes';

/**
 * What to do when a check of a case failed: its author's advice, or what holds for its kind. The suites are read when
 * it is asked for the first time: of most runs nothing failed.
 */
export function adviceIn(context: PreparedContext): (run: CaseRun, check: string) => string {
  let advice: ReadonlyMap<string, string> | null = null;
  return (run, check) => {
    advice ??= readAdvice(context);
    return advice.get(`${run.caseId}\n${check}`) ?? COMMON;
  };
}

function readAdvice(context: PreparedContext): ReadonlyMap<string, string> {
  const cases = context.suites.flatMap(({ bytes }) => parseCompiledSuiteBytes(bytes).cases);
  return new Map(
    cases.flatMap(({ id, checks }) =>
      checks.map((check) => [`${id}\n${check.id}`, adviceOfCheck(check)] as const),
    ),
  );
}

/** The author's words before ours. */
export function adviceOfCheck(check: CompiledCheck): string {
  if (check.advice !== '') return check.advice;
  if (check.expect.kind === 'no-canaries') return OF_CANARY;
  if (check.why.endsWith(DEFAULT_MARK)) return OF_DEFAULT;
  return exactOf(check) === null ? COMMON : OF_EXACT;
}
