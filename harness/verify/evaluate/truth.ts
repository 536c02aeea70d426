// The verifier evaluates with code of its own: a fault of the runner's evaluator must not hide itself here.

/** Whether a statement holds of what the bundle keeps; `UNKNOWN` when the bundle does not keep enough of it. */
export type Truth = -1 | 0 | 1;

export const NO = -1;
export const UNKNOWN = 0;
export const YES = 1;

export function truthOf(fact: boolean): Truth {
  return fact ? YES : NO;
}

/** Kleene's conjunction is the least of its parts; of nothing it is true. */
export function least(parts: readonly Truth[]): Truth {
  let result: Truth = YES;
  for (const part of parts) if (part < result) result = part;
  return result;
}

/** Kleene's disjunction is the greatest of its parts; of nothing it is false. */
export function greatest(parts: readonly Truth[]): Truth {
  let result: Truth = NO;
  for (const part of parts) if (part > result) result = part;
  return result;
}

export function opposite(truth: Truth): Truth {
  return truth === YES ? NO : truth === NO ? YES : UNKNOWN;
}
