import type { Engine } from '../engine/engine.ts';
import { type EngineRequest, openEngine } from '../job/engines.ts';
import { CliError } from './errors.ts';
import type { Progress } from './output.ts';

/** Opens the engine at its first use, once, and releases it at the end whatever happened. */
export class EngineSlot {
  readonly #request: EngineRequest;
  readonly #progress: Progress;
  #opened: Promise<Engine> | null = null;
  #released: Promise<void> | null = null;

  constructor(request: EngineRequest, progress: Progress) {
    this.#request = request;
    this.#progress = progress;
  }

  /** @throws {CliError} ENGINE_RELEASED when work goes on after the command has ended */
  readonly open = (): Promise<Engine> => {
    this.#opened ??= this.#start();
    return this.#opened;
  };

  /** Removes this run's boxes and mounts, once. Errors of an engine that never opened were reported before. */
  readonly release = (): Promise<void> => {
    this.#released ??= this.#end();
    return this.#released;
  };

  async #end(): Promise<void> {
    const engine = await this.#opened?.catch(() => null);
    await engine?.dispose();
  }

  async #start(): Promise<Engine> {
    if (this.#released !== null) throw new CliError('ENGINE_RELEASED', 'engine', { where: 'command' });
    const engine = await openEngine(this.#request);
    const facts = await engine.facts();
    this.#progress.say('engine', `${facts.name} ${facts.version}, cgroup v${facts.cgroupVersion}`);
    const removed = await engine.sweep('dead-runs');
    if (removed.length > 0) this.#progress.say('engine', `removed ${removed.length} left-overs of dead runs`);
    return engine;
  }
}
