import { TERMINAL_TEXT_LIMIT } from './limits.ts';

/**
 * Makes a name or path safe to print: every character that a terminal acts on or that cannot be seen becomes
 * `\u{…}`, as do a quotation mark and what reads like such an escape, so that no name can pretend to be
 * another row. The rest is cut.
 *
 * An own copy of the harness's escaping, on purpose: this folder imports nothing of the harness, so that the
 * inventory can be read and reviewed by itself.
 */
export function toTerminalText(text: string, limit: number = TERMINAL_TEXT_LIMIT): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut
    .replace(PRETENDS, escapeCharacter)
    .replace(UNSAFE, escapeCharacter)
    .replace(BUILD_COMMAND, escapeCharacter);
}

/**
 * One JSON document as text: the values are unchanged, but whatever a terminal or a build system could act on
 * is written as an escape of JSON itself, so that a document shown in a log is as harmless as the human output.
 */
export function toJsonText(document: unknown): string {
  return JSON.stringify(document).replace(UNSAFE, toUnits).replace(BUILD_COMMAND, toUnits);
}

/**
 * Controls, format characters (bidi, zero width, tags), separators of lines, private use, lone surrogates, and
 * letters that are drawn as nothing. Source: Unicode general categories and Default_Ignorable_Code_Point.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Build systems heed `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere in a line of a log. */
const BUILD_COMMAND = /#(?=#[a-z]*\[)/gi;

const PRETENDS = /"|\\(?=u\{)/g;

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** JSON writes a character above the basic plane as its two halves. */
function toUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
