import type { CaseOutcome, CheckResult, CompiledCase, CompiledCheck, Severity } from '../compiled.ts';
import type { CaseObservation, StoredBytes, StreamBytes } from '../observation.ts';
import { Concealment } from './concealment.ts';
import { speaksOfControl } from './controls.ts';
import { judgeExpectation } from './expectation.ts';
import { describeJudgement } from './judgement.ts';
import { ReferenceStandings } from './reference-standings.ts';
import { Seen } from './seen.ts';

/** What one check came to. `message` says what was seen; candidate text in it is escaped and cut, and never a canary of the case. */
export interface EvaluatedCheck {
  readonly id: string;
  readonly severity: Severity;
  readonly result: CheckResult;
  readonly message: string;
}

/** `reason` says why the outcome is neither `pass` nor `fail`; null for these. */
export interface CaseEvaluation {
  readonly checks: readonly EvaluatedCheck[];
  readonly outcome: Extract<CaseOutcome, 'pass' | 'fail' | 'error' | 'unrun' | 'unsupported'>;
  readonly reason:
    | 'budget'
    | 'interrupted'
    | 'not-observed'
    | 'check-not-judged'
    | 'control-failed'
    | 'no-check-exercised'
    | null;
}

/**
 * Re-derives every check result and the outcome of a case from what was seen. Pure: the same observation and
 * bytes give the same answer wherever and whenever it is asked.
 *
 * `observations` holds the case's own and, where an expectation names another case, that one's, all of one
 * Node version. `bytes` gives what was kept of streams and files; bytes that are missing or differ from the recorded digest make
 * what needs them unknown. Rules of the outcome: `CaseOutcome` in compiled.ts.
 */
export function evaluateCase(
  compiled: CompiledCase,
  observations: readonly CaseObservation[],
  bytes: StreamBytes | StoredBytes,
): CaseEvaluation {
  const seen = new Seen(compiled, observations, bytes);
  const own = seen.case(null);
  const references = new ReferenceStandings(compiled, own);
  const ofControls = compiled.checks.map((check) => speaksOfControl(check, compiled));
  const concealment = new Concealment(compiled);
  const checks = compiled.checks.map((check, index) => {
    const excluded = references.whyNotExercised(check);
    if (excluded !== null) return notExercised(check, excluded);
    const judged = evaluateCheck(check, seen);
    const evaluated = { ...judged, message: concealment.conceal(judged.message) };
    // What we ourselves could not show is no fault of the candidate.
    return ofControls[index] === true && evaluated.result === 'fail'
      ? { ...evaluated, result: 'error' as const }
      : evaluated;
  });
  if (own === null) return { checks, outcome: 'error', reason: 'not-observed' };
  const cut = own.steps.map((step) => step.termination.kind).find(isCutOff);
  if (cut !== undefined) return { checks, outcome: 'unrun', reason: cut };
  const failed = checks.some(({ result }, index) => ofControls[index] === true && result !== 'pass');
  if (failed) return { checks, outcome: 'error', reason: 'control-failed' };
  // The candidate is judged by its own: a reference neither passes nor fails a case, nor leaves it unjudged.
  const counted = checks.filter((_, index) => {
    const check = compiled.checks[index];
    return check !== undefined && !references.informs(check);
  });
  return { checks, ...outcomeOf(counted) };
}

function isCutOff(kind: string): kind is 'budget' | 'interrupted' {
  return kind === 'budget' || kind === 'interrupted';
}

/** Source of the order: design.md §3 and the docstring of `CaseOutcome`. */
export function outcomeOf(checks: readonly EvaluatedCheck[]): Pick<CaseEvaluation, 'outcome' | 'reason'> {
  if (checks.some((check) => check.severity === 'gate' && check.result === 'fail')) {
    return { outcome: 'fail', reason: null };
  }
  if (checks.some((check) => check.result === 'error')) {
    return { outcome: 'error', reason: 'check-not-judged' };
  }
  const exercised = checks.some((check) => check.result === 'pass' || check.result === 'fail');
  return exercised
    ? { outcome: 'pass', reason: null }
    : { outcome: 'unsupported', reason: 'no-check-exercised' };
}

function notExercised({ id, severity }: CompiledCheck, message: string): EvaluatedCheck {
  return { id, severity, result: 'not-exercised', message };
}

function evaluateCheck(check: CompiledCheck, seen: Seen): EvaluatedCheck {
  const { id, severity } = check;
  if (check.precondition !== null) {
    const precondition = judgeExpectation(check.precondition, seen);
    if (precondition.truth !== 'true') return notExercised(check, precondition.seen);
  }
  const judgement = judgeExpectation(check.expect, seen);
  return { id, severity, result: RESULTS[judgement.truth], message: describeJudgement(judgement) };
}

const RESULTS = { true: 'pass', false: 'fail', unknown: 'error' } as const;
