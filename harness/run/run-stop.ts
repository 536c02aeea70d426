import { type Bounded, settled, withinLimit } from './bounded.ts';
import { monotonicMs } from './clock.ts';
import { STOP_GRACE_MS } from './limits.ts';

export type StopKind = 'budget' | 'interrupted' | 'fault';

/**
 * The one stop of a run. The first reason wins; a fault is kept even when it comes second, because a run
 * whose boundary or disk failed must not end as a mere interruption.
 */
export class RunStop {
  readonly #controller = new AbortController();
  #kind: StopKind | null = null;
  #fault: unknown = null;
  #stoppedAtMs: number | null = null;

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
   * Waits for an engine or a holder at most `limitMs`, and after the stop never beyond its common grace: a
   * slow engine can then not move the end of the run.
   */
  async within<T>(work: Promise<T>, limitMs: number): Promise<Bounded<T>> {
    const cancelled = new AbortController();
    try {
      return await Promise.race([withinLimit(work, limitMs), this.#graceOver(cancelled.signal)]);
    } finally {
      cancelled.abort();
    }
  }

  /** As {@link within}, for work that has its own limit as long as the run goes on. */
  async untilGraceOver<T>(work: Promise<T>): Promise<Bounded<T>> {
    const cancelled = new AbortController();
    try {
      return await Promise.race([settled(work), this.#graceOver(cancelled.signal)]);
    } finally {
      cancelled.abort();
    }
  }

  #graceOver(cancelled: AbortSignal): Promise<{ readonly kind: 'late'; readonly limitMs: number }> {
    return new Promise((resolve) => {
      const arm = (): void => {
        const leftMs = Math.max(0, (this.#stoppedAtMs ?? monotonicMs()) + STOP_GRACE_MS - monotonicMs());
        const timer = setTimeout(() => resolve({ kind: 'late', limitMs: STOP_GRACE_MS }), leftMs);
        cancelled.addEventListener('abort', () => clearTimeout(timer), { once: true });
      };
      if (this.signal.aborted) arm();
      else this.signal.addEventListener('abort', arm, { once: true, signal: cancelled });
    });
  }

  #settle(kind: StopKind): void {
    if (this.#kind !== null) return;
    this.#kind = kind;
    this.#stoppedAtMs = monotonicMs();
    this.#controller.abort();
  }
}
