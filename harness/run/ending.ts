import type { ProcessEnd, StreamName } from '../engine/engine.ts';
import type { KilledBy, Termination } from '../suite/observation.ts';

/** Why the runner ended a step that had not ended by itself. */
export type StopReason =
  | { readonly kind: 'timed-out'; readonly limitMs: number }
  | { readonly kind: 'output-limit'; readonly stream: StreamName }
  | { readonly kind: 'budget' }
  | { readonly kind: 'interrupted' };

/**
 * The first reason for a step's end; every later one is ignored.
 *
 * Own end and stop race for it: a process that exits by itself a moment before its limit has exited.
 */
export class Ending {
  #stop: StopReason | null = null;
  #settled = false;
  #resolve: () => void = () => {};
  /** Resolves once there is a reason. */
  readonly reached: Promise<void> = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  get stop(): StopReason | null {
    return this.#stop;
  }

  endedByItself(): void {
    this.#settle(null);
  }

  stopWith(reason: StopReason): void {
    this.#settle(reason);
  }

  #settle(stop: StopReason | null): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#stop = stop;
    this.#resolve();
  }
}

/**
 * How the step ended. A box that was lost took the process with it by SIGKILL, since the kernel ends a pid
 * namespace so when its first process goes; `killedBy` tells it apart from a kill from inside.
 */
export function toTermination(stop: StopReason | null, end: ProcessEnd): Termination {
  if (stop !== null) return stop;
  return end.kind === 'box-lost' ? { kind: 'signaled', signal: 'SIGKILL' } : end;
}

export interface KillEvidence {
  readonly stop: StopReason | null;
  readonly end: ProcessEnd;
  /** Signals that we sent to the step's own process, whether by its plan or by the shutdown ladder. */
  readonly sent: readonly string[];
  /** Whether the memory cgroup killed any process of the box. */
  readonly oomKilled: boolean;
}

/**
 * Who ended the process; null when it exited or never started.
 *
 * Exit code 137 is an exit: only the raw wait status tells a kill. A SIGKILL that we did not send is the
 * memory cgroup's when that counted a kill, else the candidate's own.
 */
export function toKilledBy(evidence: KillEvidence): KilledBy {
  const { stop, end, sent, oomKilled } = evidence;
  if (stop !== null) return 'packproof';
  switch (end.kind) {
    case 'exited':
    case 'not-started':
      return null;
    case 'box-lost':
      return oomKilled ? 'oom' : 'engine';
    case 'signaled':
      if (sent.includes(end.signal)) return 'packproof';
      return end.signal === 'SIGKILL' && oomKilled ? 'oom' : 'candidate';
  }
}
