/** Whose fault an error is; the command line derives the exit code from it and from nothing else. */
export type FaultKind = 'usage' | 'candidate' | 'infrastructure' | 'evidence';

export interface FaultDetails {
  readonly where: string;
  readonly expected?: string;
  readonly actual?: string;
  readonly cause?: unknown;
}

const QUOTE_LIMIT = 200;

/**
 * Base of every folder's error class. The message reads `what: where: expected …, got …`.
 *
 * `where` is a path, id or field name; `actual` may hold candidate text and is escaped and cut at
 * 200 characters, because a hostile archive must not be able to write to a terminal through an error.
 */
export abstract class Fault extends Error {
  abstract readonly code: string;
  readonly kind: FaultKind;
  readonly what: string;
  readonly where: string;
  readonly expected: string | undefined;
  readonly actual: string | undefined;

  constructor(kind: FaultKind, what: string, details: FaultDetails) {
    super(toMessage(what, details), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.kind = kind;
    this.what = what;
    this.where = details.where;
    this.expected = details.expected;
    this.actual = details.actual;
  }
}

function toMessage(what: string, details: FaultDetails): string {
  const parts = [what, quoteText(details.where)];
  if (details.expected !== undefined || details.actual !== undefined) {
    parts.push(
      `expected ${details.expected ?? 'something else'}, got ${quoteText(details.actual ?? 'nothing')}`,
    );
  }
  return parts.join(': ');
}

/**
 * Makes untrusted text safe to print: every control, C1, bidi and line-separator character becomes a
 * `\u{…}` escape, and the result is cut at `limit` characters.
 */
export function quoteText(text: string, limit: number = QUOTE_LIMIT): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
