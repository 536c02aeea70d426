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

/** What to do when a check of a case failed: its author's advice, or what holds for its kind. */
export function adviceIn(context: PreparedContext): (run: CaseRun, check: string) => string {
  const advice = new Map<string, string>();
  for (const { bytes } of context.suites) {
    for (const one of parseCompiledSuiteBytes(bytes).cases) {
      for (const check of one.checks) advice.set(`${one.id}\n${check.id}`, adviceOfCheck(check));
    }
  }
  return (run, check) => advice.get(`${run.caseId}\n${check}`) ?? COMMON;
}

/** The author's words before ours. */
export function adviceOfCheck(check: CompiledCheck): string {
  if (check.advice !== '') return check.advice;
  if (check.expect.kind === 'no-canaries') return OF_CANARY;
  if (check.why.endsWith(DEFAULT_MARK)) return OF_DEFAULT;
  return exactOf(check) === null ? COMMON : OF_EXACT;
}
