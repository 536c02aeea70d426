import type { BinClass } from '../suite/compiled.ts';
import { type CasePlan, planKey } from './case-plan.ts';
import type { ObservedAttempt } from './case-runner.ts';
import type { Observed } from './evaluation.ts';
import type { CaseRun } from './result.ts';

/** One planned case on its way from waiting to settled. */
export class CaseProgress {
  readonly plan: CasePlan;
  #attempts: readonly ObservedAttempt[] = [];
  #run: CaseRun | null = null;
  #class: Promise<BinClass> | null = null;
  #markObserved: () => void = () => {};
  /** Resolves when the attempts are there, or when it is known that there will be none. */
  readonly observed: Promise<void> = new Promise((resolve) => {
    this.#markObserved = resolve;
  });

  constructor(plan: CasePlan) {
    this.plan = plan;
  }

  get attempts(): readonly ObservedAttempt[] {
    return this.#attempts;
  }

  /** Null until settled. */
  get run(): CaseRun | null {
    return this.#run;
  }

  setAttempts(attempts: readonly ObservedAttempt[]): void {
    this.#attempts = attempts;
    this.#markObserved();
  }

  settle(run: CaseRun): void {
    this.#run = run;
    this.#markObserved();
  }

  /** What an evaluation of attempt `attempt` is given of this case: that attempt, else the last one seen in full. */
  seenAt(attempt: number): Observed | null {
    const whole = this.#attempts.filter(({ problem }) => problem === null);
    const chosen = whole.find((one) => one.attempt === attempt) ?? whole.at(-1);
    if (chosen?.observation === undefined || chosen.observation === null) return null;
    return { observation: chosen.observation, spooled: chosen.spooled, kept: chosen.kept };
  }

  /** Classifies once, however many cases ask. */
  classOnce(classify: () => Promise<BinClass>): Promise<BinClass> {
    this.#class ??= classify();
    return this.#class;
  }
}

/** All cases of a run by id and Node version. */
export class ProgressBook {
  readonly all: readonly CaseProgress[];
  readonly #byKey: ReadonlyMap<string, CaseProgress>;

  constructor(plans: readonly CasePlan[]) {
    this.all = plans.map((plan) => new CaseProgress(plan));
    this.#byKey = new Map(this.all.map((one) => [planKey(one.plan.case.id, one.plan.node), one]));
  }

  find(caseId: string, node: string): CaseProgress | null {
    return this.#byKey.get(planKey(caseId, node)) ?? null;
  }
}
