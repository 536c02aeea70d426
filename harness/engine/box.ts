import type {
  Box,
  BoxEnd,
  BoxProcess,
  FileTreeEntry,
  KillRecipe,
  LiveStep,
  OutsideView,
  OwnerEntry,
  Snapshot,
  StepRequest,
  TreeFile,
} from './engine.ts';
import { EngineError } from './errors.ts';
import { layFiles } from './holder/files.ts';
import type { HolderSession } from './holder/session.ts';
import type { HolderStep } from './holder/step.ts';

/** What an engine itself does for a box; everything inside goes through the holder. */
export interface BoxBackend {
  readonly id: string;
  readonly killRecipe: KillRecipe;
  /** Processes of the box but the holder. */
  listProcesses(): Promise<readonly BoxProcess[]>;
  /** @throws {EngineError} OWNER_NOT_LAID, always where files are reached through the engine alone */
  give(entries: readonly OwnerEntry[]): Promise<void>;
  snapshot(): Promise<Snapshot>;
  readTree(path: string): AsyncIterable<TreeFile>;
  /** `candidatePid` is the step's process as numbered inside the box; null reads the holder instead. */
  outside(candidatePid: number | null): Promise<OutsideView>;
  /** Ends holder and all by force; resolves when no process of the box is left. */
  kill(): Promise<void>;
  /** Called once, after `kill`: reads the end, then removes all that the engine kept. */
  remove(): Promise<BoxEnd>;
}

/**
 * The box of every engine: a holder's session inside, a thin backend outside.
 *
 * It keeps the two rules that make its evidence worth something: one step at a time, and files are read
 * only while nothing of a candidate can be alive.
 */
export class HolderBox implements Box {
  readonly id: string;
  readonly killRecipe: KillRecipe;
  readonly #session: HolderSession;
  readonly #backend: BoxBackend;
  #step: HolderStep | null = null;
  #starting = false;
  #quiet = true;
  #killed: Promise<void> | null = null;
  #closed: Promise<BoxEnd> | null = null;

  constructor(session: HolderSession, backend: BoxBackend) {
    this.id = backend.id;
    this.killRecipe = backend.killRecipe;
    this.#session = session;
    this.#backend = backend;
  }

  async start(step: StepRequest): Promise<LiveStep> {
    if (this.#starting || (this.#step !== null && this.#step.end === null)) {
      throw new EngineError('STEP_REFUSED', {
        where: this.id,
        expected: 'the step before to have ended',
        actual: 'it runs',
      });
    }
    this.#starting = true;
    this.#quiet = false;
    try {
      this.#step = await this.#session.start(step);
      return this.#step;
    } finally {
      this.#starting = false;
    }
  }

  freeze(): Promise<void> {
    return this.#session.freeze();
  }

  processes(): Promise<readonly BoxProcess[]> {
    return this.#backend.listProcesses();
  }

  async killAll(): Promise<number> {
    const { reaped, complete } = await this.#session.killAll();
    if (!complete) {
      throw new EngineError('PROCESSES_SURVIVED', { where: this.id, expected: 'none', actual: 'some' });
    }
    this.#quiet = !this.#starting;
    return reaped;
  }

  async lay(entries: readonly FileTreeEntry[]): Promise<void> {
    this.#requireQuiet('lay');
    await layFiles(this.#session, entries, (owners) => this.#backend.give(owners));
  }

  async snapshot(): Promise<Snapshot> {
    this.#requireQuiet('snapshot');
    return this.#backend.snapshot();
  }

  async *readTree(path: string): AsyncIterable<TreeFile> {
    this.#requireQuiet('readTree');
    yield* this.#backend.readTree(path);
  }

  outside(): Promise<OutsideView> {
    return this.#backend.outside(this.#step?.livePid ?? null);
  }

  kill(): Promise<void> {
    this.#killed ??= this.#backend.kill();
    return this.#killed;
  }

  close(): Promise<BoxEnd> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<BoxEnd> {
    this.#session.quit();
    await this.kill();
    return this.#backend.remove();
  }

  // A candidate that still runs can swap a file for a link between the look and the read.
  #requireQuiet(where: string): void {
    if (!this.#quiet) {
      throw new EngineError('BOX_NOT_QUIET', {
        where,
        expected: 'no step since the last kill of all',
        actual: 'a step',
      });
    }
  }
}
