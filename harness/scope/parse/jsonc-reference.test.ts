import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ParseError, parse } from 'jsonc-parser';
import { parseDocument } from './document.ts';

/**
 * The acceptance of JSONC compared with `parse` of the parser that VS Code uses, in the mode in which it reads
 * its own settings. Ours goes through the visitor of that parser and adds rules; it must never accept more.
 */

const RUNS = 400;

/** Where ours may refuse what the reference accepts: rules of ours, not of the syntax. */
const OWN_RULES: readonly string[] = ['duplicate-key', 'too-deep', 'not-an-object'];

/** Broken pieces are rare, or no document of some size would be whole. */
function mostly(good: readonly string[], bad: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

const gap = fc.constantFrom('', '', ' ', '\n', '\t', '// c\n', '/* c */', '/**//**/', '\r\n');
const comma = mostly([','], [',,', '', ';']);
const key = mostly(['"a"', '"b"', '"c"', '"\\u0064"', '"__proto__"', '""'], ['a', "'a'", '1', '"\\u0061"']);
const scalar = mostly(
  ['1', '-0.5e3', '"x"', '"\\n"', 'true', 'null'],
  ['"\\q"', '"', 'NaN', '01', '.5', '+1', '"\t"', 'undefined'],
);

const { document } = fc.letrec<{ value: string; object: string; list: string; document: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, tie('object'), tie('list')),
  object: fc
    .tuple(
      fc.array(fc.tuple(gap, key, gap, mostly([':'], ['', '=']), gap, tie('value'), gap), { maxLength: 4 }),
      comma,
      fc.boolean(),
    )
    .map(
      ([entries, separator, trailing]) =>
        `{${entries.map((parts) => parts.join('')).join(separator)}${trailing ? ',' : ''}}`,
    ),
  list: fc
    .tuple(fc.array(fc.tuple(gap, tie('value'), gap), { maxLength: 3 }), comma, fc.boolean())
    .map(
      ([items, separator, trailing]) =>
        `[${items.map((parts) => parts.join('')).join(separator)}${trailing ? ',' : ''}]`,
    ),
  document: fc.tuple(gap, tie('object'), gap, mostly([''], ['{}', 'x', '/*'])).map((parts) => parts.join('')),
}));

function referenceAccepts(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false });
  return errors.length === 0;
}

function verdictOf(text: string): string {
  const read = parseDocument(Buffer.from(text), 'jsonc');
  return read.kind === 'parsed' ? 'parsed' : read.problem;
}

describe('JSONC', () => {
  it(`is accepted as the reference accepts it, over ${RUNS} documents`, () => {
    const counts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(document, (text) => {
        const verdict = verdictOf(text);
        if (referenceAccepts(text)) {
          counts.accepted += 1;
          assert.ok(verdict === 'parsed' || OWN_RULES.includes(verdict), `${verdict}: ${text}`);
        } else {
          counts.refused += 1;
          assert.notEqual(verdict, 'parsed', text);
        }
      }),
      { numRuns: RUNS, seed: 20261130 },
    );
    assert.ok(counts.accepted >= 50 && counts.refused >= 50, JSON.stringify(counts));
  });

  it('strict JSON is accepted exactly as the language accepts it', () => {
    fc.assert(
      fc.property(document, (text) => {
        let accepts = true;
        try {
          JSON.parse(text);
        } catch {
          accepts = false;
        }
        const read = parseDocument(Buffer.from(text), 'json');
        const verdict = read.kind === 'parsed' ? 'parsed' : read.problem;
        assert.ok(accepts ? verdict === 'parsed' || OWN_RULES.includes(verdict) : verdict === 'syntax', text);
      }),
      { numRuns: RUNS, seed: 20261130 },
    );
  });
});
