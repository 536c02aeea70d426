import { quoteText } from '../../document/fault.ts';
import type { Problem } from '../errors.ts';
import { PROBLEMS_LIMIT, SUITE_DEPTH_LIMIT } from '../limits.ts';

/** Collects every wrong place of a document, up to a bound, so that an author sees all at once. */
export class Report {
  readonly #problems: Problem[] = [];
  #depth = 0;

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  add(path: string, expected: string, actual: unknown): void {
    if (this.#problems.length >= PROBLEMS_LIMIT) return;
    this.#problems.push({ path, expected, actual: describeValue(actual) });
  }

  /** Runs `read` one level deeper; a document of the attacker's depth must not exhaust the stack. */
  deeper(path: string, read: () => void): void {
    if (this.#depth >= SUITE_DEPTH_LIMIT) {
      this.add(path, `at most ${SUITE_DEPTH_LIMIT} levels`, 'more');
      return;
    }
    this.#depth += 1;
    read();
    this.#depth -= 1;
  }
}

/** The JSON Pointer of a member. Source: RFC 6901. */
export function member(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return quoteText(typeof value === 'string' ? `"${value}"` : String(value), 80);
}
