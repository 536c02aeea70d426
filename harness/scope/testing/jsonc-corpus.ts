import fc from 'fast-check';
import { getNodeValue, type Node, type ParseError, parse, parseTree } from 'jsonc-parser';

/** Fixed, so that every machine makes the same corpus. */
export const CORPUS_SEED = 20261130;

/** Of which enough stay when doubles and what a rule of ours refuses are left out. */
const SAMPLED = 600;
const CORPUS_SIZE = 240;
const MARKED_EACH = 8;
const BYTE_ORDER_MARK = '\ufeff';

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

const { document: jsoncDocument } = fc.letrec<{
  value: string;
  object: string;
  list: string;
  document: string;
}>((tie) => ({
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

export { jsoncDocument };

/** Whether the parser of VS Code accepts the text, in the mode in which VS Code reads its own settings. */
export function referenceAccepts(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text.replace(BYTE_ORDER_MARK, ''), errors, {
    allowTrailingComma: true,
    disallowComments: false,
    allowEmptyContent: false,
  });
  return errors.length === 0;
}

/**
 * The documents on which acceptance is compared inside a box: none has a key twice, because refusing that is a rule
 * of ours. Some start with a byte order mark, which VS Code drops before it parses.
 */
export function jsoncCorpus(): readonly string[] {
  const sampled = [...new Set(fc.sample(jsoncDocument, { numRuns: SAMPLED, seed: CORPUS_SEED }))];
  const fair = sampled.filter((text) => !hasDoubleKey(text));
  return fair
    .slice(0, CORPUS_SIZE)
    .map((text, index) => (index % MARKED_EACH === 0 ? `${BYTE_ORDER_MARK}${text}` : text));
}

function hasDoubleKey(text: string): boolean {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root !== undefined && hasDouble(root);
}

function hasDouble(node: Node): boolean {
  const keys = node.type === 'object' ? (node.children ?? []).map((pair) => keyOf(pair)) : [];
  return new Set(keys).size !== keys.length || (node.children ?? []).some(hasDouble);
}

function keyOf(pair: Node): unknown {
  const [key] = pair.children ?? [];
  return key === undefined ? undefined : getNodeValue(key);
}
