import { parse, TomlError } from 'smol-toml';
import { DEPTH_LIMIT } from '../limits.ts';
import { type ConfigValue, OPAQUE } from './config-value.ts';
import type { ParsedText } from './parsed.ts';

/** Parses TOML 1.0, whose own rules forbid a key twice; nesting is bounded as in the other formats. */
export function parseTomlText(text: string): ParsedText {
  try {
    const table = parse(text, { maxDepth: DEPTH_LIMIT, integersAsBigInt: 'asNeeded' });
    const value = toConfigValue(table, 0);
    return value === undefined ? { kind: 'refused', problem: 'too-deep' } : { kind: 'parsed', value };
  } catch (error) {
    // The message quotes the document, so the word alone goes on.
    if (error instanceof TomlError) return { kind: 'refused', problem: 'syntax' };
    if (error instanceof RangeError) return { kind: 'refused', problem: 'too-deep' };
    throw error;
  }
}

/** Undefined when the value nests deeper than the limit: dotted keys nest without brackets to count. */
function toConfigValue(value: unknown, depth: number): ConfigValue | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date || value === null || typeof value !== 'object') return OPAQUE;
  if (depth >= DEPTH_LIMIT) return undefined;
  return Array.isArray(value) ? toList(value, depth) : toObject(value, depth);
}

function toList(items: readonly unknown[], depth: number): ConfigValue | undefined {
  const list: ConfigValue[] = [];
  for (const item of items) {
    const value = toConfigValue(item, depth + 1);
    if (value === undefined) return undefined;
    list.push(value);
  }
  return list;
}

function toObject(table: object, depth: number): ConfigValue | undefined {
  const entries = new Map<string, ConfigValue>();
  for (const [key, item] of Object.entries(table)) {
    const value = toConfigValue(item, depth + 1);
    if (value === undefined) return undefined;
    entries.set(key, value);
  }
  return entries;
}
