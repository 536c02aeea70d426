import { type Definitions, type JsonSchema, nullable } from './schema.ts';

/** One place at which a value is not of its shape. */
export interface Misfit {
  readonly at: string;
  readonly expected: string;
  readonly actual: string;
}

/** Misfits of one value that are kept; a hostile document has millions, the first hundred say enough. */
const MISFITS_LIMIT = 100;
const SHOWN_CHARACTERS = 80;

/** Collects misfits up to a limit and counts no further. */
export class Misfits {
  readonly list: Misfit[] = [];

  get full(): boolean {
    return this.list.length >= MISFITS_LIMIT;
  }

  add(at: string, expected: string, value: unknown): void {
    if (!this.full) this.list.push({ at, expected, actual: show(value) });
  }
}

declare const accepted: unique symbol;

/**
 * What values of type T look like. `check` says nothing when all is well; `schema` says the same as JSON Schema
 * 2020-12, from which the published schemas are written, so that what is published is what is accepted.
 */
export interface Shape<T> {
  readonly check: (value: unknown, at: string, misfits: Misfits) => void;
  readonly schema: (definitions: Definitions) => JsonSchema;
  /** Never there: carries the type alone. */
  readonly [accepted]?: T;
}

/** The type that a shape accepts. */
export type Shaped<S> = S extends Shape<infer T> ? T : never;

export type Fields = Readonly<Record<string, Shape<unknown>>>;
export type ShapedFields<F extends Fields> = { readonly [K in keyof F]: Shaped<F[K]> };

/** The value as T, or where it is not. This is the one place where a parsed value gets its type. */
export function parseShape<T>(
  shape: Shape<T>,
  value: unknown,
): { readonly value: T } | { readonly misfits: readonly Misfit[] } {
  const misfits = new Misfits();
  shape.check(value, '', misfits);
  return misfits.list.length === 0 ? { value: value as T } : { misfits: misfits.list };
}

/** An object with exactly these members: a missing one and an unknown one are both wrong. */
export function object<F extends Fields>(fields: F): Shape<ShapedFields<F>> {
  const entries = Object.entries(fields);
  return {
    check: (value, at, misfits) => {
      if (!isRecord(value)) return misfits.add(at, 'an object', value);
      for (const [key, field] of entries) {
        if (Object.hasOwn(value, key)) field.check(value[key], `${at}.${key}`, misfits);
        else misfits.add(`${at}.${key}`, 'a value', undefined);
      }
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(fields, key)) misfits.add(`${at}.${key}`, 'no such field', value[key]);
        if (misfits.full) return;
      }
    },
    schema: (definitions) => ({
      type: 'object',
      additionalProperties: false,
      required: Object.keys(fields),
      properties: toProperties(fields, definitions),
    }),
  };
}

/** An object of someone else's form: these members are held to their shapes where they are there, others pass. */
export function openObject<F extends Fields>(
  fields: F,
  required: readonly (keyof F & string)[] = [],
): Shape<Partial<ShapedFields<F>>> {
  return {
    check: (value, at, misfits) => {
      if (!isRecord(value)) return misfits.add(at, 'an object', value);
      for (const [key, field] of Object.entries(fields)) {
        if (Object.hasOwn(value, key)) field.check(value[key], `${at}.${key}`, misfits);
        else if (required.includes(key)) misfits.add(`${at}.${key}`, 'a value', undefined);
      }
    },
    schema: (definitions) => ({ type: 'object', required, properties: toProperties(fields, definitions) }),
  };
}

function toProperties(fields: Fields, definitions: Definitions): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.schema(definitions)]));
}

type Kinds = Readonly<Record<string, Fields>>;
type ShapedKinds<M extends Kinds> = {
  [K in keyof M]: { readonly kind: K } & ShapedFields<M[K]>;
}[keyof M];

/** An object that one of these describes, chosen by its `kind`. */
export function byKind<M extends Kinds>(kinds: M): Shape<ShapedKinds<M>> {
  const shapes = new Map(
    Object.entries(kinds).map(([kind, fields]) => [kind, object({ kind: literal(kind), ...fields })]),
  );
  return {
    check: (value, at, misfits) => {
      if (!isRecord(value)) return misfits.add(at, 'an object', value);
      const shape = typeof value['kind'] === 'string' ? shapes.get(value['kind']) : undefined;
      if (shape === undefined)
        misfits.add(`${at}.kind`, `one of ${[...shapes.keys()].join(', ')}`, value['kind']);
      else shape.check(value, at, misfits);
    },
    schema: (definitions) => ({ oneOf: [...shapes.values()].map((shape) => shape.schema(definitions)) }),
  };
}

export function list<T>(item: Shape<T>, most: number, least = 0): Shape<readonly T[]> {
  return {
    check: (value, at, misfits) => {
      if (!Array.isArray(value) || value.length < least || value.length > most) {
        return misfits.add(at, `a list of ${least} to ${most}`, Array.isArray(value) ? value.length : value);
      }
      for (let index = 0; index < value.length && !misfits.full; index += 1) {
        item.check(value[index], `${at}[${index}]`, misfits);
      }
    },
    schema: (definitions) => ({
      type: 'array',
      ...(least === 0 ? {} : { minItems: least }),
      maxItems: most,
      items: item.schema(definitions),
    }),
  };
}

