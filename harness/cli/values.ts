import { UsageError } from './errors.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** Nobody means a longer run, and a larger number would overflow a timer. */
const MAX_DURATION_MS = 24 * 3_600_000;

/** `180s`, `1500ms`, `3m`; a bare number has no unit and is refused. */
export function parseDuration(flag: string, text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(text);
  const value = match === null ? 0 : Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 0);
  if (value <= 0 || value > MAX_DURATION_MS) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: flag,
      expected: 'a duration such as 180s, up to 24h',
      actual: text,
    });
  }
  return value;
}

export function parseCount(flag: string, text: string, max: number): number {
  const value = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: flag,
      expected: `a whole number from 1 to ${max}`,
      actual: text,
    });
  }
  return value;
}

/** `22,24,floor`: a comma list without empty or repeated members. */
export function parseList(flag: string, text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '') || new Set(items).size !== items.length) {
    throw new UsageError('FLAG_VALUE', 'flag', {
      where: flag,
      expected: 'a comma list without gaps or repetitions',
      actual: text,
    });
  }
  return items;
}
