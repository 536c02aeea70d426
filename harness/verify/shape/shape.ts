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

/** What values of type T look like. `check` says nothing when all is well. */
export interface Shape<T> {
  readonly check: (value: unknown, at: string, misfits: Misfits) => void;
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
  };
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
  };
}

/** An object whose members are all alike. */
export function recordOf<T>(item: Shape<T>, names: RegExp, most: number): Shape<Readonly<Record<string, T>>> {
  return {
    check: (value, at, misfits) => {
      if (!isRecord(value)) return misfits.add(at, 'an object', value);
      const keys = Object.keys(value);
      if (keys.length > most) return misfits.add(at, `at most ${most} members`, keys.length);
      for (const key of keys) {
        if (names.test(key)) item.check(value[key], `${at}.${key}`, misfits);
        else misfits.add(`${at}.${key}`, `a name like ${names.source}`, key);
      }
    },
  };
}

export function text(
  most: number,
  what = 'a text',
  fits: (value: string) => boolean = () => true,
): Shape<string> {
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'string' || value.length > most || !fits(value)) misfits.add(at, what, value);
    },
  };
}

export function matching(pattern: RegExp, most: number): Shape<string> {
  return text(most, `a text like ${pattern.source}`, (value) => pattern.test(value));
}

export function integer(least: number, most: number): Shape<number> {
  return {
    check: (value, at, misfits) => {
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
        misfits.add(at, `a whole number from ${least} to ${most}`, value);
      }
    },
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
  };
}

export function literal<const T extends readonly (string | number | boolean | null)[]>(
  ...values: T
): Shape<T[number]> {
  return {
    check: (value, at, misfits) => {
      if (!values.some((one) => one === value)) misfits.add(at, `one of ${values.join(', ')}`, value);
    },
  };
}

export const flag: Shape<boolean> = literal(true, false);

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return {
    check: (value, at, misfits) => {
      if (value !== null) shape.check(value, at, misfits);
    },
  };
}

/** The first shape that the test chooses, else the second. */
export function either<A, B>(
  isFirst: (value: unknown) => boolean,
  first: Shape<A>,
  second: Shape<B>,
): Shape<A | B> {
  return {
    check: (value, at, misfits) => (isFirst(value) ? first : second).check(value, at, misfits),
  };
}

/** A shape that names itself. */
export function lazy<T>(shape: () => Shape<T>): Shape<T> {
  return { check: (value, at, misfits) => shape().check(value, at, misfits) };
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
