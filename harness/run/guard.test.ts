import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KillRecipe } from '../engine/engine.ts';
import { monotonicMs } from './clock.ts';
import { Guard } from './guard.ts';
import type { KillResult } from './result.ts';

const RECIPE: KillRecipe = { kind: 'pid', pid: 1, startTime: '1', remove: [] };

/** Kills that end when the test says so. */
function manualKiller() {
  const ends: ((result: KillResult) => void)[] = [];
  const removed: KillRecipe[] = [];
  return {
    ends,
    removed,
    kill: () => new Promise<KillResult>((resolve) => ends.push(resolve)),
    remove: async (recipe: KillRecipe) => removed.push(recipe) > 0,
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a box that is being killed is not killed again, and the end waits for it', async () => {
  const killer = manualKiller();
  const guard = new Guard(killer);
  guard.arm(0, 1);
  guard.fire();
  guard.register('box', RECIPE);
  let ended = false;
  const end = guard.removeAll().then(() => {
    ended = true;
  });
  await turn();
  assert.equal(killer.ends.length, 1);
  assert.equal(ended, false);
  assert.equal(killer.removed.length, 0);
  killer.ends[0]?.('killed');
  await end;
  assert.deepEqual(
    guard.record().kills.map(({ boxName, result }) => `${boxName} ${result}`),
    ['box killed'],
  );
  assert.equal(killer.removed.length, 1);
});

test('a kill that failed is tried again at the end, and both tries are recorded', async () => {
  const killer = manualKiller();
  const guard = new Guard(killer);
  guard.register('box', RECIPE);
  const first = guard.killAll();
  killer.ends[0]?.('failed');
  await first;
  const end = guard.removeAll();
  killer.ends[1]?.('killed');
  await end;
  assert.deepEqual(
    guard.record().kills.map(({ result }) => result),
    ['failed', 'killed'],
  );
});

test('a slow kill of one box does not delay that of another', async () => {
  const killer = manualKiller();
  const guard = new Guard(killer);
  guard.register('slow', RECIPE);
  guard.register('quick', RECIPE);
  void guard.killAll();
  await turn();
  assert.equal(killer.ends.length, 2);
});

test('a run that ends at its deadline, before the timer was run, has met it; one that ends earlier has not', () => {
  const over = new Guard(manualKiller());
  over.arm(monotonicMs() - 10, 5);
  over.noteEnd();
  assert.ok((over.record().firedAtMs ?? 0) >= 5);
  const early = new Guard(manualKiller());
  early.arm(monotonicMs(), 60_000);
  early.noteEnd();
  assert.equal(early.record().firedAtMs, null);
});
