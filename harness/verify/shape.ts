import type { Json } from './canonical.ts';

/** Reading helpers over a parsed document; each gives undefined where the field is not of the asked kind. */
export type JsonObject = { readonly [key: string]: Json };

export function asObject(value: Json | undefined): JsonObject | undefined {
  return value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function asList(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function asText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Names of keys that are missing from or foreign to a closed object. */
export function keyDifference(value: JsonObject, keys: readonly string[]): readonly string[] {
  const missing = keys.filter((key) => !Object.hasOwn(value, key)).map((key) => `-${key}`);
  const foreign = Object.keys(value)
    .filter((key) => !keys.includes(key))
    .map((key) => `+${key}`);
  return [...missing, ...foreign];
}
