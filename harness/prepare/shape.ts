import { toCanonicalBytes } from '../document/canonical.ts';
import { sha512Integrity } from '../document/digest.ts';
import { isRecord } from './json-record.ts';

/** Checks a value of a document and names every wrong field; `T` is what the value then is. */
export interface Shape<T> {
  check(value: unknown, path: string, wrong: string[]): void;
  /** Never set: carries the type. */
  readonly type?: T;
}

/** No document of ours nests deeper; a deeper one is an attack on the parser. */
const DEPTH_LIMIT = 64;

function shape<T>(accepts: (value: unknown) => boolean): Shape<T> {
  return {
    check: (value, path, wrong) => {
      if (!accepts(value)) wrong.push(path);
    },
  };
}

/** Text that matches a pattern. */
export function matching(pattern: RegExp): Shape<string> {
  return shape((value) => typeof value === 'string' && pattern.test(value));
}

/** Exactly one of these values. */
export function oneOf<const T extends string | number | boolean>(...values: readonly T[]): Shape<T> {
  return shape((value) => values.some((item) => item === value));
}

export const text: Shape<string> = shape((value) => typeof value === 'string');
export const flag: Shape<boolean> = shape((value) => typeof value === 'boolean');
/** A count or a size in bytes. */
export const count: Shape<number> = shape(
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
);
export const sha256Text: Shape<string> = matching(/^[0-9a-f]{64}$/u);
/** One full-length sha512 in its one spelling. */
export const integrityText: Shape<string> = shape(
  (value) =>
    typeof value === 'string' &&
    value.length === sha512Integrity(new Uint8Array()).length &&
    /^sha512-[A-Za-z0-9+/]{86}==$/u.test(value) &&
    `sha512-${Buffer.from(value.slice(7), 'base64').toString('base64')}` === value,
);
/** RFC 3339 in UTC, as we write it. */
export const timeText: Shape<string> = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/u);

/** Null, or a value of the shape. */
export function nullable<T>(inner: Shape<T>): Shape<T | null> {
  return {
    check: (value, path, wrong) => {
      if (value !== null) inner.check(value, path, wrong);
    },
  };
}

/** A list of values of one shape. */
export function listOf<T>(inner: Shape<T>): Shape<readonly T[]> {
  return {
    check: (value, path, wrong) => {
      if (!Array.isArray(value)) wrong.push(path);
      else for (const [index, item] of value.entries()) inner.check(item, `${path}[${index}]`, wrong);
    },
  };
}

/** An object with exactly these fields. */
export function recordOf<T extends object>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const known = new Map<string, Shape<unknown>>(Object.entries(fields));
  return {
    check: (value, path, wrong) => {
      if (!isRecord(value)) {
        wrong.push(path);
        return;
      }
      for (const name of Object.keys(value)) if (!known.has(name)) wrong.push(join(path, name));
      for (const [name, inner] of known) inner.check(value[name], join(path, name), wrong);
    },
  };
}

/** One of several objects that differ in the value of `kind`. */
export function unionOf<T extends { readonly kind: string }>(
  variants: {
    readonly [K in T['kind']]: Shape<Extract<T, { readonly kind: K }>>;
  },
): Shape<T> {
  const known = new Map<string, Shape<unknown>>(Object.entries(variants));
  return {
    check: (value, path, wrong) => {
      const inner = isRecord(value) && typeof value.kind === 'string' ? known.get(value.kind) : undefined;
      if (inner === undefined) wrong.push(join(path, 'kind'));
      else inner.check(value, path, wrong);
    },
  };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Why bytes are not a document of the asked kind. */
export type DocumentDefect =
  | { readonly kind: 'version'; readonly actual: string }
  | { readonly kind: 'fields'; readonly paths: readonly string[] }
  | { readonly kind: 'form' };

export type ParsedDocument<T> =
  | { readonly kind: 'document'; readonly value: T }
  | { readonly kind: 'defect'; readonly defect: DocumentDefect };

/**
 * Reads a document of ours: depth, version, fields (all wrong ones at once), then the one byte form.
 *
 * The byte comparison also catches duplicate keys, which `JSON.parse` keeps the last of.
 */
export function parseDocument<T>(bytes: Buffer, version: number, inner: Shape<T>): ParsedDocument<T> {
  const value = parseJson(bytes);
  const actual = isRecord(value) ? value.formatVersion : undefined;
  if (actual !== version) return defect({ kind: 'version', actual: String(actual) });
  const wrong: string[] = [];
  inner.check(value, '', wrong);
  if (wrong.length > 0) return defect({ kind: 'fields', paths: wrong });
  if (!toCanonicalBytes(value).equals(bytes)) return defect({ kind: 'form' });
  return { kind: 'document', value: value as T };
}

function defect<T>(found: DocumentDefect): ParsedDocument<T> {
  return { kind: 'defect', defect: found };
}

function parseJson(bytes: Buffer): unknown {
  if (depthOf(bytes) > DEPTH_LIMIT) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The deepest nesting of brackets outside of text. */
function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inText) {
      if (byte === 0x5c) index += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return deepest;
}
