import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { boxPathBytes, isBoxPath } from '../../document/box-path.ts';
import type { Place, Problems } from './problems.ts';
import { suggest } from './suggest.ts';

/**
 * Readers of single values. Each adds a problem when the node is not what it should be and gives a stand-in,
 * so that the rest of the file is read too; nothing is compiled from a file with problems.
 */

export interface Fields {
  readonly place: Node;
  readonly get: (key: string) => Node | undefined;
  readonly has: (key: string) => boolean;
  /** Whether a key was refused: it may be the one that is missed, misspelt. */
  readonly hasUnknown: boolean;
}

/** The values of a mapping by key, after refusing unknown and missing ones. */
export function readFields(
  node: Node,
  allowed: { readonly keys: readonly string[]; readonly required?: readonly string[] },
  problems: Problems,
): Fields {
  const values = new Map<string, Node>();
  if (!isMap<Node, Node | null>(node)) {
    wrongType(node, 'a mapping', problems);
    return toFields(node, values, false);
  }
  let hasUnknown = false;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    if (allowed.keys.includes(name)) values.set(name, value ?? key);
    else {
      hasUnknown = true;
      const expected = `one of ${allowed.keys.join(', ')}`;
      problems.add(key, 'KEY_UNKNOWN', { expected, actual: `${name}${suggest(name, allowed.keys)}` });
    }
  }
  for (const name of allowed.required ?? []) {
    if (!values.has(name)) problems.add(node, 'KEY_MISSING', { expected: `a key ${name}`, actual: 'none' });
  }
  return toFields(node, values, hasUnknown);
}

function toFields(place: Node, values: ReadonlyMap<string, Node>, hasUnknown: boolean): Fields {
  return { place, get: (key) => values.get(key), has: (key) => values.has(key), hasUnknown };
}

/** Exactly one of the keys; the first present one, or null after a problem. */
export function pickOne<K extends string>(fields: Fields, keys: readonly K[], problems: Problems): K | null {
  const present = keys.filter((key) => fields.has(key));
  const [first] = present;
  if (first !== undefined && present.length === 1) return first;
  const actual = present.length === 0 ? 'none' : present.join(' and ');
  if (isMap(fields.place) && (present.length > 1 || !fields.hasUnknown)) {
    problems.add(fields.place, 'KEY_CONFLICT', { expected: `exactly one of ${keys.join(', ')}`, actual });
  }
  return null;
}

export function wrongType(node: Node, expected: string, problems: Problems): void {
  problems.add(node, 'TYPE_WRONG', { expected, actual: describeNode(node) });
}

/** What a node is, in words. */
export function describeNode(node: Node): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node)) return 'something else';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `"${node.value}"`;
  const hint = typeof node.value === 'object' ? '' : ' (text needs quotes here)';
  return `${node.source ?? String(node.value)}${hint}`;
}

export function readText(node: Node, problems: Problems): string {
  if (isScalar(node) && typeof node.value === 'string') return node.value;
  wrongType(node, 'a text', problems);
  return '';
}

export function readBoolean(node: Node, problems: Problems): boolean {
  if (isScalar(node) && typeof node.value === 'boolean') return node.value;
  wrongType(node, 'true or false', problems);
  return false;
}

export function readInteger(
  node: Node,
  bounds: { readonly min: number; readonly max: number },
  problems: Problems,
): number {
  const value = isScalar(node) ? node.value : null;
  if (typeof value !== 'number') {
    wrongType(node, 'a whole number', problems);
    return bounds.min;
  }
  if (Number.isSafeInteger(value) && value >= bounds.min && value <= bounds.max) return value;
  problems.add(node, 'VALUE_WRONG', {
    expected: `a whole number from ${bounds.min} to ${bounds.max}`,
    actual: String(value),
  });
  return bounds.min;
}

/** One of a closed list of words. */
export function readWord<W extends string>(node: Node, words: readonly [W, ...W[]], problems: Problems): W {
  const text = isScalar(node) && typeof node.value === 'string' ? node.value : null;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  const expected = words.length === 1 ? words[0] : `one of ${words.join(', ')}`;
  const actual = text === null ? describeNode(node) : `${text}${suggest(text, words)}`;
  problems.add(node, 'WORD_UNKNOWN', { expected, actual });
  return words[0];
}

/** The items of a list. */
export function readList(
  node: Node,
  problems: Problems,
  options: { readonly min?: number } = {},
): readonly Node[] {
  if (!isSeq<Node>(node)) {
    wrongType(node, 'a list', problems);
    return [];
  }
  if (node.items.length < (options.min ?? 0)) {
    problems.add(node, 'LIST_EMPTY', { expected: 'at least one item', actual: 'none' });
  }
  return node.items;
}

