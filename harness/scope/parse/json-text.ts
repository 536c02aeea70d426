import { visit } from 'jsonc-parser';
import { DEPTH_LIMIT } from '../limits.ts';
import type { ConfigValue } from './config-value.ts';
import type { DocumentProblem, ParsedText, ParserName } from './parsed.ts';

/**
 * Parses JSON or JSONC with the parser that VS Code itself uses, under our limits: the first error ends it,
 * nesting is bounded, and an object with the same key twice is refused, because readers differ on which one
 * they take.
 */
export function parseJsonText(text: string, parser: Exclude<ParserName, 'toml'>): ParsedText {
  if (parser === 'json' && !isStrictJson(text)) return { kind: 'refused', problem: 'syntax' };
  const builder = new TreeBuilder();
  try {
    visit(text, builder, {
      disallowComments: parser === 'json',
      allowTrailingComma: parser === 'jsonc',
      allowEmptyContent: false,
    });
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', problem: error.problem };
    throw error;
  }
  const value = builder.result;
  return value === undefined ? { kind: 'refused', problem: 'syntax' } : { kind: 'parsed', value };
}

/** The tolerant parser is lenient in corners (white space, control characters); the strict form has none. */
function isStrictJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Thrown through the visitor to stop it at once: what follows the first fault is never looked at. */
class Refusal extends Error {
  readonly problem: DocumentProblem;

  constructor(problem: DocumentProblem) {
    super(problem);
    this.problem = problem;
  }
}

type OpenNode =
  | { readonly kind: 'object'; readonly entries: Map<string, ConfigValue>; key: string }
  | { readonly kind: 'list'; readonly items: ConfigValue[] };

class TreeBuilder {
  result: ConfigValue | undefined;
  readonly #open: OpenNode[] = [];

  readonly onObjectBegin = (): void => {
    this.#enter({ kind: 'object', entries: new Map(), key: '' });
  };

  readonly onObjectProperty = (key: string): void => {
    const node = this.#open.at(-1);
    if (node?.kind !== 'object') throw new Refusal('syntax');
    if (node.entries.has(key)) throw new Refusal('duplicate-key');
    node.key = key;
    // Claimed at once, so that a key without a value is not lost and its double is still seen.
    node.entries.set(key, null);
  };

  readonly onObjectEnd = (): void => this.#leave();

  readonly onArrayBegin = (): void => {
    this.#enter({ kind: 'list', items: [] });
  };

  readonly onArrayEnd = (): void => this.#leave();

  readonly onLiteralValue = (value: unknown): void => {
    if (
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      value === null
    ) {
      this.#put(value);
      return;
    }
    throw new Refusal('syntax');
  };

  readonly onError = (): void => {
    throw new Refusal('syntax');
  };

  #enter(node: OpenNode): void {
    if (this.#open.length >= DEPTH_LIMIT) throw new Refusal('too-deep');
    this.#open.push(node);
  }

  #leave(): void {
    const node = this.#open.pop();
    if (node === undefined) throw new Refusal('syntax');
    this.#put(node.kind === 'object' ? node.entries : node.items);
  }

  #put(value: ConfigValue): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      if (this.result !== undefined) throw new Refusal('syntax');
      this.result = value;
    } else if (parent.kind === 'object') parent.entries.set(parent.key, value);
    else parent.items.push(value);
  }
}
