import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toDurations } from '../run/durations.ts';
import { selectCases } from '../run/select.ts';
import { plainCase } from '../run/testing/plain-case.ts';
import { isGlob, matchesGlob } from '../suite/case-glob.ts';
import type { CompiledCase, CompiledSuite } from '../suite/compiled.ts';
import { versionsOf } from '../suite/node-versions.ts';
import { globMatches } from '../verify/cases/glob.ts';
import { versionsOf as versionsToVerify } from '../verify/cases/node-choice.ts';
import { deriveStandings } from '../verify/cases/selection.ts';
import { Findings } from '../verify/finding.ts';
import { parseShape } from '../verify/shape/shape.ts';
import { glob as globShape, suiteShape } from '../verify/shape/suite.ts';

// Runner and verifier read the same selection by code of their own; here they are drawn against each other.

const atom = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '-',
  '*',
  '?',
  '{a,b}',
  '{,a*}',
  '{a.?,b,c*}',
  '..',
  '**',
  '{a}',
  '[a]',
);
const globs = fc.array(atom, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
const names = fc.stringMatching(/^[abc][abc.-]{0,7}$/);

test('both know the same globs, and match the same names', () => {
  let matched = 0;
  fc.assert(
    fc.property(globs, names, (glob, name) => {
      const isShaped = 'value' in parseShape(globShape, glob);
      assert.equal(isShaped, isGlob(glob), glob);
      if (!isGlob(glob)) return;
      const ours = matchesGlob(glob, name);
      matched += ours ? 1 : 0;
      assert.equal(globMatches(glob, name), ours, `${glob} ${name}`);
    }),
    { numRuns: 4000 },
  );
  assert.ok(matched > 100, `${matched} matched`);
});

/** A case at this place of the suite; what it requires and compares with are earlier cases. */
const caseAt = fc.record({
  tags: fc.subarray(['fast', 'slow', 'net.a']),
  requires: fc.option(fc.nat(), { nil: null, freq: 3 }),
  compares: fc.option(fc.nat(), { nil: null, freq: 4 }),
});

function toCases(
  drawn: readonly {
    readonly tags: readonly string[];
    readonly requires: number | null;
    readonly compares: number | null;
  }[],
): readonly CompiledCase[] {
  const ids = drawn.map((_, index) => `${'abc'.charAt(index % 3)}${index}.${index % 5}`);
  const earlier = (index: number, pick: number | null): string | null =>
    pick === null || index === 0 ? null : (ids[pick % index] ?? null);
  return drawn.map(({ tags, requires, compares }, index) => {
    const id = ids[index] ?? '';
    const [needed, other] = [earlier(index, requires), earlier(index, compares)];
    const stdout = { caseId: null, step: 'run', stream: 'stdout' } as const;
    const plain = plainCase({ id, tags });
    const [check] = plain.checks;
    return {
      ...plain,
      requires: needed === null ? null : { classification: needed, classes: ['cli'] },
      checks:
        other === null || check === undefined
          ? plain.checks
          : [
              {
                ...check,
                expect: { kind: 'streams-equal', left: stdout, right: { ...stdout, caseId: other } },
              },
            ],
    };
  });
}

const selections = fc.record({
  only: fc.array(fc.constantFrom('a*', 'b?.*', 'c{1,2,5}.*', 'tag:fast', 'tag:net.*', '*.3'), {
    maxLength: 2,
  }),
  shard: fc.option(
    fc
      .integer({ min: 1, max: 4 })
      .chain((count) => fc.record({ index: fc.integer({ min: 1, max: count }), count: fc.constant(count) })),
    { nil: null },
  ),
  shuffle: fc.constant(null),
});

/** What cases took, in the order of the suite; some of them, or none are known. */
const took = fc.option(fc.array(fc.nat({ max: 50 }), { maxLength: 25 }), { nil: null });

test('both select the same cases', () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(caseAt, { minLength: 1, maxLength: 30 }), selections, took, (drawn, asked, ms) => {
      const cases = toCases(drawn);
      const exclusions = [{ cases: cases.at(-1)?.id ?? '', reason: 'a sample', count: 1 }];
      const suite: CompiledSuite = {
        ...{ formatVersion: 1, id: 's', title: '', proves: [], doesNotProve: [] },
        ...{ archives: [], cases, exclusions, expectedUnsupported: [] },
      };
      const parsed = parseShape(suiteShape, suite);
      assert.ok('value' in parsed);
      const durations =
        ms === null
          ? null
          : toDurations(new Map(cases.flatMap(({ id }, at) => (ms[at] === undefined ? [] : [[id, ms[at]]]))));
      const selection = { ...asked, shard: asked.shard === null ? null : { ...asked.shard, durations } };
      const recorded = {
        ...asked,
        shard: asked.shard === null ? null : { ...asked.shard, durationsSha256: durations?.sha256 ?? null },
      };
      const findings = new Findings();
      const known = durations === null ? null : Object.fromEntries(durations.ms);
      const standings = deriveStandings([parsed.value], recorded, known, findings);
      const theirs = [...standings].filter(([, { kind }]) => kind === 'selected').map(([id]) => id);
      try {
        const { selected, excluded } = selectCases([suite], selection);
        assert.deepEqual(theirs.sort(), [...selected].sort());
        assert.deepEqual([...excluded.keys()], [cases.at(-1)?.id]);
        assert.deepEqual(findings.list(), []);
        compared += 1;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        assert.equal(findings.list()[0]?.code, 'SELECTION_MISMATCH', String(error));
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(compared > 100, `${compared} compared`);
});

const versions = fc.tuple(
  fc.constantFrom(0, 19, 20, 22, 9999),
  fc.constantFrom(0, 5, 20),
  fc.constantFrom(0, 1, 9999),
);
const version = versions.map((parts) => parts.join('.'));
const ranges = fc.record({ from: version, below: fc.option(version, { nil: null }) });
const choices = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('each' as const, 'first' as const) },
  { weight: 6, arbitrary: fc.array(ranges, { minLength: 1, maxLength: 3 }) },
);

test('both let a case stand on the same Node versions', () => {
  let narrowed = 0;
  fc.assert(
    fc.property(choices, fc.uniqueArray(version, { maxLength: 5 }), (node, of) => {
      const ours = versionsOf({ node }, of);
      narrowed += ours.length > 1 && ours.length < of.length ? 1 : 0;
      assert.deepEqual(versionsToVerify({ node }, of), ours);
      assert.equal(ours.length > 0, of.length > 0);
    }),
    { numRuns: 2000 },
  );
  assert.ok(narrowed > 100, `${narrowed} narrowed`);
});
