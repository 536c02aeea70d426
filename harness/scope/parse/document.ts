import { MARK_LIMIT } from '../limits.ts';
import type { ConfigObject } from './config-value.ts';
import { isConfigObject } from './config-value.ts';
import { parseJsonText } from './json-text.ts';
import type { DocumentProblem, ParserName } from './parsed.ts';
import { parseTomlText } from './toml-text.ts';

export type ParsedDocument =
  | { readonly kind: 'parsed'; readonly root: ConfigObject }
  | { readonly kind: 'refused'; readonly problem: DocumentProblem };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Turns the bytes of one configuration file into its root object, or into one word why not.
 *
 * Never throws, whatever the bytes; expects at most CONFIG_LIMIT_BYTES of them.
 */
export function parseDocument(bytes: Uint8Array, parser: ParserName): ParsedDocument {
  const text = decodeUtf8(bytes);
  if (text === null) return { kind: 'refused', problem: 'invalid-utf8' };
  const marked = text.startsWith(BYTE_ORDER_MARK);
  if (marked && parser !== 'jsonc') return { kind: 'refused', problem: 'byte-order-mark' };
  if (countMarks(text, parser) > MARK_LIMIT) return { kind: 'refused', problem: 'too-many-values' };
  const body = marked ? text.slice(1) : text;
  const parsed = parser === 'toml' ? parseTomlText(body) : parseJsonText(body, parser);
  if (parsed.kind === 'refused') return parsed;
  return isConfigObject(parsed.value)
    ? { kind: 'parsed', root: parsed.value }
    : { kind: 'refused', problem: 'not-an-object' };
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Never less than the values of the document; nothing is built for it. */
function countMarks(text: string, parser: ParserName): number {
  const marks = parser === 'toml' ? TOML_MARKS : JSON_MARKS;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (marks.has(text.charCodeAt(index))) count += 1;
  }
  return count;
}

const JSON_MARKS = codesOf('{[:');
/** A dot in a key makes a table of its own. */
const TOML_MARKS = codesOf('{[=.');

function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}
