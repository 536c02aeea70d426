import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from './arrivals.ts';
import { ARRIVAL_RUNS_LIMIT } from './limits.ts';

test('bytes of one stream that arrive together are one run, and a change of stream starts another', () => {
  const arrivals = new Arrivals();
  arrivals.add('stdout', 3, 1);
  arrivals.add('stdout', 4, 2);
  arrivals.add('stderr', 1, 2);
  arrivals.add('stdout', 2, 3);
  arrivals.add('stdout', 5, 50);
  assert.deepEqual(arrivals.list(), [
    { stream: 'stdout', sizeBytes: 7, atMs: 1 },
    { stream: 'stderr', sizeBytes: 1, atMs: 2 },
    { stream: 'stdout', sizeBytes: 2, atMs: 3 },
    { stream: 'stdout', sizeBytes: 5, atMs: 50 },
  ]);
});

test('a candidate that alternates for ever gets a bounded record whose sums stay exact', () => {
  const arrivals = new Arrivals();
  const rounds = ARRIVAL_RUNS_LIMIT * 2;
  for (let round = 0; round < rounds; round += 1) {
    arrivals.add('stdout', 1, round);
    arrivals.add('stderr', 2, round);
  }
  const runs = arrivals.list();
  const sum = (stream: string): number =>
    runs.filter((run) => run.stream === stream).reduce((total, run) => total + run.sizeBytes, 0);
  assert.equal(runs.length, ARRIVAL_RUNS_LIMIT);
  assert.equal(sum('stdout'), rounds);
  assert.equal(sum('stderr'), 2 * rounds);
});

test('an empty chunk is not an arrival', () => {
  const arrivals = new Arrivals();
  arrivals.add('stdout', 0, 1);
  assert.deepEqual(arrivals.list(), []);
});
