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
  return compile(pattern).test(text);
}

/**
 * What is left of a text when all that the patterns match is cut out of it, one pattern after another, piece by
 * piece. Linear in text and patterns each.
 */
export function splitByPatterns(patterns: readonly string[], text: string): readonly string[] {
  return patterns.reduce<readonly string[]>(
    (pieces, pattern) => pieces.flatMap((piece) => split(pattern, piece)),
    [text],
  );
}

function split(pattern: string, text: string): readonly string[] {
  const matcher = compile(pattern).matcher(text);
  const pieces: string[] = [];
  let from = 0;
  while (matcher.find()) {
    // A match of nothing cuts nothing out.
    if (matcher.end() === matcher.start()) continue;
    pieces.push(text.slice(from, matcher.start()));
    from = matcher.end();
  }
  return [...pieces, text.slice(from)];
}

/** Where the first matches begin, at most `limit` of them. */
export function findStarts(pattern: string, text: string, limit: number): readonly number[] {
  const matcher = compile(pattern).matcher(text);
  const starts: number[] = [];
  while (starts.length < limit && matcher.find()) starts.push(matcher.start());
  return starts;
}

/** Whether it is RE2 syntax of bounded length. */
export function isPattern(pattern: string): boolean {
  if (pattern.length > PATTERN_LIMIT) return false;
  try {
    compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Compiling costs a millisecond, and the same few patterns stand in thousands of cases. */
function compile(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  if (cache.size >= PATTERN_CACHE_LIMIT) cache.clear();
  const compiled = RE2JS.compile(pattern);
  cache.set(pattern, compiled);
  return compiled;
}