/** A value, or a list of values. */
export function readOneOrMore(node: Node, problems: Problems): readonly Node[] {
  return isSeq(node) ? readList(node, problems, { min: 1 }) : [node];
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** `500ms`, `10s`, `2m`, in milliseconds; a number without unit is refused. */
export function readDuration(node: Node, maxMs: number, problems: Problems): number {
  const text = isScalar(node) && typeof node.value === 'string' ? node.value : '';
  const match = /^(\d{1,7})(ms|s|m)$/.exec(text);
  const value = match === null ? -1 : Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 0);
  if (value >= 0 && value <= maxMs) return value;
  const expected = `a duration such as 500ms, 10s or 2m, at most ${maxMs}ms`;
  problems.add(node, 'DURATION_WRONG', { expected, actual: describeNode(node) });
  return maxMs;
}

const UNITS_BYTES: Readonly<Record<string, number>> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
/** What a suite may speak of; the compiled form has the same bound. */
const SIZE_LIMIT = 2 ** 40;

/** A number of bytes, or `64KiB`, `5MiB`, `1GiB`. */
export function readSize(node: Node, problems: Problems): number {
  const text = isScalar(node) && ['string', 'number'].includes(typeof node.value) ? String(node.value) : '';
  const match = /^(\d{1,13})(KiB|MiB|GiB)?$/.exec(text);
  const value = match === null ? -1 : Number(match[1]) * (UNITS_BYTES[match[2] ?? ''] ?? 0);
  if (value >= 0 && value <= SIZE_LIMIT) return value;
  const expected = 'a number of bytes, or one such as 64KiB, 5MiB, 1GiB';
  problems.add(node, 'SIZE_WRONG', { expected, actual: describeNode(node) });
  return 0;
}

/** Of suites and cases. */
export const ID = { pattern: /^[a-z0-9][a-z0-9._-]{0,119}$/, expected: 'an id like [a-z0-9][a-z0-9._-]*' };

/** Text that must have a form. */
export function readFormed(
  node: Node,
  form: { readonly pattern: RegExp; readonly expected: string },
  problems: Problems,
): string {
  const text = readText(node, problems);
  const isText = isScalar(node) && typeof node.value === 'string';
  if (isText && !form.pattern.test(text)) {
    problems.add(node, 'ID_WRONG', { expected: form.expected, actual: text });
  }
  return text;
}

const PLAIN_PATH = /^\/?([^/\0]+\/)*[^/\0]+$/;

/** Linux NAME_MAX. */
const NAME_BYTES_LIMIT = 255;

/**
 * An absolute path; a relative one is below `base`. Without empty, `.` and `..` parts, and in the one text of its
 * bytes (`document/box-path.ts`).
 */
export function readPath(node: Node, base: string, problems: Problems): string {
  const text = readText(node, problems);
  if (!isScalar(node) || typeof node.value !== 'string') return base;
  const isPlain = PLAIN_PATH.test(text) && !text.split('/').some((part) => part === '.' || part === '..');
  if (!isPlain) {
    problems.add(node, 'PATH_WRONG', { expected: 'a path without empty, . and .. parts', actual: text });
    return base;
  }
  if (!isInBoxForm(node, text, problems)) return base;
  const longest = Math.max(...text.split('/').map((part) => boxPathBytes(part).length));
  if (longest > NAME_BYTES_LIMIT) {
    const expected = `names of at most ${NAME_BYTES_LIMIT} bytes`;
    problems.add(node, 'PATH_WRONG', { expected, actual: `${longest} bytes` });
    return base;
  }
  return text.startsWith('/') ? text : `${base}/${text}`;
}

/** Whether a path or target is written in the one text of its bytes; a problem where it is not. */
export function isInBoxForm(node: Node, text: string, problems: Problems): boolean {
  if (isBoxPath(text)) return true;
  const expected = '%25 for a percent sign, and %XX only for a byte that is no UTF-8';
  problems.add(node, 'PATH_WRONG', { expected, actual: text });
  return false;
}

/** Base64 in its one form. */
export function readBase64(node: Node, problems: Problems): string {
  const text = readText(node, problems);
  if (Buffer.from(text, 'base64').toString('base64') === text) return text;
  problems.add(node, 'BASE64_WRONG', { expected: 'base64 with its padding, in one line', actual: text });
  return '';
}

/** Reports a name that is used again. */
export function addOnce(name: string, seen: Set<string>, place: Place, problems: Problems): void {
  if (seen.has(name)) problems.add(place, 'ID_REPEATED', { expected: 'a name of its own', actual: name });
  seen.add(name);
}
