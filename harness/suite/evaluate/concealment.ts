import { quoteText } from '../../document/fault.ts';
import type { CompiledCase, Expectation } from '../compiled.ts';
import { CANARY_LEAST } from '../limits.ts';

/** What stands in a message where the value of a canary stood. */
const CONCEALED = '<canary>';
/** Where `quoteText` cut a text. */
const CUT = '…';

/**
 * Takes the canaries of a case out of messages about it, which end in terminals and logs. A message holds texts of
 * the candidate from their beginning or that of a line, escaped and cut at their end: so looked for is a canary, a
 * line of one, and the beginning of either before a cut, each as it is escaped.
 */
export class Concealment {
  readonly #texts: readonly string[];

  constructor({ checks }: Pick<CompiledCase, 'checks'>) {
    const canaries = checks.flatMap(({ expect, precondition }) => [
      ...canariesOf(expect),
      ...(precondition === null ? [] : canariesOf(precondition)),
    ]);
    const lines = canaries
      .flatMap((text) => text.split(/\r?\n/))
      .filter((line) => line.length >= CANARY_LEAST);
    const written = [...canaries, ...lines].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
    // The longest first: what is part of another canary must not leave the rest of that one behind.
    this.#texts = [...new Set(written)].sort((left, right) => right.length - left.length);
  }

  conceal(message: string): string {
    let concealed = message;
    for (const text of this.#texts) concealed = concealed.replaceAll(quote(text), CONCEALED);
    return concealed.includes(CUT) ? this.#concealCut(concealed) : concealed;
  }

  #concealCut(message: string): string {
    const pieces = message.split(CUT);
    const last = pieces.pop() ?? '';
    return [...pieces.map((piece) => this.#concealEnd(piece)), last].join(CUT);
  }

  #concealEnd(piece: string): string {
    const begun = this.#texts.map((text) => beginningAtEnd(piece, text));
    const longest = Math.max(0, ...begun);
    return longest === 0 ? piece : `${piece.slice(0, -longest)}${CONCEALED}`;
  }
}

function canariesOf(expectation: Expectation): readonly string[] {
  switch (expectation.kind) {
    case 'no-canaries':
      return expectation.texts;
    case 'all':
    case 'any':
      return expectation.of.flatMap(canariesOf);
    case 'not':
      return canariesOf(expectation.of);
    default:
      return [];
  }
}

/** Characters at the end of a piece that are the beginning of the text, as it is escaped. */
function beginningAtEnd(piece: string, text: string): number {
  for (let length = text.length - 1; length > 0; length -= 1) {
    const beginning = quote(text.slice(0, length));
    if (piece.endsWith(beginning)) return beginning.length;
  }
  return 0;
}

function quote(text: string): string {
  return quoteText(text, text.length);
}
