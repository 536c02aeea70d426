import { TERMINAL_TEXT_LIMIT } from './limits.ts';

/**
 * Makes a name or path safe to print: every control, C1, bidi, zero-width and line-separator character and
 * every lone surrogate becomes `\u{…}`, and the rest is cut.
 *
 * An own copy of the harness's escaping, on purpose: this folder imports nothing of the harness, so that the
 * inventory can be read and reviewed by itself.
 */
export function toTerminalText(text: string, limit: number = TERMINAL_TEXT_LIMIT): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut.replace(UNSAFE, escapeCharacter);
}

/**
 * One JSON document as text: the values are unchanged, but whatever a terminal could act on is written as an
 * escape of JSON itself, so that a document shown on a screen is as harmless as the human output.
 */
export function toJsonText(document: unknown): string {
  return JSON.stringify(document).replace(
    UNSAFE,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0') ?? ''}`,
  );
}

// All of the basic plane, so that one \uXXXX of JSON is always enough.
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu;

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