/** An object whose members are all alike. */
export function recordOf<T>(item: Shape<T>, names: RegExp, most: number): Shape<Readonly<Record<string, T>>> {
  const pattern = asPublished(names);
  return {
    check: (value, at, misfits) => {
      if (!isRecord(value)) return misfits.add(at, 'an object', value);
      const keys = Object.keys(value);
      if (keys.length > most) return misfits.add(at, `at most ${most} members`, keys.length);
      for (const key of keys) {
        if (pattern.test(key)) item.check(value[key], `${at}.${key}`, misfits);
        else misfits.add(`${at}.${key}`, `a name like ${pattern.source}`, key);
      }
    },
    schema: (definitions) => ({
      type: 'object',
      maxProperties: most,
      propertyNames: { pattern: pattern.source },
      additionalProperties: item.schema(definitions),
    }),
  };
}

/** Text of at most so many characters (Unicode's, as JSON Schema counts them). */
export function text(most: number): Shape<string> {
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'string' || isLonger(value, most)) misfits.add(at, 'a text', value);
    },
    schema: () => ({ type: 'string', maxLength: most }),
  };
}

export function matching(
  pattern: RegExp,
  most: number,
  what = `a text like ${pattern.source}`,
): Shape<string> {
  const exact = asPublished(pattern);
  return fitting({ pattern, most, what, fits: (value) => exact.test(value) });
}

/** As `matching`, where the pattern is for the schema alone: some engine for patterns gives up on longest texts. */
export function fitting(form: {
  readonly pattern: RegExp;
  readonly most: number;
  readonly what: string;
  readonly fits: (value: string) => boolean;
}): Shape<string> {
  const { pattern, most, what, fits } = form;
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'string' || isLonger(value, most) || !fits(value)) misfits.add(at, what, value);
    },
    schema: () => ({ type: 'string', maxLength: most, pattern: asPublished(pattern).source }),
  };
}

/** JSON as text, whose content the schema only names: whether it is of the asked form is not for a schema to say. */
export function json(most: number, fits: (value: string) => boolean): Shape<string> {
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'string' || isLonger(value, most) || !fits(value)) {
        misfits.add(at, 'canonical JSON', value);
      }
    },
    schema: () => ({ type: 'string', maxLength: most, contentMediaType: 'application/json' }),
  };
}

/**
 * The pattern as readers of the schema will compile it, so that both mean the same.
 *
 * @throws {RangeError} for a flag that a schema cannot carry
 */
function asPublished(pattern: RegExp): RegExp {
  if (/[^u]/.test(pattern.flags)) throw new RangeError(`a pattern of a shape has no flags: ${pattern}`);
  return new RegExp(pattern.source, 'u');
}

function isLonger(value: string, most: number): boolean {
  // Never more characters than units, and never less than half.
  if (value.length <= most) return false;
  if (value.length > 2 * most) return true;
  let characters = 0;
  for (let at = 0; at < value.length; at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) characters += 1;
  return characters > most;
}

export function integer(least: number, most: number): Shape<number> {
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
        misfits.add(at, `a whole number from ${least} to ${most}`, value);
      }
    },
    schema: () => ({ type: 'integer', minimum: least, maximum: most }),
  };
}

/** Milliseconds may have a fraction. */
export function number(least: number, most: number): Shape<number> {
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'number' || !(value >= least && value <= most)) {
        misfits.add(at, `a number from ${least} to ${most}`, value);
      }
    },
    schema: () => ({ type: 'number', minimum: least, maximum: most }),
  };
}

export function literal<const T extends readonly (string | number | boolean | null)[]>(
  ...values: T
): Shape<T[number]> {
  return {
    check: (value, at, misfits) => {
      if (!values.some((one) => one === value)) misfits.add(at, `one of ${values.join(', ')}`, value);
    },
    schema: () => (values.length === 1 ? { const: values[0] } : { enum: values }),
  };
}

export const flag: Shape<boolean> = { ...literal(true, false), schema: () => ({ type: 'boolean' }) };

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return {
    check: (value, at, misfits) => {
      if (value !== null) shape.check(value, at, misfits);
    },
    schema: (definitions) => nullable(shape.schema(definitions)),
  };
}

/** The first shape that the test chooses, else the second; no value may fit both. */
export function either<A, B>(
  isFirst: (value: unknown) => boolean,
  first: Shape<A>,
  second: Shape<B>,
): Shape<A | B> {
  return {
    check: (value, at, misfits) => (isFirst(value) ? first : second).check(value, at, misfits),
    schema: (definitions) => ({ anyOf: [first.schema(definitions), second.schema(definitions)] }),
  };
}

/** A shape that stands in several places, or in itself: in the schema it is defined once, under this name. */
export function named<T>(name: string, shape: () => Shape<T>): Shape<T> {
  return {
    check: (value, at, misfits) => shape().check(value, at, misfits),
    schema: (definitions) => definitions.refer(name, () => shape().schema(definitions)),
  };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return 'an object';
  return JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN_CHARACTERS) : value) ?? 'nothing';
}
