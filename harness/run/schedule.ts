import { sha256Hex } from '../document/digest.ts';
import type { CasePlan } from './case-plan.ts';
import { planKey } from './case-plan.ts';

/**
 * The order in which cases are begun: classification cases first, because others wait for them, then the
 * rest; within each group the suites take turns, so that a long suite does not keep a short one waiting.
 *
 * With a seed each group is in the order of `sha256(seed LF case id LF node)`, in hex: the same on every
 * machine, and a new case moves no other two.
 */
export function orderPlans(plans: readonly CasePlan[], shuffle: string | null = null): readonly CasePlan[] {
  const needed = new Set(
    plans.flatMap(({ case: one }) => (one.requires === null ? [] : [one.requires.classification])),
  );
  const first = plans.filter((plan) => needed.has(plan.case.id));
  const rest = plans.filter((plan) => !needed.has(plan.case.id));
  const arrange = shuffle === null ? takeTurns : (group: readonly CasePlan[]) => mix(group, shuffle);
  return [...arrange(first), ...arrange(rest)];
}

function mix(plans: readonly CasePlan[], seed: string): readonly CasePlan[] {
  const places = new Map(
    plans.map((plan) => [
      plan,
      sha256Hex(Buffer.from(`${seed}\n${planKey(plan.case.id, plan.node)}`, 'utf8')),
    ]),
  );
  const placeOf = (plan: CasePlan): string => places.get(plan) ?? '';
  return [...plans].sort((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1));
}

function takeTurns(plans: readonly CasePlan[]): readonly CasePlan[] {
  const bySuite = new Map<string, CasePlan[]>();
  for (const plan of plans) {
    const list = bySuite.get(plan.suiteId);
    if (list === undefined) bySuite.set(plan.suiteId, [plan]);
    else list.push(plan);
  }
  const lists = [...bySuite.values()];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const rounds = Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list[round] ?? []));
  return rounds.flat();
}

/** The classification that a plan waits for, on its own Node version; null when it waits for none. */
export function waitsFor(plan: CasePlan): string | null {
  return plan.case.requires === null ? null : planKey(plan.case.requires.classification, plan.node);
}

/**
 * Begins cases in order, at most `jobs` at a time, each one when what it waits for is settled.
 *
 * A case that waits never holds a place, so cases cannot block each other; when nothing runs and all that is
 * left waits, the wait is in vain (its classification is not in the run) and the next one is begun anyway.
 */
export class Schedule {
  readonly #waiting: CasePlan[];
  readonly #jobs: number;
  readonly #settled = new Set<string>();
  readonly #begin: (plan: CasePlan) => Promise<void>;
  #running = 0;
  #unsettled = 0;
  #finish: () => void = () => {};
  readonly #finished: Promise<void> = new Promise((resolve) => {
    this.#finish = resolve;
  });

  /** `plans` in the order to begin; `begin` resolves when the case's place is free again and must not reject. */
  constructor(plans: readonly CasePlan[], jobs: number, begin: (plan: CasePlan) => Promise<void>) {
    this.#waiting = [...plans];
    this.#jobs = jobs;
    this.#begin = begin;
  }

  /** Resolves when every case was begun and settled. */
  run(): Promise<void> {
    this.#fill();
    return this.#finished;
  }

  /** The outcome of the case stands; cases that waited for it may begin. */
  settle(plan: CasePlan): void {
    this.#settled.add(planKey(plan.case.id, plan.node));
    this.#unsettled -= 1;
    this.#fill();
  }

  #fill(): void {
    while (this.#running < this.#jobs) {
      const next = this.#takeNext();
      if (next === null) break;
      this.#running += 1;
      this.#unsettled += 1;
      void this.#begin(next).then(() => {
        this.#running -= 1;
        this.#fill();
      });
    }
    if (this.#waiting.length === 0 && this.#running === 0 && this.#unsettled === 0) this.#finish();
  }

  #takeNext(): CasePlan | null {
    const ready = this.#waiting.findIndex((plan) => {
      const key = waitsFor(plan);
      return key === null || this.#settled.has(key);
    });
    if (ready !== -1) return this.#waiting.splice(ready, 1)[0] ?? null;
    const stuck = this.#unsettled === 0 && this.#waiting.length > 0;
    return stuck ? (this.#waiting.shift() ?? null) : null;
  }
}
