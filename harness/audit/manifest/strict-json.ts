/** A JSON value whose objects are maps, so that no key of the candidate can reach a prototype. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** Something that parses but should not be there; `pointer` is a JSON pointer (RFC 6901). */
export type JsonOddity =
  | { readonly kind: 'duplicate-key'; readonly pointer: string; readonly same: boolean }
  | { readonly kind: 'proto-key' | 'constructor-key' | 'lone-surrogate'; readonly pointer: string };

export type JsonParse =
  | { readonly kind: 'parsed'; readonly value: JsonValue; readonly oddities: readonly JsonOddity[] }
  | { readonly kind: 'syntax'; readonly offset: number; readonly expected: string }
  | { readonly kind: 'too-deep'; readonly offset: number };

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Oddities that are kept; a hostile document can hold hundreds of thousands. */
const ODDITY_LIMIT = 1000;

/**
 * Parses JSON by RFC 8259 and nothing more lenient, telling what `JSON.parse` hides: duplicate keys, keys
 * that reach prototypes, halves of characters.
 *
 * Of duplicate keys the last holds, as for `JSON.parse`. Never throws; time is linear, recursion is bounded
 * by `depthLimit`.
 */
export function parseStrictJson(text: string, depthLimit: number): JsonParse {
  return new Parser(text, depthLimit).parse();
}

/** Type guard for an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

/** Type guard for a list; `Array.isArray` alone does not narrow a readonly union. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Adds one step to a JSON pointer, escaped by RFC 6901. */
export function toPointer(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

type Failure = Exclude<JsonParse, { kind: 'parsed' }>;

class Parser {
  readonly #text: string;
  readonly #depthLimit: number;
  readonly #oddities: JsonOddity[] = [];
  #at = 0;
  #failure: Failure | null = null;

  constructor(text: string, depthLimit: number) {
    this.#text = text;
    this.#depthLimit = depthLimit;
  }

  parse(): JsonParse {
    const value = this.#value('', 0);
    this.#space();
    if (this.#failure === null && this.#at < this.#text.length) this.#fail('the end of the document');
    return this.#failure ?? { kind: 'parsed', value, oddities: this.#oddities };
  }

  /** After a failure every method returns at once; the value is then thrown away. */
  #value(pointer: string, depth: number): JsonValue {
    this.#space();
    const character = this.#text[this.#at];
    if (character === '{') return this.#nested(depth) ? this.#object(pointer, depth) : null;
    if (character === '[') return this.#nested(depth) ? this.#array(pointer, depth) : null;
    if (character === '"') return this.#string(pointer);
    if (this.#word('true')) return true;
    if (this.#word('false')) return false;
    if (this.#word('null')) return null;
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text);
    if (number === null) return this.#fail('a value');
    this.#at = NUMBER.lastIndex;
    return Number(number[0]);
  }

  #nested(depth: number): boolean {
    if (depth < this.#depthLimit) return true;
    this.#failure ??= { kind: 'too-deep', offset: this.#at };
    return false;
  }

  #object(pointer: string, depth: number): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#at += 1;
    if (this.#take('}')) return members;
    while (this.#failure === null) {
      this.#space();
      if (this.#text[this.#at] !== '"') {
        this.#fail('a key in quotes');
        break;
      }
      const key = this.#string(pointer);
      const place = toPointer(pointer, key);
      if (!this.#take(':')) this.#fail('a colon');
      if (this.#failure !== null) break;
      const value = this.#value(place, depth + 1);
      this.#noteKey(key, place, members.has(key) ? isSame(members.get(key), value) : null);
      members.set(key, value);
      if (this.#take('}')) break;
      if (!this.#take(',')) this.#fail('a comma or closing brace');
    }
    return members;
  }

  #array(pointer: string, depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.#at += 1;
    if (this.#take(']')) return items;
    while (this.#failure === null) {
      items.push(this.#value(toPointer(pointer, items.length), depth + 1));
      if (this.#failure !== null || this.#take(']')) break;
      if (!this.#take(',')) this.#fail('a comma or closing bracket');
    }
    return items;
  }

  #string(pointer: string): string {
    const parts: string[] = [];
    this.#at += 1;
    while (this.#failure === null) {
      PLAIN.lastIndex = this.#at;
      parts.push(PLAIN.exec(this.#text)?.[0] ?? '');
      this.#at = PLAIN.lastIndex;
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at += 1;
        return this.#mend(parts.join(''), pointer);
      }
      if (character === '\\') parts.push(this.#escape());
      else this.#fail('a closing quote');
    }
    return '';
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    const plain = ESCAPES[letter];
    if (plain !== undefined) {
      this.#at += 2;
      return plain;
    }
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (letter !== 'u' || !/^[0-9A-Fa-f]{4}$/.test(digits)) {
      this.#fail('an escape of RFC 8259');
      return '';
    }
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** Half a character cannot be stored as UTF-8, so it is replaced here, once, and told. */
  #mend(text: string, pointer: string): string {
    if (!/\p{Surrogate}/u.test(text)) return text;
    this.#note({ kind: 'lone-surrogate', pointer });
    return text.replace(/\p{Surrogate}/gu, '\ufffd');
  }

  #noteKey(key: string, pointer: string, same: boolean | null): void {
    if (key === '__proto__') this.#note({ kind: 'proto-key', pointer });
    if (key === 'constructor' || key === 'prototype') this.#note({ kind: 'constructor-key', pointer });
    if (same !== null) this.#note({ kind: 'duplicate-key', pointer, same });
  }

  #note(oddity: JsonOddity): void {
    if (this.#oddities.length < ODDITY_LIMIT) this.#oddities.push(oddity);
  }

  #space(): void {
    for (let code = this.#text.charCodeAt(this.#at); isSpace(code); code = this.#text.charCodeAt(this.#at)) {
      this.#at += 1;
    }
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#failure !== null || this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #fail(expected: string): null {
    this.#failure ??= { kind: 'syntax', offset: this.#at, expected };
    return null;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Only plain values are compared: two objects under one key are a fault whatever they hold. */
function isSame(left: JsonValue | undefined, right: JsonValue): boolean {
  return left === right;
}
