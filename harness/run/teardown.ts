import type { Box, BoxEnd, BoxProcess, Snapshot } from '../engine/engine.ts';
import type { TeardownEvent } from '../suite/observation.ts';
import { type Bounded, describeFailure } from './bounded.ts';
import { monotonicMs, roundMs } from './clock.ts';
import {
  CLOSE_LIMIT_MS,
  DRAIN_LIMIT_MS,
  HOLDER_LIMIT_MS,
  KILL_BOX_LIMIT_MS,
  SETTLE_POLL_MS,
  SNAPSHOT_LIMIT_MS,
} from './limits.ts';
import { pause } from './pause.ts';
import type { RunStop } from './run-stop.ts';
import type { DrivenStep } from './step-driver.ts';

type Action = TeardownEvent['action'];

/**
 * The end of the steps and of the box of one case, in the fixed order freeze → list → kill all → drain, and
 * after the last step → snapshot → close. Each action is recorded with the time at which it was done,
 * in milliseconds after the box was opened.
 *
 * The order is what makes the record believable: frozen processes can neither hide from the list nor write
 * between list and kill, and files are read only when nothing of the candidate is alive. At a timeout the
 * same order is kill → export → remove. A holder that does not answer costs the box its life, never the run.
 */
export class Teardown {
  readonly #box: Box;
  readonly #stop: RunStop;
  readonly #openedAtMs: number;
  readonly #events: TeardownEvent[] = [];
  readonly #leftovers: BoxProcess[] = [];
  #killed = false;

  constructor(box: Box, stop: RunStop, openedAtMs: number) {
    this.#box = box;
    this.#stop = stop;
    this.#openedAtMs = openedAtMs;
  }

  get events(): readonly TeardownEvent[] {
    return this.#events;
  }

  /** Processes found alive at the ends of the steps so far, holder and references excepted. */
  get leftovers(): readonly BoxProcess[] {
    return this.#leftovers;
  }

  /** Whether the box had to be killed as a whole, so that nothing more can be asked of it. */
  get boxKilled(): boolean {
    return this.#killed;
  }

  /**
   * Ends all that a step left alive and takes the rest of its output. A step that ended by itself first
   * gives its left-overs `settleMs` to do the same; null for a reference, which has none that count.
   */
  async endStep(driven: DrivenStep, name: string, settleMs: number | null): Promise<void> {
    if (driven.endedByItself && settleMs !== null) await this.#settle(settleMs);
    if (this.#stop.kind === null && !driven.boxLost) await this.#endProcesses(name, settleMs !== null);
    else await this.killBox(driven.boxLost ? 'box lost' : (this.#stop.kind ?? 'stopped'));
    const drained = await this.#stop.within(driven.drained(), DRAIN_LIMIT_MS);
    const open = driven.openStreams.join(' and ');
    this.#record('drain', drained.kind === 'done' ? `${name}: ended` : `${name}: ${open} still open`);
  }

  /** Changes the writable files around a control or a reference; one line when it could not be done, and the box is gone then. */
  async lay(action: 'lay' | 'undo', name: string, work: Promise<void>): Promise<string | null> {
    const answer = await this.#stop.within(work, SNAPSHOT_LIMIT_MS);
    const failure = answer.kind === 'done' ? null : describeFailure(answer);
    this.#record(action, failure === null ? name : `${name}: ${failure}`);
    if (failure !== null) await this.killBox(`${name}: not ${action === 'lay' ? 'laid' : 'undone'}`);
    return failure;
  }

  /**
   * The writable files, now that nothing of the candidate runs; null when the box could not be asked. `of` says
   * around which control it was taken, null after the last step.
   */
  async snapshot(of: string | null = null): Promise<Snapshot | null> {
    if (this.#killed) return null;
    const answer = await this.#stop.within(this.#box.snapshot(), SNAPSHOT_LIMIT_MS);
    this.#record(
      'snapshot',
      `${of === null ? '' : `${of}: `}${answer.kind === 'done' ? `${answer.value.entries.length} entries` : describeFailure(answer)}`,
    );
    return answer.kind === 'done' ? answer.value : null;
  }

  /** A look that stays out of the record: what a reference wrote is only wanted for its undo. */
  async look(): Promise<Snapshot | null> {
    if (this.#killed) return null;
    const answer = await this.#stop.within(this.#box.snapshot(), SNAPSHOT_LIMIT_MS);
    return answer.kind === 'done' ? answer.value : null;
  }

  /** Reads the end of the box and removes it; null when the engine did not answer in time. */
  async close(): Promise<BoxEnd | null> {
    const answer = await this.#stop.within(this.#box.close(), CLOSE_LIMIT_MS);
    this.#record('close', describeFailure(answer));
    return answer.kind === 'done' ? answer.value : null;
  }

  /** Ends the whole box by the engine. */
  async killBox(why: string): Promise<void> {
    if (this.#killed) return;
    this.#killed = true;
    const answer = await this.#stop.within(this.#box.kill(), KILL_BOX_LIMIT_MS);
    this.#record('kill-box', answer.kind === 'done' ? why : `${why}: ${describeFailure(answer)}`);
  }

  /** Waits while any process is alive; an unanswered look ends the wait, and the real end follows. */
  async #settle(settleMs: number): Promise<void> {
    const untilMs = monotonicMs() + settleMs;
    while (monotonicMs() < untilMs && this.#stop.kind === null) {
      const listed = await this.#stop.within(this.#box.processes(), HOLDER_LIMIT_MS);
      if (listed.kind !== 'done' || listed.value.length === 0) return;
      await pause(SETTLE_POLL_MS, this.#stop.signal);
    }
  }

  async #endProcesses(name: string, counts: boolean): Promise<void> {
    const frozen = await this.#ask('freeze', name, this.#box.freeze(), () => '');
    const listed = await this.#ask('list', name, this.#box.processes(), (found) => `${found.length} alive`);
    if (listed.kind === 'done' && counts) this.#leftovers.push(...listed.value);
    if (frozen.kind !== 'done') return this.killBox('holder did not answer');
    const killed = await this.#ask('kill-all', name, this.#box.killAll(), (count) => `${count} reaped`);
    if (killed.kind !== 'done') await this.killBox('holder did not answer');
  }

  async #ask<T>(
    action: Action,
    name: string,
    work: Promise<T>,
    describe: (value: T) => string,
  ): Promise<Bounded<T>> {
    const answer = await this.#stop.within(work, HOLDER_LIMIT_MS);
    const text = answer.kind === 'done' ? describe(answer.value) : describeFailure(answer);
    this.#record(action, text === '' ? name : `${name}: ${text}`);
    return answer;
  }

  #record(action: Action, detail: string): void {
    this.#events.push({ action, atMs: roundMs(monotonicMs() - this.#openedAtMs), detail });
  }
}
