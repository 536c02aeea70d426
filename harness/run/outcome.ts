import type { CaseOutcome } from '../suite/compiled.ts';
import type { CaseAttempt, CaseRun, CheckVerdict, OutcomeCounts, OutcomeReason } from './result.ts';

export interface OverallOutcome {
  readonly outcome: CaseOutcome;
  readonly reason: OutcomeReason | null;
  readonly detail: string;
  readonly checks: readonly CheckVerdict[];
}

/**
 * What the attempts of one case come to. One attempt speaks for itself. Several that differ in outcome or in
 * any check's result are `flaky`; one that could not be run or seen makes the case what that attempt is,
 * because neither sameness nor difference was then shown.
 *
 * `attempts` is not empty. `informing`: ids of the checks that speak of references, which differ without a bearing.
 */
export function combineAttempts(
  attempts: readonly CaseAttempt[],
  informing: ReadonlySet<string> = new Set(),
): OverallOutcome {
  const unseen = attempts.find(({ outcome }) => outcome === 'unrun' || outcome === 'error');
  const last = attempts.at(-1);
  const speaker = unseen ?? last;
  if (speaker === undefined) {
    return { outcome: 'error', reason: 'not-observed', detail: 'no attempt', checks: [] };
  }
  const overall = pickOverall(speaker);
  if (unseen !== undefined) return overall;
  const own = signatureOf(speaker, informing);
  const odd = attempts.find((attempt) => signatureOf(attempt, informing) !== own);
  if (odd === undefined) return overall;
  const detail = `attempt ${odd.attempt} ${odd.outcome}, attempt ${speaker.attempt} ${speaker.outcome}`;
  return { ...overall, outcome: 'flaky', reason: 'attempts-differ', detail };
}

function pickOverall({ outcome, reason, detail, checks }: CaseAttempt): OverallOutcome {
  return { outcome, reason, detail, checks };
}

function signatureOf(attempt: CaseAttempt, informing: ReadonlySet<string>): string {
  const counted = attempt.checks.filter(({ id }) => !informing.has(id));
  const results = counted.map((check) => `${check.id}=${check.result}`);
  return [attempt.outcome, ...results].join('\n');
}

/** How many cases had each outcome; every outcome has its number, 0 included. */
export function countOutcomes(cases: readonly Pick<CaseRun, 'outcome'>[]): OutcomeCounts {
  const counts = { pass: 0, fail: 0, error: 0, unrun: 0, excluded: 0, unsupported: 0, flaky: 0 };
  for (const { outcome } of cases) counts[outcome] += 1;
  return counts;
}

/** What the command line derives a run's exit code from; it ranks them, we only say what holds. */
export interface ExitInputs {
  /** A case is `fail` or `flaky`. */
  readonly failed: boolean;
  /** A case is `error`. */
  readonly infrastructure: boolean;
  readonly budgetExhausted: boolean;
  readonly interrupted: boolean;
}

export function toExitInputs(
  cases: readonly Pick<CaseRun, 'outcome' | 'reason'>[],
  interrupted: boolean,
): ExitInputs {
  return {
    failed: cases.some(({ outcome }) => outcome === 'fail' || outcome === 'flaky'),
    infrastructure: cases.some(({ outcome }) => outcome === 'error'),
    budgetExhausted: cases.some(({ outcome, reason }) => outcome === 'unrun' && reason === 'budget'),
    interrupted,
  };
}
