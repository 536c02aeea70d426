import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CasePlan } from './case-plan.ts';
import { orderPlans, Schedule } from './schedule.ts';
import { plainCase, plainPlan } from './testing/plain-case.ts';

function plan(suiteId: string, id: string, classification: string | null = null): CasePlan {
  const requires = classification === null ? null : { classification, classes: ['cli'] as const };
  return plainPlan({ suiteId, case: plainCase({ id, requires }) });
}

const ids = (plans: readonly CasePlan[]): readonly string[] => plans.map(({ case: one }) => one.id);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('classification cases come first and suites take turns', () => {
  const plans = [
    plan('a', 'a1'),
    plan('a', 'a2'),
    plan('a', 'a3', 'class'),
    plan('a', 'class'),
    plan('b', 'b1'),
  ];
  assert.deepEqual(ids(orderPlans(plans)), ['class', 'a1', 'b1', 'a2', 'a3']);
});

test('a seed decides the order, the same each time, and classification cases still come first', () => {
  const many = Array.from({ length: 30 }, (_, index) => plan('a', `case-${index}`, 'class'));
  const plans = [...many, plan('b', 'class'), plan('b', 'alone')];
  const orders = ['one', 'one', 'two'].map((seed) => ids(orderPlans(plans, seed)));
  assert.deepEqual(orders[0], orders[1]);
  assert.notDeepEqual(orders[0], orders[2]);
  for (const order of orders) {
    assert.equal(order[0], 'class');
    assert.deepEqual([...order].sort(), [...ids(plans)].sort());
  }
  const fewer = ids(orderPlans(plans.slice(5), 'one'));
  assert.deepEqual(
    orders[0]?.filter((id) => fewer.includes(id)),
    fewer,
  );
});

test('never more than the allowed number runs, and every place is used', async () => {
  let running = 0;
  let most = 0;
  const plans = Array.from({ length: 20 }, (_, index) => plan('a', `case-${index}`));
  const schedule = new Schedule(plans, 3, async (one) => {
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
    schedule.settle(one);
  });
  await schedule.run();
  assert.equal(most, 3);
});

test('a case waits for its classification to be settled without holding a place', async () => {
  const begun: string[] = [];
  const plans = [plan('a', 'needs', 'class'), plan('a', 'free'), plan('a', 'class')];
  let settleClass: () => void = () => {};
  const schedule = new Schedule(orderPlans(plans), 1, async (one) => {
    begun.push(one.case.id);
    if (one.case.id === 'class') settleClass = () => schedule.settle(one);
    else schedule.settle(one);
  });
  const done = schedule.run();
  await turn();
  assert.deepEqual(begun, ['class', 'free']);
  settleClass();
  await done;
  assert.deepEqual(begun, ['class', 'free', 'needs']);
});

test('a case whose classification is not in the run, and cases that wait for each other, are begun in the end', async () => {
  const begun: string[] = [];
  const plans = [plan('a', 'lonely', 'absent'), plan('a', 'x', 'y'), plan('a', 'y', 'x')];
  const schedule = new Schedule(plans, 2, async (one) => {
    begun.push(one.case.id);
    schedule.settle(one);
  });
  await schedule.run();
  assert.deepEqual([...begun].sort(), ['lonely', 'x', 'y']);
});

test('a schedule of nothing is done at once', async () => {
  await new Schedule([], 2, () => Promise.resolve()).run();
});
