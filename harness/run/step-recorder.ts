import type { StepEvent, StreamName } from '../engine/engine.ts';
import type { CompiledStep } from '../suite/compiled.ts';
import { OUTPUT_BYTES_LIMIT } from '../suite/limits.ts';
import type { ArrivalRun, StepAction, StreamObservation } from '../suite/observation.ts';
import { Arrivals } from './arrivals.ts';
import { monotonicMs, roundMs } from './clock.ts';
import type { StreamSpool } from './spool.ts';

/** Called from within the event that caused it, so that no byte passes between the two. */
export interface RecorderListener {
  overLimit(stream: StreamName): void;
  /** Every chunk of stdout, with the count of all its bytes so far. */
  stdout(bytes: Buffer, totalBytes: number): void;
}

export interface StepSpools {
  readonly stdout: StreamSpool;
  readonly stderr: StreamSpool;
}

export interface StepRecord {
  readonly durationMs: number;
  readonly stdout: StreamObservation;
  readonly stderr: StreamObservation;
  readonly arrivals: readonly ArrivalRun[];
  readonly actions: readonly StepAction[];
}

/** A promise that somebody else fulfils, at most once. */
class Mark {
  #fulfil: () => void = () => {};
  readonly reached: Promise<void> = new Promise((resolve) => {
    this.#fulfil = resolve;
  });

  set(): void {
    this.#fulfil();
  }
}

/**
 * Takes the events of one step and turns them into its record: bytes to the spool, arrival order, ends of
 * file, and the actions that we took ourselves. Times are milliseconds after the start of the process.
 */
export class StepRecorder {
  readonly #spools: StepSpools;
  readonly #listener: RecorderListener;
  readonly #totalLimit: number;
  readonly #arrivals = new Arrivals();
  readonly #actions: StepAction[] = [];
  readonly #awaitingEof: Set<StreamName>;
  readonly #started = new Mark();
  readonly #firstOutput = new Mark();
  readonly #drained = new Mark();
  /** The start in the clock of the events and in ours; they need not have the same zero. */
  #originMs: number | null = null;
  #localOriginMs = monotonicMs();
  #endedAtMs: number | null = null;
  #overLimit: StreamName | null = null;

  constructor(
    step: Pick<CompiledStep, 'stdout'>,
    spools: StepSpools,
    listener: RecorderListener,
    totalLimit: number = OUTPUT_BYTES_LIMIT,
  ) {
    this.#spools = spools;
    this.#listener = listener;
    this.#totalLimit = totalLimit;
    const toFile = typeof step.stdout === 'object' && 'file' in step.stdout;
    this.#awaitingEof = new Set(toFile ? ['stderr'] : ['stdout', 'stderr']);
  }

  get started(): Promise<void> {
    return this.#started.reached;
  }

  get firstOutput(): Promise<void> {
    return this.#firstOutput.reached;
  }

  /** Resolves when every piped stream met its end of file or was closed by us. */
  get drained(): Promise<void> {
    return this.#drained.reached;
  }

  /** The first stream that gave more than the step may give. */
  get overLimit(): StreamName | null {
    return this.#overLimit;
  }

  /** Streams that are still open, in the order in which they are named. */
  get open(): readonly StreamName[] {
    return [...this.#awaitingEof];
  }

  /** @throws {RunError} SPOOL_FAILED */
  take(event: StepEvent): void {
    switch (event.kind) {
      case 'started':
        this.#originMs = event.atMs;
        this.#localOriginMs = monotonicMs();
        this.#started.set();
        return;
      case 'chunk':
        this.#takeChunk(event.stream, event.bytes, this.#elapsed(event.atMs));
        return;
      case 'eof':
        this.#spools[event.stream].markEof();
        this.#closed(event.stream);
        return;
      case 'ended':
        this.#endedAtMs ??= this.#elapsed(event.atMs);
        return;
    }
  }

  /** Records what we did to the step; closing an output also ends the wait for its end of file. */
  act(kind: StepAction['kind'], detail: string): void {
    this.#actions.push({ kind, detail, atMs: roundMs(monotonicMs() - this.#localOriginMs) });
    if (kind === 'output-closed' && detail === 'stdout') this.#closed('stdout');
  }

  /** Names of the signals sent so far. */
  sentSignals(): readonly string[] {
    return this.#actions.filter((action) => action.kind === 'signal').map((action) => action.detail);
  }

  /** Closes the spool files. Call it once, when nothing more is awaited; later events would be lost. */
  finish(): StepRecord {
    return {
      durationMs: this.#endedAtMs ?? roundMs(monotonicMs() - this.#localOriginMs),
      stdout: this.#spools.stdout.finish(),
      stderr: this.#spools.stderr.finish(),
      arrivals: this.#arrivals.list(),
      actions: [...this.#actions],
    };
  }

  #takeChunk(stream: StreamName, bytes: Buffer, atMs: number): void {
    const spool = this.#spools[stream];
    spool.take(bytes, atMs);
    this.#arrivals.add(stream, bytes.length, atMs);
    this.#firstOutput.set();
    if (stream === 'stdout') this.#listener.stdout(bytes, spool.totalBytes);
    if (spool.totalBytes > this.#totalLimit) {
      this.#overLimit ??= stream;
      this.#listener.overLimit(stream);
    }
  }

  #closed(stream: StreamName): void {
    this.#awaitingEof.delete(stream);
    if (this.#awaitingEof.size === 0) this.#drained.set();
  }

  #elapsed(atMs: number): number {
    return Math.max(0, roundMs(atMs - (this.#originMs ?? atMs)));
  }
}
