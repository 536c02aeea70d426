import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledCase, CompiledCheck } from '../suite/compiled.ts';
import { RunError } from './errors.ts';
import { selectCases } from './select.ts';
import { EXITS_ZERO, plainCase } from './testing/plain-case.ts';

const comparesWith = (caseId: string): CompiledCheck => ({
  ...EXITS_ZERO,
  id: 'compares',
  precondition: {
    kind: 'all',
    of: [
      {
        kind: 'not',
        of: {
          kind: 'streams-equal',
          left: { caseId: null, step: 'run', stream: 'stdout' },
          right: { caseId, step: 'run', stream: 'stdout' },
        },
      },
    ],
  },
});

const CASES: readonly CompiledCase[] = [
  plainCase({ id: 'bin.class' }),
  plainCase({ id: 'bin.help', requires: { classification: 'bin.class', classes: ['cli'] } }),
  plainCase({ id: 'bin.twice', checks: [comparesWith('bin.help')] }),
  plainCase({ id: 'other.one' }),
  plainCase({ id: 'other.two' }),
];

const ALL = { only: [], shard: null };

test('a selection without globs and shard is every case', () => {
  assert.deepEqual([...selectCases(CASES, ALL)].sort(), CASES.map(({ id }) => id).sort());
});

test('a selected case brings its classification and the cases that its checks compare with', () => {
  assert.deepEqual([...selectCases(CASES, { ...ALL, only: ['*.twice'] })].sort(), [
    'bin.class',
    'bin.help',
    'bin.twice',
  ]);
  assert.deepEqual([...selectCases(CASES, { ...ALL, only: ['other.*'] })].sort(), ['other.one', 'other.two']);
});

test('a selection of nothing is refused and says of how many', () => {
  assert.throws(
    () => selectCases(CASES, { ...ALL, only: ['nothing-*'] }),
    (error: unknown) =>
      error instanceof RunError &&
      error.code === 'NO_CASES_SELECTED' &&
      error.where === 'nothing-*' &&
      error.actual === '0 of 5',
  );
});

test('shards are disjoint, complete, and keep cases that need each other together', () => {
  const many = [...CASES, ...Array.from({ length: 200 }, (_, index) => plainCase({ id: `many-${index}` }))];
  const count = 4;
  const shards = [1, 2, 3, 4].map((index) => selectCases(many, { only: [], shard: { index, count } }));
  const ids = shards.flatMap((shard) => [...shard]);
  assert.equal(ids.length, many.length);
  assert.equal(new Set(ids).size, many.length);
  assert.equal(shards.filter((shard) => shard.has('bin.class') && shard.has('bin.twice')).length, 1);
  for (const shard of shards) assert.ok(shard.size > 25, `a shard of ${shard.size} cases`);
});

test('a new case moves no other case to another shard', () => {
  const shardOf = (cases: readonly CompiledCase[], id: string): readonly number[] =>
    [1, 2, 3].filter((index) => selectCases(cases, { only: [], shard: { index, count: 3 } }).has(id));
  const few = Array.from({ length: 30 }, (_, index) => plainCase({ id: `case-${index}` }));
  const more = [plainCase({ id: 'a-new-one' }), ...few, plainCase({ id: 'z-new-one' })];
  for (const { id } of few) assert.deepEqual(shardOf(more, id), shardOf(few, id));
});
