// The verifier carries its own few lines of RFC 8785 on purpose: a fault of the encoder that wrote the
// evidence must not be able to hide itself here. Do not merge it with the harness's copy.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const DEPTH_LIMIT = 64;

/** The RFC 8785 text of a parsed value; null when it has none (non-finite number, lone surrogate, too deep). */
export function toCanonicalText(value: Json, depth = 0): string | null {
  if (depth > DEPTH_LIMIT) return null;
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : null;
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : null;
  if (isList(value))
    return joinAll(
      value.map((item) => toCanonicalText(item, depth + 1)),
      '[',
      ']',
    );
  const keys = Object.keys(value).sort(compareCodeUnits);
  return joinAll(
    keys.map((key) => toMember(key, value[key] ?? null, depth)),
    '{',
    '}',
  );
}

/**
 * Whether a text is the RFC 8785 text of the value that was parsed from it.
 *
 * Most documents have their members in order; the engine's own encoder then writes that very text, many times
 * faster than the one above, which decides about all others.
 */
export function isCanonicalText(value: Json, text: string): boolean {
  // Only an escape can stand for a lone surrogate in a text that was UTF-8.
  const plain = !text.includes('\\ud') && isInOrder(value, 0);
  return (plain && JSON.stringify(value) === text) || toCanonicalText(value) === text;
}

function isInOrder(value: Json, depth: number): boolean {
  if (depth > DEPTH_LIMIT) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (isList(value)) return value.every((item) => isInOrder(item, depth + 1));
  let previous: string | null = null;
  for (const key of Object.keys(value)) {
    if (previous !== null && compareCodeUnits(previous, key) >= 0) return false;
    if (!isInOrder(value[key] ?? null, depth + 1)) return false;
    previous = key;
  }
  return true;
}

function toMember(key: string, value: Json, depth: number): string | null {
  const text = toCanonicalText(value, depth + 1);
  return text === null || !key.isWellFormed() ? null : `${JSON.stringify(key)}:${text}`;
}

function joinAll(parts: readonly (string | null)[], open: string, close: string): string | null {
  return parts.includes(null) ? null : `${open}${parts.join(',')}${close}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
