/** Words after which a slash begins a pattern and a brace begins an object. */
export const EXPRESSION_WORDS = new Set(
  'return typeof case in of instanceof new void delete throw yield await extends default'.split(' '),
);

/** Words after which a slash begins a pattern but a brace begins a block. */
export const BLOCK_WORDS = new Set('do else try finally'.split(' '));

/** Words whose parenthesis is followed by a statement. */
export const CONTROL_WORDS = new Set('if while for with'.split(' '));

/** Words after which the rest of the statement may not happen. */
export const CONDITION_WORDS = new Set(
  'if else for while do switch case default catch finally with return throw break continue'.split(' '),
);

/** Words that begin a statement, wherever the one before it ended. */
export const STATEMENT_WORDS = new Set('const let var import export class'.split(' '));

/** Names that CommonJS gives to every module. */
export const COMMONJS_NAMES = new Set('require module exports __dirname __filename'.split(' '));

const OTHER_WORDS = 'from as function'.split(' ');

const ALL = new Set([
  ...EXPRESSION_WORDS,
  ...BLOCK_WORDS,
  ...CONTROL_WORDS,
  ...CONDITION_WORDS,
  ...STATEMENT_WORDS,
  ...COMMONJS_NAMES,
  ...OTHER_WORDS,
]);

/** For each first letter a bit for each length that occurs; most names are told apart without being cut out. */
const LENGTHS = buildLengths();

function buildLengths(): Uint32Array {
  const lengths = new Uint32Array(128);
  for (const word of ALL) {
    const first = word.charCodeAt(0);
    lengths[first] = (lengths[first] ?? 0) | (1 << word.length);
  }
  return lengths;
}

/** The text of a token when it is a word that means something here, else the empty text. */
export function readKeyword(source: string, start: number, end: number): string {
  const length = end - start;
  if (length > 10 || ((LENGTHS[source.charCodeAt(start)] ?? 0) & (1 << length)) === 0) return '';
  const word = source.slice(start, end);
  return ALL.has(word) ? word : '';
}
