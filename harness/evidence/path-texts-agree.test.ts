import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boxPathBytes, isBoxPath, toBoxPath } from '../document/box-path.ts';
import { isPathText, toPathBytes } from '../verify/path-text.ts';

/** Bytes near the edges of UTF-8, so that most runs of them are nearly characters. */
const edges = fc.constantFrom(
  0x00,
  0x25,
  0x32,
  0x41,
  0x7f,
  0x80,
  0x8f,
  0x90,
  0x9f,
  0xa0,
  0xbf,
  0xc0,
  0xc1,
  0xc2,
  0xdf,
  0xe0,
  0xe1,
  0xec,
  0xed,
  0xee,
  0xef,
  0xf0,
  0xf1,
  0xf3,
  0xf4,
  0xf5,
  0xff,
);

test('both sides write and read names of any bytes alike', () => {
  fc.assert(
    fc.property(fc.array(edges, { maxLength: 8 }), (list) => {
      const bytes = Buffer.from(list);
      const text = toBoxPath(bytes);
      assert.deepEqual(toPathBytes(text), bytes);
      assert.deepEqual(boxPathBytes(text), bytes);
      assert.equal(isPathText(text), true);
    }),
    { numRuns: 5000 },
  );
});

test('both sides refuse the same texts', () => {
  const part = fc.oneof(
    fc.constantFrom('%', '%2', '%25', '%FF', '%ff', '%C3', '%A9', '%41', '\u00e9', '\u00c3', '\ud800', 'a'),
    fc.string({ maxLength: 2, unit: 'binary' }),
  );
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const text = parts.join('');
      seen.add(isPathText(text));
      assert.equal(isPathText(text), isBoxPath(text), JSON.stringify(text));
    }),
    { numRuns: 5000 },
  );
  assert.equal(seen.size, 2);
});
