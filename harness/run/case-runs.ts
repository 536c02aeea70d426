import { referencedCases } from '../suite/needs.ts';
import { informingChecks } from '../suite/references.ts';
import { describeFailure } from './bounded.ts';
import type { CasePlan } from './case-plan.ts';
import { type CaseProgress, ProgressBook } from './case-progress.ts';
import { type CaseSetting, type ObservedAttempt, observeCase } from './case-runner.ts';
import { monotonicMs, roundMs } from './clock.ts';
import type { Judge, Observed } from './evaluation.ts';
import { EVALUATION_LIMIT_MS } from './limits.ts';
import { combineAttempts, type OverallOutcome } from './outcome.ts';
import type { Reporter } from './reporter.ts';
import { checkRequirement } from './requirement.ts';
import type { CaseAttempt, CaseRun } from './result.ts';
import { orderPlans, Schedule } from './schedule.ts';

export interface CaseRunsSetting {
  readonly cases: CaseSetting;
  readonly judge: Judge;
  readonly jobs: number;
  readonly repeat: number;
  /** Seed of the order; null: suites take turns. */
  readonly shuffle: string | null;
  readonly reporter: Reporter;
}

/**
 * Runs all selected cases of a run and evaluates each, in another process, once the bytes it speaks of are
 * there. Evaluation never holds a place of a box.
 */
export class CaseRuns {
  readonly #setting: CaseRunsSetting;
  readonly #book: ProgressBook;
  readonly #schedule: Schedule;

  constructor(plans: readonly CasePlan[], setting: CaseRunsSetting) {
    this.#setting = setting;
    this.#book = new ProgressBook(plans);
    this.#schedule = new Schedule(orderPlans(plans, setting.shuffle), setting.jobs, (plan) =>
      this.#begin(plan),
    );
  }

  /** Every planned case, settled, in the order of the plans. */
  async run(): Promise<readonly CaseRun[]> {
    await this.#schedule.run();
    return this.#book.all.flatMap(({ run }) => run ?? []);
  }

  /** Resolves when the boxes of the case are closed; the rest goes on behind that. */
  async #begin(plan: CasePlan): Promise<void> {
    const progress = this.#book.find(plan.case.id, plan.node);
    if (progress === null) return;
    const startedAtMs = monotonicMs();
    const settle = (overall: OverallOutcome, attempts: readonly CaseAttempt[]): void =>
      this.#settle(progress, { overall, attempts, durationMs: roundMs(monotonicMs() - startedAtMs) });
    try {
      const refusal = await checkRequirement(plan, this.#book, this.#setting.judge);
      if (refusal !== null) {
        settle({ ...refusal, checks: [] }, []);
        return;
      }
      progress.setAttempts(await this.#observe(plan));
    } catch (fault) {
      this.#fail(fault);
      settle(NOT_OBSERVED, []);
      return;
    }
    void this.#judge(progress).then(
      (attempts) => settle(combineAttempts(attempts, informingChecks(plan.case)), attempts),
      (fault: unknown) => {
        this.#fail(fault);
        settle(NOT_OBSERVED, []);
      },
    );
  }

  async #observe(plan: CasePlan): Promise<readonly ObservedAttempt[]> {
    const { reporter, repeat, cases } = this.#setting;
    reporter.caseStarted({ suiteId: plan.suiteId, caseId: plan.case.id, node: plan.node });
    const attempts: ObservedAttempt[] = [];
    for (let attempt = 1; attempt <= repeat; attempt += 1) {
      attempts.push(await observeCase(plan, attempt, cases));
    }
    return attempts;
  }

  async #judge(progress: CaseProgress): Promise<readonly CaseAttempt[]> {
    const others = referencedCases(progress.plan.case).flatMap(
      (id) => this.#book.find(id, progress.plan.node) ?? [],
    );
    await Promise.all(others.map((other) => other.observed));
    return Promise.all(progress.attempts.map((attempt) => this.#judgeAttempt(progress, attempt, others)));
  }

  async #judgeAttempt(
    progress: CaseProgress,
    seen: ObservedAttempt,
    others: readonly CaseProgress[],
  ): Promise<CaseAttempt> {
    const { attempt, observation, spooled, kept, problem } = seen;
    if (problem !== null || observation === null) {
      const why = problem ?? { outcome: 'error', reason: 'not-observed', detail: '' };
      return { attempt, observation, spooled, kept, checks: [], ...why };
    }
    const observed: readonly Observed[] = [
      { observation, spooled, kept },
      ...others.flatMap((other) => other.seenAt(attempt) ?? []),
    ];
    const { judge, cases } = this.#setting;
    const judging = judge.evaluate(progress.plan.case, observed, EVALUATION_LIMIT_MS);
    const answer = await cases.stop.within(judging, null);
    if (answer.kind === 'done') return { attempt, observation, spooled, kept, detail: '', ...answer.value };
    const detail = describeFailure(answer);
    const unjudged = { attempt, observation, spooled, kept, checks: [], detail };
    return cases.stop.kind === 'budget' || cases.stop.kind === 'interrupted'
      ? { ...unjudged, outcome: 'unrun', reason: cases.stop.kind }
      : { ...unjudged, outcome: 'error', reason: 'not-evaluated' };
  }

  #settle(
    progress: CaseProgress,
    end: {
      readonly overall: OverallOutcome;
      readonly attempts: readonly CaseAttempt[];
      readonly durationMs: number;
    },
  ): void {
    const { suiteId, case: one, node } = progress.plan;
    const { overall, attempts, durationMs } = end;
    const run: CaseRun = { suiteId, caseId: one.id, node, attempts, durationMs, ...overall };
    progress.settle(run);
    this.#report(run);
    this.#schedule.settle(progress.plan);
  }

  #report(run: CaseRun): void {
    try {
      this.#setting.reporter.caseEnded(run);
    } catch (fault) {
      this.#fail(fault);
    }
  }

  #fail(fault: unknown): void {
    this.#setting.cases.stop.fail(fault);
  }
}

/** Stands for a case whose run met a fault; the run as a whole then has no result. */
const NOT_OBSERVED: OverallOutcome = { outcome: 'error', reason: 'not-observed', detail: '', checks: [] };
