import { toCanonicalBytes } from './canonical.ts';
import { isRecord } from './json-record.ts';
import { type Definitions, type JsonSchema, nullableSchema } from './schema.ts';

/**
 * Checks a value of a document and names every wrong field; `T` is what the value then is. `schema` says the same
 * as JSON Schema 2020-12, from which the published schemas are written.
 */
export interface Shape<T> {
  check(value: unknown, path: string, wrong: string[]): void;
  schema(definitions: Definitions): JsonSchema;
  /** Never set: carries the type. */
  readonly type?: T;
}

/** No document of ours nests deeper; a deeper one is an attack on the parser. */
const DEPTH_LIMIT = 64;

function shape<T>(accepts: (value: unknown) => boolean, schema: JsonSchema): Shape<T> {
  return {
    check: (value, path, wrong) => {
      if (!accepts(value)) wrong.push(path);
    },
    schema: () => schema,
  };
}

/**
 * Text that matches a pattern.
 *
 * @throws {RangeError} for a flag other than `u`, which readers of the schema set
 */
export function matching(pattern: RegExp): Shape<string> {
  if (pattern.flags !== 'u') throw new RangeError(`a pattern of a shape has the flag u alone: ${pattern}`);
  return shape((value) => typeof value === 'string' && pattern.test(value), {
    type: 'string',
    pattern: pattern.source,
  });
}

/** Exactly one of these values. */
export function oneOf<const T extends string | number | boolean>(...values: readonly T[]): Shape<T> {
  return shape(
    (value) => values.some((item) => item === value),
    values.length === 1 ? { const: values[0] } : { enum: values },
  );
}

export const text: Shape<string> = shape((value) => typeof value === 'string', { type: 'string' });
export const flag: Shape<boolean> = shape((value) => typeof value === 'boolean', { type: 'boolean' });
/** A count or a size in bytes. */
export const count: Shape<number> = shared('count', integer(0, Number.MAX_SAFE_INTEGER));
export const sha256Text: Shape<string> = shared('sha256', matching(/^[0-9a-f]{64}$/u));
/** One full-length sha512 in its one spelling: its last character has two bits to itself. */
export const integrityText: Shape<string> = shared(
  'integrity',
  matching(/^sha512-[A-Za-z0-9+/]{85}[AQgw]==$/u),
);
/** RFC 3339 in UTC, as we write it. */
export const timeText: Shape<string> = shared(
  'time',
  matching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?Z$/u),
);

/** A whole number within bounds. */
export function integer(least: number, most: number): Shape<number> {
  return shape(
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most,
    { type: 'integer', minimum: least, maximum: most },
  );
}

/** Null, or a value of the shape. */
export function nullable<T>(inner: Shape<T>): Shape<T | null> {
  return {
    check: (value, path, wrong) => {
      if (value !== null) inner.check(value, path, wrong);
    },
    schema: (definitions) => nullableSchema(inner.schema(definitions)),
  };
}

/** A list of values of one shape. */
export function listOf<T>(inner: Shape<T>): Shape<readonly T[]> {
  return {
    check: (value, path, wrong) => {
      if (!Array.isArray(value)) wrong.push(path);
      else for (const [index, item] of value.entries()) inner.check(item, `${path}[${index}]`, wrong);
    },
    schema: (definitions) => ({ type: 'array', items: inner.schema(definitions) }),
  };
}

/** An object with exactly these fields, of which only the optional ones may be left out. */
export function recordOf<T extends object>(
  fields: { readonly [K in keyof T]-?: Shape<T[K]> },
  optional: readonly (keyof T & string)[] = [],
): Shape<T> {
  const spare = new Set<string>(optional);
  const known = new Map<string, Shape<unknown>>(Object.entries(fields));
  return {
    check: (value, path, wrong) => {
      if (!isRecord(value)) {
        wrong.push(path);
        return;
      }
      for (const name of Object.keys(value)) if (!known.has(name)) wrong.push(join(path, name));
      for (const [name, inner] of known) {
        if (!spare.has(name) || Object.hasOwn(value, name)) inner.check(value[name], join(path, name), wrong);
      }
    },
    schema: (definitions) => ({
      type: 'object',
      additionalProperties: false,
      required: [...known.keys()].filter((name) => !spare.has(name)),
      properties: Object.fromEntries([...known].map(([name, inner]) => [name, inner.schema(definitions)])),
    }),
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
    schema: (definitions) => ({ oneOf: [...known.values()].map((inner) => inner.schema(definitions)) }),
  };
}

/** A shape that stands in several places: in the schema it is defined once, under this name. */
export function shared<T>(name: string, inner: Shape<T>): Shape<T> {
  return {
    check: (value, path, wrong) => inner.check(value, path, wrong),
    schema: (definitions) => definitions.refer(name, () => inner.schema(definitions)),
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
