import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { KillRecipe } from '../engine/engine.ts';
import { withinLimit } from './bounded.ts';
import type { Deadline } from './deadline.ts';
import { RunError } from './errors.ts';
import { WATCHDOG_FINISH_LIMIT_MS, WATCHDOG_START_LIMIT_MS } from './limits.ts';
import type { WatchdogRecord } from './result.ts';
import { parseMessage, type WatchdogCommand, type WatchdogMessage } from './watchdog-protocol.ts';

export interface WatchdogListener {
  /** The budget is over and the boxes are being killed. */
  onDeadline(): void;
  /** The watchdog process is gone before the end of the run: nobody owns the deadline any more. */
  onLost(fault: RunError): void;
}

/** The runner's side of the watchdog process. */
export class Watchdog {
  readonly #child: ChildProcess;
  readonly #listener: WatchdogListener;
  #finishing = false;
  #onFinished: (record: WatchdogRecord) => void = () => {};

  /**
   * Starts the process and hands it the deadline.
   * @throws {RunError} WATCHDOG_NOT_STARTED
   */
  static async start(deadline: Deadline, listener: WatchdogListener): Promise<Watchdog> {
    const main = fileURLToPath(new URL('./watchdog-main.js', import.meta.url));
    // A session of its own, so that the terminal's signals pass it by; nothing of our environment but PATH,
    // which the removal of a box may need.
    const child = fork(main, [], {
      detached: true,
      execArgv: [],
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const armed = new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}`)));
      child.once('message', (value) => {
        if (parseMessage(value)?.kind === 'armed') resolve();
      });
    });
    const watchdog = new Watchdog(child, listener);
    watchdog.#send({ kind: 'arm', startedAtMs: deadline.startedAtMs, limitMs: deadline.limitMs });
    const answer = await withinLimit(armed, WATCHDOG_START_LIMIT_MS);
    if (answer.kind !== 'done') {
      const cause = answer.kind === 'failed' ? answer.cause : undefined;
      child.kill('SIGKILL');
      throw new RunError('WATCHDOG_NOT_STARTED', 'watchdog', { where: 'start', cause });
    }
    watchdog.#watch();
    return watchdog;
  }

  private constructor(child: ChildProcess, listener: WatchdogListener) {
    this.#child = child;
    this.#listener = listener;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  register(boxName: string, recipe: KillRecipe): void {
    this.#send({ kind: 'register', boxName, recipe });
  }

  unregister(boxName: string): void {
    this.#send({ kind: 'unregister', boxName });
  }

  /** Ends the process; boxes that are still registered are killed and removed by it. Null when it is lost. */
  async finish(): Promise<WatchdogRecord | null> {
    this.#finishing = true;
    const finished = new Promise<WatchdogRecord>((resolve) => {
      this.#onFinished = resolve;
    });
    this.#send({ kind: 'finish' });
    const answer = await withinLimit(finished, WATCHDOG_FINISH_LIMIT_MS);
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
    return answer.kind === 'done' ? answer.value : null;
  }

  #watch(): void {
    this.#child.removeAllListeners('error');
    this.#child.on('error', () => this.#lost('could not be told'));
    this.#child.on('exit', (code, signal) => this.#lost(`ended with ${code ?? signal}`));
    this.#child.on('message', (value) => {
      const message = parseMessage(value);
      if (message !== null) this.#take(message);
    });
    if (!this.#child.connected) this.#lost('ended after it was armed');
  }

  #take(message: WatchdogMessage): void {
    if (message.kind === 'deadline') this.#listener.onDeadline();
    if (message.kind === 'finished') this.#onFinished(message.record);
  }

  #lost(actual: string): void {
    if (this.#finishing) return;
    this.#finishing = true;
    const details = { where: 'watchdog', expected: 'to outlive the run', actual };
    this.#listener.onLost(new RunError('WATCHDOG_LOST', 'watchdog process', details));
  }

  #send(command: WatchdogCommand): void {
    if (this.#child.connected) this.#child.send(command, () => {});
  }
}
