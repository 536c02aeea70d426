import { isRecord } from '../shape/shape.ts';

/** The first place at which two values part. */
export interface Difference {
  readonly at: string;
  readonly expected: string;
  readonly actual: string;
}

/** Null when both are the same value: members in any order, nothing more and nothing less. */
export function firstDifference(expected: unknown, actual: unknown, at: string): Difference | null {
  if (Array.isArray(expected) && Array.isArray(actual)) return inLists(expected, actual, at);
  if (isRecord(expected) && isRecord(actual)) return inMembers(expected, actual, at);
  if (expected === actual) return null;
  return { at, expected: show(expected), actual: show(actual) };
}

function inLists(expected: readonly unknown[], actual: readonly unknown[], at: string): Difference | null {
  for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
    const found = firstDifference(expected[index], actual[index], `${at}[${index}]`);
    if (found !== null) return found;
  }
  return null;
}

function inMembers(
  expected: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  at: string,
): Difference | null {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [mine, other] = [expected, actual].map((one) => (Object.hasOwn(one, key) ? one[key] : undefined));
    const found = firstDifference(mine, other, `${at}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
