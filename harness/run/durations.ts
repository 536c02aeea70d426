import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';

/** What the cases of an earlier run took: the one form by which every shard comes to the same split. */
export interface Durations {
  /** The canonical document, as the bundle keeps it. */
  readonly bytes: Buffer;
  readonly sha256: string;
  /** Whole milliseconds by case id. */
  readonly ms: ReadonlyMap<string, number>;
}

export function toDurations(ms: ReadonlyMap<string, number>): Durations {
  const bytes = toCanonicalBytes({ formatVersion: 1, cases: Object.fromEntries(ms) });
  return { bytes, sha256: sha256Hex(bytes), ms };
}
