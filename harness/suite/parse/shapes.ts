import { isRecord } from '../../document/json-record.ts';
import { member, type Report } from './report.ts';

/** Reports what is wrong with a value at a path; says nothing when all is well. */
export type Shape = (value: unknown, path: string, report: Report) => void;

export type Fields = Readonly<Record<string, Shape>>;

/** An object with exactly these members: one that is missing and one that is unknown are both wrong. */
export function object(fields: Fields): Shape {
  return (value, path, report) => {
    if (!isRecord(value)) {
      report.add(path, 'an object', value);
      return;
    }
    report.deeper(path, () => {
      for (const [key, shape] of Object.entries(fields)) {
        if (Object.hasOwn(value, key)) shape(value[key], member(path, key), report);
        else report.add(member(path, key), 'a value', undefined);
      }
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(fields, key)) report.add(member(path, key), 'no such field', value[key]);
      }
    });
  };
}

/** An object that one of these describes, chosen by its `kind`. */
export function byKind(kinds: Readonly<Record<string, Fields>>): Shape {
  return (value, path, report) => {
    const kind = isRecord(value) ? value['kind'] : undefined;
    if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) {
      const names = Object.keys(kinds).join(', ');
      if (isRecord(value)) report.add(member(path, 'kind'), `one of ${names}`, kind);
      else report.add(path, 'an object', value);
      return;
    }
    object({ kind: oneOf(kind), ...kinds[kind] })(value, path, report);
  };
}

export function list(item: Shape, bounds: { readonly min?: number; readonly max: number }): Shape {
  return (value, path, report) => {
    if (!Array.isArray(value) || value.length < (bounds.min ?? 0) || value.length > bounds.max) {
      report.add(path, `a list of ${bounds.min ?? 0} to ${bounds.max}`, value);
      return;
    }
    const items: readonly unknown[] = value;
    report.deeper(path, () => {
      items.forEach((one, index) => {
        item(one, member(path, index), report);
      });
    });
  };
}

/** An object whose members are all alike; names are checked too. */
export function record(name: RegExp, item: Shape, max: number): Shape {
  return (value, path, report) => {
    if (!isRecord(value) || Object.keys(value).length > max) {
      report.add(path, `an object of at most ${max}`, value);
      return;
    }
    for (const [key, one] of Object.entries(value)) {
      if (name.test(key)) item(one, member(path, key), report);
      else report.add(member(path, key), `a name like ${name.source}`, key);
    }
  };
}

export function text(what: string, max: number, accepts: (value: string) => boolean = () => true): Shape {
  return (value, path, report) => {
    if (typeof value !== 'string' || value.length > max || !accepts(value)) report.add(path, what, value);
  };
}

export function integer(min: number, max: number): Shape {
  return (value, path, report) => {
    if (!Number.isSafeInteger(value) || typeof value !== 'number' || value < min || value > max) {
      report.add(path, `a whole number from ${min} to ${max}`, value);
    }
  };
}

export function oneOf(...values: readonly (string | number)[]): Shape {
  return (value, path, report) => {
    if (!values.some((one) => one === value)) report.add(path, `one of ${values.join(', ')}`, value);
  };
}

export const bool: Shape = (value, path, report) => {
  if (typeof value !== 'boolean') report.add(path, 'true or false', value);
};

export function orNull(shape: Shape): Shape {
  return (value, path, report) => {
    if (value !== null) shape(value, path, report);
  };
}

/** Text or object, chosen by the type of the value. */
export function either(choose: (value: unknown) => Shape): Shape {
  return (value, path, report) => choose(value)(value, path, report);
}
