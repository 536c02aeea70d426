import { type Bounded, settled } from './bounded.ts';
import { monotonicMs } from './clock.ts';
import { STOP_GRACE_MS } from './limits.ts';

export type StopKind = 'budget' | 'interrupted' | 'fault';

/**
 * The one stop of a run. The first reason wins; a fault is kept even when it comes second, because a run
 * whose boundary or disk failed must not end as a mere interruption.
 */
export class RunStop {
  readonly #controller = new AbortController();
  readonly #waits = new Set<Patience>();
  #kind: StopKind | null = null;
  #fault: unknown = null;
  #stoppedAtMs = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get kind(): StopKind | null {
    return this.#kind;
  }

  /** The first fault, null when there was none. */
  get fault(): unknown {
    return this.#fault;
  }

  stop(kind: 'budget' | 'interrupted'): void {
    this.#settle(kind);
  }

  fail(fault: unknown): void {
    this.#fault ??= fault;
    this.#settle('fault');
  }

  /**
   * Waits for an engine or a holder at most `limitMs` (null: it has a limit of its own), and after the stop
   * never beyond the common grace: a slow engine can then not move the end of the run. Never rejects; work
   * that is late goes on unobserved.
   */
  async within<T>(work: Promise<T>, limitMs: number | null): Promise<Bounded<T>> {
    const patience = new Patience();
    if (limitMs !== null) patience.endAfter(limitMs);
    if (this.#kind !== null) this.#shorten(patience);
    this.#waits.add(patience);
    try {
      return await Promise.race([settled(work), patience.over]);
    } finally {
      this.#waits.delete(patience);
      patience.cancel();
    }
  }

  #settle(kind: StopKind): void {
    if (this.#kind !== null) return;
    this.#kind = kind;
    this.#stoppedAtMs = monotonicMs();
    for (const patience of this.#waits) this.#shorten(patience);
    this.#controller.abort(kind);
  }

  #shorten(patience: Patience): void {
    patience.endAfter(Math.max(0, this.#stoppedAtMs + STOP_GRACE_MS - monotonicMs()));
  }
}

/** A wait whose end can be moved forward, never back. */
class Patience {
  #timer: NodeJS.Timeout | undefined;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #resolve: (late: Bounded<never>) => void = () => {};
  readonly over: Promise<Bounded<never>> = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  endAfter(limitMs: number): void {
    const endsAtMs = monotonicMs() + limitMs;
    if (endsAtMs >= this.#endsAtMs) return;
    this.#endsAtMs = endsAtMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#resolve({ kind: 'late', limitMs: Math.round(limitMs) }), limitMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
