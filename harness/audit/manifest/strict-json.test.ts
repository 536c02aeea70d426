import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonArray, isJsonObject, type JsonValue, parseStrictJson } from './strict-json.ts';

const DEPTH = 64;

/** Back to plain values, to compare with `JSON.parse`. */
function toPlain(value: JsonValue): unknown {
  if (isJsonArray(value)) return value.map(toPlain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries([...value].map(([key, inner]) => [key, toPlain(inner)]));
}

function tryNative(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

describe('the strict parser', () => {
  it('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (text, space) => {
        const spaced = JSON.stringify(JSON.parse(text), null, space);
        const parsed = parseStrictJson(spaced, DEPTH);
        assert.equal(parsed.kind, 'parsed');
        if (parsed.kind === 'parsed') assert.deepEqual(toPlain(parsed.value), JSON.parse(spaced));
      }),
    );
  });

  it('accepts exactly the texts that JSON.parse accepts', () => {
    const piece = fc.constantFrom(
      ...'{}[]",:\\ \n\t01-.eEuatrfn'.split(''),
      'true',
      'null',
      '"a"',
      '\u0001',
      '1e5',
      '\\u00e9',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        assert.equal(parseStrictJson(text, DEPTH).kind === 'parsed', tryNative(text) !== null, text);
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts a changed document exactly when JSON.parse does', () => {
    const good = JSON.stringify({ name: 'a', list: [1, -2.5e3, true, null], text: 'é\n"\\' });
    fc.assert(
      fc.property(
        fc.nat(good.length - 1),
        fc.constantFrom('', '"', '{', ']', ',', '0', '\\', ' '),
        (at, other) => {
          const text = good.slice(0, at) + other + good.slice(at + 1);
          assert.equal(parseStrictJson(text, DEPTH).kind === 'parsed', tryNative(text) !== null, text);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('tells what JSON.parse hides', () => {
    const text = '{"a":{"b":1,"b":1,"b":2},"__proto__":1,"x/y~":{"prototype":1},"c":["\\ud800x"]}';
    const parsed = parseStrictJson(text, DEPTH);
    assert.deepEqual(parsed.kind === 'parsed' ? parsed.oddities : parsed, [
      { kind: 'duplicate-key', pointer: '/a/b', same: true },
      { kind: 'duplicate-key', pointer: '/a/b', same: false },
      { kind: 'proto-key', pointer: '/__proto__' },
      { kind: 'constructor-key', pointer: '/x~1y~0/prototype' },
      { kind: 'lone-surrogate', pointer: '/c/0' },
    ]);
  });

  it('keeps a prototype key as a plain member', () => {
    const parsed = parseStrictJson('{"__proto__":{"polluted":true}}', DEPTH);
    assert.equal(
      parsed.kind === 'parsed' && isJsonObject(parsed.value) && parsed.value.has('__proto__'),
      true,
    );
    assert.equal('polluted' in {}, false);
  });

  it('stops at its depth, not one level before', () => {
    assert.equal(parseStrictJson('['.repeat(3) + ']'.repeat(3), 3).kind, 'parsed');
    assert.deepEqual(parseStrictJson('['.repeat(4) + ']'.repeat(4), 3), { kind: 'too-deep', offset: 3 });
  });
});
