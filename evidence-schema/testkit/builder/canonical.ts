import { createHash } from 'node:crypto';

/** Any value of a JSON document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** RFC 8785, written here once more: the kit shares no line with what it tests. */
export function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(',')}]`;
  // Names are ordered by UTF-16 code units, which is the order of sort().
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join(',')}}`;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
