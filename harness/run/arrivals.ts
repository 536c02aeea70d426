import type { StreamName } from '../engine/engine.ts';
import type { ArrivalRun } from '../suite/observation.ts';
import { ARRIVAL_RESOLUTION_MS, ARRIVAL_RUNS_LIMIT } from './limits.ts';

interface OpenRun {
  readonly stream: StreamName;
  readonly atMs: number;
  sizeBytes: number;
}

/**
 * The order in which output arrived, as runs of bytes of one stream.
 *
 * Chunk borders are the relay's and mean nothing, so bytes of the same stream that arrive within
 * `ARRIVAL_RESOLUTION_MS` of a run's first byte are merged into it; a change of stream always starts a new
 * run. Beyond `ARRIVAL_RUNS_LIMIT` runs the last one of each stream takes the rest: sums stay exact, order
 * after that point is not told.
 */
export class Arrivals {
  readonly #runs: OpenRun[] = [];

  add(stream: StreamName, sizeBytes: number, atMs: number): void {
    if (sizeBytes === 0) return;
    const run = this.#runFor(stream, atMs);
    if (run === undefined) this.#runs.push({ stream, sizeBytes, atMs });
    else run.sizeBytes += sizeBytes;
  }

  list(): readonly ArrivalRun[] {
    return this.#runs.map((run) => ({ ...run }));
  }

  #runFor(stream: StreamName, atMs: number): OpenRun | undefined {
    const last = this.#runs.at(-1);
    if (last?.stream === stream && atMs - last.atMs < ARRIVAL_RESOLUTION_MS) return last;
    if (this.#runs.length < ARRIVAL_RUNS_LIMIT) return undefined;
    return this.#runs.findLast((run) => run.stream === stream);
  }
}
