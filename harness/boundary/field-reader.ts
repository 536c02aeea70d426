import { isRecord } from '../document/json-record.ts';
/** What is wrong at one place of a document. */
export interface FieldProblem {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

const SHOWN_VALUE_LIMIT = 80;

/**
 * Reads a closed document field by field and remembers every wrong place, so that one look at the message
 * mends them all. After a problem it gives a harmless stand-in; the caller must not use what it built
 * unless `problems` is empty.
 */
export class FieldReader {
  readonly problems: FieldProblem[] = [];

  /** The fields of a closed object: a missing and a foreign key are problems of their own. */
  object(value: unknown, path: string, keys: readonly string[]): Readonly<Record<string, unknown>> {
    if (!isRecord(value)) {
      this.report(path, 'an object', value);
      return {};
    }
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) this.report(joinPath(path, key), 'no such field', value[key]);
    }
    for (const key of keys) {
      if (!Object.hasOwn(value, key)) this.report(joinPath(path, key), 'a field', undefined);
    }
    return value;
  }

  /** Elements of a list of at most `limit`, each read by `read` under its own path. */
  list<T>(
    value: unknown,
    path: string,
    read: (item: unknown, path: string) => T,
    limit = 4096,
  ): readonly T[] {
    if (!Array.isArray(value) || value.length > limit) {
      this.report(path, `a list of at most ${limit}`, value);
      return [];
    }
    return value.map((item, index) => read(item, `${path}.${index}`));
  }

  integer(value: unknown, path: string, minimum = 0): number {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return value;
    return this.report(path, `an integer of at least ${minimum}`, value, 0);
  }

  boolean(value: unknown, path: string): boolean {
    if (typeof value === 'boolean') return value;
    return this.report(path, 'true or false', value, false);
  }

  text(value: unknown, path: string, pattern: RegExp): string {
    if (typeof value === 'string' && pattern.test(value)) return value;
    return this.report(path, `text matching ${pattern.source}`, value, '');
  }

  oneOf<T extends string | number>(value: unknown, path: string, allowed: readonly [T, ...T[]]): T {
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    return this.report(path, `one of ${allowed.join(', ')}`, value, allowed[0]);
  }

  report<T>(path: string, expected: string, actual: unknown, standIn?: T): T;
  report(path: string, expected: string, actual: unknown): void;
  report<T>(path: string, expected: string, actual: unknown, standIn?: T): T | undefined {
    this.problems.push({ path, expected, actual: showValue(actual) });
    return standIn;
  }
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** A value as one short line for a message; the caller's message escapes it. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > SHOWN_VALUE_LIMIT ? `${text.slice(0, SHOWN_VALUE_LIMIT)}…` : text;
}
