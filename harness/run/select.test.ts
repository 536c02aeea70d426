import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CompiledCase, CompiledCheck, CompiledSuite } from '../suite/compiled.ts';
import { RunError } from './errors.ts';
import type { Selection } from './request.ts';
import { homesOfRun, selectCases } from './select.ts';
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
  plainCase({
    id: 'bin.help',
    tags: ['help', 'fast'],
    requires: { classification: 'bin.class', classes: ['cli'] },
  }),
  plainCase({ id: 'bin.twice', checks: [comparesWith('bin.help')] }),
  plainCase({ id: 'other.one', tags: ['fast'] }),
  plainCase({ id: 'other.two' }),
];

const ALL: Selection = { only: [], shard: null, shuffle: null };

function suite(cases: readonly CompiledCase[], exceptions: Partial<CompiledSuite> = {}): CompiledSuite {
  const empty = {
    title: '',
    proves: [],
    doesNotProve: [],
    archives: [],
    exclusions: [],
    expectedUnsupported: [],
  };
  return { formatVersion: 1, id: 's', cases, ...empty, ...exceptions };
}

/** The home of every case, by the digest of its id. */
function homesOf(cases: readonly CompiledCase[], count: number): ReadonlyMap<string, number> {
  return homesOfRun([suite(cases)], [], { count, durations: null });
}

function idsOf(cases: readonly CompiledCase[], selection: Partial<Selection>): readonly string[] {
  return [...selectCases([suite(cases)], { ...ALL, ...selection }).selected].sort();
}

const refused =
  (code: string, where: string, actual: string) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof RunError);
    assert.deepEqual([error.code, error.kind, error.where, error.actual], [code, 'usage', where, actual]);
    return true;
  };

test('a selection without globs and shard is every case', () => {
  assert.deepEqual(idsOf(CASES, {}), CASES.map(({ id }) => id).sort());
});

test('a selected case brings its classification and the cases that its checks compare with', () => {
  assert.deepEqual(idsOf(CASES, { only: ['*.twice'] }), ['bin.class', 'bin.help', 'bin.twice']);
  assert.deepEqual(idsOf(CASES, { only: ['other.*'] }), ['other.one', 'other.two']);
});

test('cases are selected by tag, by id, and by either of several patterns', () => {
  assert.deepEqual(idsOf(CASES, { only: ['tag:fast'] }), ['bin.class', 'bin.help', 'other.one']);
  assert.deepEqual(idsOf(CASES, { only: ['tag:h*', 'other.two'] }), ['bin.class', 'bin.help', 'other.two']);
  assert.deepEqual(idsOf(CASES, { only: ['other.{one,three}'] }), ['other.one']);
});

test('a pattern that selects nothing is refused, also beside one that selects something', () => {
  for (const only of [['nothing-*'], ['other.*', 'nothing-*']]) {
    assert.throws(() => idsOf(CASES, { only }), refused('PATTERN_MATCHES_NOTHING', 'nothing-*', '0 of 5'));
  }
  assert.throws(
    () => idsOf(CASES, { only: ['tag:slow'] }),
    refused('PATTERN_MATCHES_NOTHING', 'tag:slow', '0 of 5'),
  );
});

test('a selection of nothing is refused and says of how many', () => {
  const [lonely] = CASES;
  const shards = [1, 2].map((index) => ({ index, count: 2, durations: null }));
  const empty = shards.filter((shard) => homesOf(CASES, 2).get('bin.class') !== shard.index);
  assert.ok(lonely !== undefined);
  for (const shard of empty) {
    const where = `shard ${shard.index}/2`;
    assert.throws(() => idsOf([lonely], { shard }), refused('NO_CASES_SELECTED', where, '0 of 1'));
  }
  assert.equal(empty.length, 1);
});

test('an excluded case is never selected, and its reason is kept', () => {
  const exclusions = [{ cases: 'other.*', reason: 'needs a network', count: 2 }];
  const { selected, excluded } = selectCases([suite(CASES, { exclusions })], ALL);
  assert.deepEqual([...selected].sort(), ['bin.class', 'bin.help', 'bin.twice']);
  assert.deepEqual(
    [...excluded],
    ['other.one', 'other.two'].map((id) => [id, 'needs a network']),
  );
  assert.throws(
    () => selectCases([suite(CASES, { exclusions })], { ...ALL, only: ['other.*'] }),
    refused('PATTERN_MATCHES_NOTHING', 'other.*', '0 of 3'),
  );
});

test('every case has one home, compared cases the same, and classifications run wherever they are required', () => {
  const many = [
    ...CASES,
    ...Array.from({ length: 200 }, (_, index) => plainCase({ id: `many-${index}` })),
    ...Array.from({ length: 20 }, (_, index) =>
      plainCase({ id: `bin.more-${index}`, requires: { classification: 'bin.class', classes: ['cli'] } }),
    ),
  ];
  const count = 4;
  const homes = homesOf(many, count);
  const shards = [1, 2, 3, 4].map((index) => ({
    index,
    ids: idsOf(many, { shard: { index, count, durations: null } }),
  }));
  for (const { index, ids } of shards) {
    const own = many.filter(({ id }) => homes.get(id) === index).map(({ id }) => id);
    assert.ok(own.length > 25, `a shard of ${own.length} cases`);
    assert.deepEqual(
      ids.filter((id) => homes.get(id) !== index),
      homes.get('bin.class') === index ? [] : ['bin.class'],
    );
    assert.deepEqual(
      own.filter((id) => !ids.includes(id)),
      [],
    );
  }
  assert.equal(homes.get('bin.twice'), homes.get('bin.help'));
});

test('a new case moves no other case to another shard', () => {
  const few = Array.from({ length: 30 }, (_, index) => plainCase({ id: `case-${index}` }));
  const more = [plainCase({ id: 'a-new-one' }), ...few, plainCase({ id: 'z-new-one' })];
  for (const { id } of few) assert.equal(homesOf(more, 3).get(id), homesOf(few, 3).get(id));
});

test('shards of any number are disjoint and complete', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/), { minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      (ids, count) => {
        const homes = homesOf(
          ids.map((id) => plainCase({ id })),
          count,
        );
        assert.deepEqual([...homes.keys()].sort(), [...ids].sort());
        for (const home of homes.values()) assert.ok(home >= 1 && home <= count);
      },
    ),
    { numRuns: 50 },
  );
});
