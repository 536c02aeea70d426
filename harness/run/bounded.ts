export type Bounded<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'late'; readonly limitMs: number }
  | { readonly kind: 'failed'; readonly cause: unknown };

/**
 * Waits for `work` at most `limitMs` and never rejects.
 *
 * An engine, a daemon or a holder that a candidate starves may never answer; every call to one goes through
 * here, so that none can hold up the end of a case. Late work goes on unobserved, its rejection included.
 */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<Bounded<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Bounded<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'late', limitMs }), limitMs);
  });
  try {
    return await Promise.race([settled(work), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same answer without any limit. */
export function settled<T>(work: Promise<T>): Promise<Bounded<T>> {
  return work.then(
    (value): Bounded<T> => ({ kind: 'done', value }),
    (cause: unknown): Bounded<T> => ({ kind: 'failed', cause }),
  );
}

/** One line about an unusable answer, for a record; `done` has none. */
export function describeFailure(answer: Bounded<unknown>): string {
  switch (answer.kind) {
    case 'done':
      return '';
    case 'late':
      return `no answer within ${answer.limitMs} ms`;
    case 'failed':
      return answer.cause instanceof Error ? answer.cause.message : String(answer.cause);
  }
}
