import { RE2JS } from 're2js';
import { PATTERN_CACHE_LIMIT, PATTERN_LIMIT } from '../limits.ts';

const cache = new Map<string, RE2JS>();

/**
 * Whether the pattern is found in the text, in time linear in both.
 *
 * A suite and a candidate are both hostile here: only the automaton engine is used, never the language's own
 * backtracking one.
 * @throws {Error} when the pattern is not RE2 syntax; `isPattern` says so beforehand.
 */
export function findsPattern(pattern: string, text: string): boolean {
  let compiled = cache.get(pattern);
  if (compiled === undefined) {
    if (cache.size >= PATTERN_CACHE_LIMIT) cache.clear();
    compiled = RE2JS.compile(pattern);
    cache.set(pattern, compiled);
  }
  return compiled.test(text);
}

export function isPattern(pattern: string): boolean {
  if (pattern.length > PATTERN_LIMIT) return false;
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
