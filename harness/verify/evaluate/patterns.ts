import type { RE2JS } from 're2js';

/** Compiled patterns kept at a time; suites repeat few of them, a hostile one has thousands. */
const KEPT = 500;
const compiled = new Map<string, RE2JS | null>();
let engine: typeof RE2JS | null = null;

/** Loads the pattern engine; a bundle without patterns does not pay for it. Call it before any pattern. */
export async function loadPatterns(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS;
}

/** Whether it is RE2 syntax. */
export function isPattern(pattern: string): boolean {
  return compile(pattern) !== null;
}

/**
 * Whether the pattern is found in the text, in linear time: pattern and text are both an attacker's.
 * A pattern that does not compile is found nowhere.
 */
export function finds(pattern: string, text: string): boolean {
  return compile(pattern)?.test(text) ?? false;
}

function compile(pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= KEPT) compiled.clear();
  const fresh = tryCompile(pattern);
  compiled.set(pattern, fresh);
  return fresh;
}

function tryCompile(pattern: string): RE2JS | null {
  if (engine === null) throw new Error('the pattern engine was not loaded');
  try {
    return engine.compile(pattern);
  } catch {
    return null;
  }
}
