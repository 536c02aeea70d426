import type { KillRecipe } from '../engine/engine.ts';
import { monotonicMs, roundMs } from './clock.ts';
import { killByRecipe, removeByRecipe } from './kill-recipe.ts';
import type { KillResult, WatchdogKill, WatchdogRecord } from './result.ts';

export interface Killer {
  kill(recipe: KillRecipe): Promise<KillResult>;
  remove(recipe: KillRecipe): Promise<boolean>;
}

const BY_RECIPE: Killer = { kill: killByRecipe, remove: removeByRecipe };

/**
 * What the watchdog process does, apart from its messages: keeps the boxes of one run and ends them.
 *
 * All boxes are killed at once: one that takes long to die must not keep the others alive.
 */
export class Guard {
  readonly #killer: Killer;
  readonly #boxes = new Map<string, KillRecipe>();
  readonly #kills: WatchdogKill[] = [];
  /** Kills under way or done, so that a box is killed and recorded once; a failed one may be tried again. */
  readonly #killing = new Map<string, Promise<void>>();
  #startedAtMs = monotonicMs();
  #limitMs = 0;
  #firedAtMs: number | null = null;

  constructor(killer: Killer = BY_RECIPE) {
    this.#killer = killer;
  }

  arm(startedAtMs: number, limitMs: number): void {
    this.#startedAtMs = startedAtMs;
    this.#limitMs = limitMs;
  }

  /** Milliseconds until the deadline, never negative. */
  leftMs(): number {
    return Math.max(0, this.#startedAtMs + this.#limitMs - monotonicMs());
  }

  /** After the deadline a box that appears is killed at once. */
  register(boxName: string, recipe: KillRecipe): void {
    this.#boxes.set(boxName, recipe);
    if (this.#firedAtMs !== null) void this.#kill(boxName, recipe);
  }

  unregister(boxName: string): void {
    this.#boxes.delete(boxName);
  }

  /** Notes that the deadline has come; what is registered afterwards is killed on sight. */
  fire(): number {
    this.#firedAtMs ??= this.#sinceStart();
    return this.#firedAtMs;
  }

  /**
   * The run is over. Its last step may have been timed by the runner to the same deadline, and be gone before the
   * timer here was run: the deadline came all the same.
   */
  noteEnd(): void {
    if (this.leftMs() === 0) this.fire();
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#boxes].map(([boxName, recipe]) => this.#kill(boxName, recipe)));
  }

  /** Kills and removes whatever is still registered. */
  async removeAll(): Promise<void> {
    const boxes = [...this.#boxes];
    await this.killAll();
    await Promise.all(boxes.map(([, recipe]) => this.#killer.remove(recipe)));
    for (const [boxName] of boxes) this.#boxes.delete(boxName);
  }

  record(): WatchdogRecord {
    return { limitMs: this.#limitMs, firedAtMs: this.#firedAtMs, kills: [...this.#kills] };
  }

  #kill(boxName: string, recipe: KillRecipe): Promise<void> {
    const known = this.#killing.get(boxName);
    if (known !== undefined) return known;
    const kill = this.#killOnce(boxName, recipe);
    this.#killing.set(boxName, kill);
    return kill;
  }

  async #killOnce(boxName: string, recipe: KillRecipe): Promise<void> {
    const askedAtMs = this.#sinceStart();
    const result = await this.#killer.kill(recipe);
    if (result === 'failed') this.#killing.delete(boxName);
    this.#kills.push({ boxName, askedAtMs, doneAtMs: this.#sinceStart(), result });
  }

  #sinceStart(): number {
    return roundMs(monotonicMs() - this.#startedAtMs);
  }
}
