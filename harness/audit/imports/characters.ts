/** Character codes that the token reader decides on. */
export const CODE = {
  tab: 0x09,
  newline: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  bang: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  dollar: 0x24,
  ampersand: 0x26,
  quote: 0x27,
  openParen: 0x28,
  closeParen: 0x29,
  star: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  slash: 0x2f,
  colon: 0x3a,
  semicolon: 0x3b,
  equals: 0x3d,
  greater: 0x3e,
  question: 0x3f,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  backtick: 0x60,
  openBrace: 0x7b,
  bar: 0x7c,
  closeBrace: 0x7d,
} as const;

const WORD = buildWordTable();

function buildWordTable(): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$\\') {
    table[character.charCodeAt(0)] = 1;
  }
  return table;
}

/**
 * Whether a character belongs to a name or number. Everything beyond ASCII counts, but for the separators
 * that JavaScript takes for white space; a backslash counts because names can hold escapes.
 */
export function isWordCode(code: number): boolean {
  if (code < 128) return WORD[code] === 1;
  return !isWideSpace(code) && !Number.isNaN(code);
}

export function isSpaceCode(code: number): boolean {
  return (code <= CODE.space && code >= CODE.tab && code !== 0x0e) || (code >= 128 && isWideSpace(code));
}

export function isLineEnd(code: number): boolean {
  return code === CODE.newline || code === CODE.carriageReturn || code === 0x2028 || code === 0x2029;
}

function isWideSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}
