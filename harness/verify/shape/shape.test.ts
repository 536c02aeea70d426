import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitting, type Misfit, matching, parseShape, recordOf, type Shape, text } from './shape.ts';
import { suiteShape } from './suite.ts';

/** Fixed, so that a red run can be repeated. */
const SEED = 20_260_106;

function misfits(shape: Shape<unknown>, value: unknown): readonly Misfit[] {
  const parsed = parseShape(shape, value);
  return 'misfits' in parsed ? parsed.misfits : [];
}

test('characters are counted as Unicode counts them, as JSON Schema does', () => {
  const three = text(3);
  assert.deepEqual(misfits(three, '\u{1f600}\u{1f600}\u{1f600}'), []);
  assert.deepEqual(misfits(three, 'a\u{1f600}bc'), [
    { at: '', expected: 'a text', actual: '"a\u{1f600}bc"' },
  ]);
  assert.equal(misfits(three, '\u{1f600}'.repeat(4)).length, 1);
  assert.equal(misfits(three, 'abcd').length, 1);
});

test('a pattern that a schema could not carry is refused when the shape is made', () => {
  const refused = { name: 'RangeError', message: /has no flags: \/a\/s/ };
  assert.throws(() => matching(/a/s, 1), refused);
  assert.throws(() => recordOf(text(1), /a/s, 1), refused);
  const late = fitting({ pattern: /a/s, most: 1, what: 'a', fits: Boolean });
  assert.throws(() => late.schema({ refer: () => ({}) }), refused);
});

test('the published pattern of base64 accepts what the verifier accepts', () => {
  const pattern = publishedBase64();
  const characters = fc.constantFrom(...'ABCDgwxyz01289+/=-_ ');
  const strings = fc.oneof(
    fc.string({ unit: characters, maxLength: 9 }),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  );
  fc.assert(
    fc.property(strings, (value) => {
      assert.equal(pattern.test(value), Buffer.from(value, 'base64').toString('base64') === value, value);
    }),
    { seed: SEED, numRuns: 5000 },
  );
});

/** Looked up in the schema of compiled suites, which has it twice. */
function publishedBase64(): RegExp {
  let found = '';
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'contentBase64') found = String(Reflect.get(item, 'pattern'));
      visit(item);
    }
  };
  const seen = new Set<string>();
  const schema = suiteShape.schema({
    refer: (name, write) => {
      if (seen.has(name)) return {};
      seen.add(name);
      return write();
    },
  });
  visit(schema);
  assert.match(found, /^\^/);
  return new RegExp(found, 'u');
}
