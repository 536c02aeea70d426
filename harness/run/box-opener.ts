import type { Boundary } from '../boundary/boundary.ts';
import type { Box, Engine, FileTreeEntry, LoadedImage } from '../engine/engine.ts';
import { describeFailure } from './bounded.ts';
import type { Deadline } from './deadline.ts';
import { OPEN_LIMIT_MS } from './limits.ts';
import type { RunStop } from './run-stop.ts';
import type { Watchdog } from './watchdog.ts';

export interface BoxRequest {
  /** Unique in the run. */
  readonly boxName: string;
  readonly image: LoadedImage;
  readonly boundary: Boundary;
  readonly files: readonly FileTreeEntry[];
}

export interface OpenedBox {
  readonly box: Box;
  readonly boxName: string;
}

/** Opens boxes of one run such that the watchdog knows each from the moment on at which it exists. */
export class BoxOpener {
  readonly #engine: Engine;
  readonly #runId: string;
  readonly #deadline: Deadline;
  readonly #stop: RunStop;
  readonly #watchdog: Watchdog;

  constructor(run: {
    readonly engine: Engine;
    readonly runId: string;
    readonly deadline: Deadline;
    readonly stop: RunStop;
    readonly watchdog: Watchdog;
  }) {
    this.#engine = run.engine;
    this.#runId = run.runId;
    this.#deadline = run.deadline;
    this.#stop = run.stop;
    this.#watchdog = run.watchdog;
  }

  /**
   * The open box, or one line that says why there is none. A box that opens after we stopped waiting for it
   * is registered all the same, so that it is killed rather than forgotten.
   */
  async open(request: BoxRequest): Promise<OpenedBox | string> {
    const { boxName, image, boundary, files } = request;
    const labels = { runId: this.#runId, boxName };
    const endsAfterMs = this.#deadline.boxEndsAfterMs();
    const opening = this.#engine.open({ image, boundary, labels, endsAfterMs, files }).then((box) => {
      this.#watchdog.register(boxName, box.killRecipe);
      return box;
    });
    const answer = await this.#stop.within(opening, OPEN_LIMIT_MS);
    if (answer.kind === 'done') return { box: answer.value, boxName };
    if (answer.kind === 'late') void opening.then((box) => this.#discard(box, boxName)).catch(() => {});
    return describeFailure(answer);
  }

  /** The box is gone for good: the watchdog need not look after it any more. */
  closed(boxName: string): void {
    this.#watchdog.unregister(boxName);
  }

  async #discard(box: Box, boxName: string): Promise<void> {
    await box.kill();
    await box.close();
    this.closed(boxName);
  }
}
