/** Bytes at the first place where two streams differ. */
export interface FirstBytes {
  /** From the start of the stream. */
  readonly offset: number;
  /** Lower-case hex of the bytes from there on, at most 32 of them; empty at the end of the stream. */
  readonly recordedHex: string;
  readonly replayedHex: string;
}

/**
 * One thing that the replay showed otherwise. `decisive` ones make a replay `different`; the others are drift
 * that no check asserts.
 */
export interface Difference {
  readonly kind:
    | 'case-absent'
    | 'outcome'
    | 'check'
    | 'attempts'
    | 'steps'
    | 'termination'
    | 'stream'
    | 'files'
    | 'control'
    | 'kept-file'
    | 'leftovers';
  readonly decisive: boolean;
  /** Why the suite says that it may differ; null: it does not say so, or more differs than it says. */
  readonly volatile: string | null;
  /** What of the case: a check id, a step, a stream or a path. Empty for the case as a whole. */
  readonly where: string;
  readonly recorded: string;
  readonly replayed: string;
  /** Of `stream` and `kept-file` differences alone. */
  readonly bytes: FirstBytes | null;
}

export type ReplayResult = 'identical' | 'equivalent' | 'different';

/** All bytes equal; or only drift; or something decisive. */
export function resultOf(differences: readonly Difference[]): ReplayResult {
  if (differences.length === 0) return 'identical';
  return differences.some(({ decisive }) => decisive) ? 'different' : 'equivalent';
}

export function strongestResult(results: readonly ReplayResult[]): ReplayResult {
  if (results.includes('different')) return 'different';
  return results.includes('equivalent') ? 'equivalent' : 'identical';
}
