import { monotonicMs } from './clock.ts';
import { BOX_GRACE_MS } from './limits.ts';

/** The budget of a run as one point of the monotonic clock, shared with the watchdog. */
export class Deadline {
  readonly startedAtMs: number;
  readonly limitMs: number;

  constructor(limitMs: number, startedAtMs: number = monotonicMs()) {
    this.startedAtMs = startedAtMs;
    this.limitMs = limitMs;
  }

  get atMs(): number {
    return this.startedAtMs + this.limitMs;
  }

  /** Never negative. */
  leftMs(): number {
    return Math.max(0, this.atMs - monotonicMs());
  }

  elapsedMs(): number {
    return monotonicMs() - this.startedAtMs;
  }

  /** A box that nobody is left to end ends by itself this long after it opened. */
  boxEndsAfterMs(): number {
    return Math.ceil(this.leftMs()) + BOX_GRACE_MS;
  }
}
