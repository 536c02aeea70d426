import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faultOfSchema, misfitOf, SCHEMA_KEYWORDS } from './json-schema.ts';

/** Of each keyword a schema, a value that fits it, one that does not, and where it says so. */
const ROWS: readonly (readonly [schema: unknown, fits: unknown, misfits: unknown, at: string])[] = [
  [{ type: 'integer' }, 1, 1.5, ' type'],
  [{ type: ['null', 'array'] }, [], {}, ' type'],
  [{ const: { a: [1] } }, { a: [1] }, { a: [2] }, ' const'],
  [{ enum: [1, 'a'] }, 'a', 'b', ' enum'],
  [{ properties: { a: { type: 'string' } } }, { b: 1 }, { a: 1 }, '/a type'],
  [{ required: ['toString'] }, { toString: 1 }, {}, ' required toString'],
  [{ properties: { a: true }, additionalProperties: false }, { a: 1 }, { b: 1 }, '/b false'],
  [{ items: { minimum: 2 } }, [2, 'x'], [2, 1], '/1 minimum'],
  [{ minItems: 1 }, [1], [], ' minItems'],
  [{ maxItems: 1 }, [1], [1, 2], ' maxItems'],
  [{ minLength: 2 }, 'ab', '\u{1f600}', ' minLength'],
  [{ maxLength: 1 }, '\u{1f600}', 'ab', ' maxLength'],
  [{ pattern: '^a$' }, 'a', 'ba', ' pattern'],
  [{ minimum: 1 }, 1, 0, ' minimum'],
  [{ maximum: 1 }, 1, 2, ' maximum'],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 1, 3, ' maximum'],
  [{ anyOf: [{ type: 'null' }, { minimum: 1 }] }, null, 0, ' anyOf'],
  [{ not: { type: 'null' } }, 1, null, ' not'],
];

describe('the subset of JSON Schema', () => {
  for (const [schema, fits, misfits, at] of ROWS) {
    test(`${JSON.stringify(schema)} takes ${JSON.stringify(fits)} and not ${JSON.stringify(misfits)}`, () => {
      assert.equal(faultOfSchema(schema), null);
      assert.equal(misfitOf(schema, fits), null);
      assert.equal(misfitOf(schema, misfits), at);
    });
  }

  test('the rows have every keyword', () => {
    const used = new Set(ROWS.flatMap(([schema]) => Object.keys(schema as object)));
    assert.deepEqual(
      SCHEMA_KEYWORDS.filter((keyword) => !used.has(keyword)),
      [],
    );
  });

  for (const [schema, path] of [
    [1, []],
    [{ $ref: '#' }, ['$ref']],
    [{ uniqueItems: true }, ['uniqueItems']],
    [{ patternProperties: {} }, ['patternProperties']],
    [{ properties: { a: { type: 'text' } } }, ['properties', 'a', 'type']],
    [{ anyOf: [] }, ['anyOf']],
    [{ allOf: [true, { items: [] }] }, ['allOf', 1, 'items']],
    [{ pattern: '(a)\\1' }, ['pattern']],
    [{ minLength: -1 }, ['minLength']],
    [{ enum: [] }, ['enum']],
    [{ minimum: '1' }, ['minimum']],
    [{ required: 'a' }, ['required']],
  ] as const) {
    test(`${JSON.stringify(schema)} is none, at /${path.join('/')}`, () => {
      assert.deepEqual(faultOfSchema(schema)?.path, path);
    });
  }
});
