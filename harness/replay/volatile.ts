import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { CompiledCase, CompiledVolatile } from '../suite/compiled.ts';
import { splitByPatterns } from '../suite/evaluate/patterns.ts';
import { PATTERN_TEXT_BYTES } from '../suite/limits.ts';

type VolatileStream = Extract<CompiledVolatile, { readonly kind: 'stream' }>;

/** The statements of each case about what may differ, by its id. */
export function volatileParts(
  cases: readonly CompiledCase[],
): ReadonlyMap<string, readonly CompiledVolatile[]> {
  return new Map(
    cases.filter(({ volatile }) => volatile.length > 0).map(({ id, volatile }) => [id, volatile]),
  );
}

/** Why a file may differ: the statement about it, or about a folder that it lies in. Null: nobody said so. */
export function whyFileDiffers(parts: readonly CompiledVolatile[], path: string): string | null {
  const found = parts.find((one) => one.kind === 'files' && `${path}/`.startsWith(`${one.path}/`));
  return found?.why ?? null;
}

export interface StreamPair {
  readonly recorded: string;
  readonly replayed: string;
  /** A check states every byte of it. */
  readonly asserted: boolean;
}

/**
 * Why two recordings of one stream may differ as they do; null when they differ in anything else.
 *
 * What matches is cut out of both; the pieces between must be the same, and as many. Of a stream that a check
 * states byte for byte something has to be left. Text that is no UTF-8, or longer than patterns look at, is
 * explained by no pattern: what cannot be read is not said to be alike.
 */
export async function whyStreamDiffers(
  parts: readonly VolatileStream[],
  pair: StreamPair,
): Promise<string | null> {
  const whole = parts.find(({ pattern }) => pattern === null);
  if (whole !== undefined) return pair.asserted ? null : whole.why;
  const patterns = parts.flatMap(({ pattern }) => (pattern === null ? [] : [pattern]));
  if (patterns.length === 0) return null;
  const [left, right] = [await readText(pair.recorded), await readText(pair.replayed)];
  if (left === null || right === null) return null;
  const [ours, theirs] = [splitByPatterns(patterns, left), splitByPatterns(patterns, right)];
  const same = ours.length === theirs.length && ours.every((piece, index) => piece === theirs[index]);
  if (!same || (pair.asserted && ours.join('') === '')) return null;
  return [...new Set(parts.map(({ why }) => why))].join('; ');
}

async function readText(path: string): Promise<string | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if ((await handle.stat()).size > PATTERN_TEXT_BYTES) return null;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  } finally {
    await handle.close();
  }
}
