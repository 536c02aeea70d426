import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STOP_GRACE_MS } from './limits.ts';
import { RunStop } from './run-stop.ts';

const NEVER = new Promise<never>(() => {});

test('the first stop names the run, and a later fault is kept beside it', () => {
  const stop = new RunStop();
  const fault = new Error('disk');
  stop.stop('budget');
  stop.stop('interrupted');
  stop.fail(fault);
  assert.equal(stop.kind, 'budget');
  assert.equal(stop.fault, fault);
  assert.equal(stop.signal.aborted, true);
});

test('a wait has its answer, its failure or its limit', async () => {
  const stop = new RunStop();
  assert.deepEqual(await stop.within(Promise.resolve(1), 1_000), { kind: 'done', value: 1 });
  const cause = new Error('no');
  assert.deepEqual(await stop.within(Promise.reject(cause), 1_000), { kind: 'failed', cause });
  assert.deepEqual(await stop.within(NEVER, 5), { kind: 'late', limitMs: 5 });
});

test('after the stop every wait ends within one common grace, whenever it began', async () => {
  const stop = new RunStop();
  const before = stop.within(NEVER, 60_000);
  const unlimited = stop.within(NEVER, null);
  const startedAtMs = performance.now();
  stop.stop('budget');
  const ends = await Promise.all([before, unlimited, stop.within(NEVER, 60_000)]);
  assert.deepEqual(
    ends.map(({ kind }) => kind),
    ['late', 'late', 'late'],
  );
  assert.deepEqual(await stop.within(NEVER, 60_000), { kind: 'late', limitMs: 0 });
  assert.ok(performance.now() - startedAtMs < 3 * STOP_GRACE_MS);
});

test('a limit that ends before the grace stays the limit', async () => {
  const stop = new RunStop();
  stop.stop('interrupted');
  assert.deepEqual(await stop.within(NEVER, 5), { kind: 'late', limitMs: 5 });
});
