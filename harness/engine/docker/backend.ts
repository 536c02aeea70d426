import type { BoxBackend } from '../box.ts';
import type {
  BoxEnd,
  BoxProcess,
  KillRecipe,
  OutsideView,
  OwnerEntry,
  Snapshot,
  TreeFile,
} from '../engine.ts';
import type { KernelView } from '../host/host-view.ts';
import type { Answer } from './answer.ts';
import type { DockerClient } from './client.ts';
import { awaitEnd, inspectContainer, killContainer } from './container.ts';
import { type TmpfsOptions, toEndView, toInspectView } from './inspect-view.ts';

/** How the files and processes of one box are reached from outside. */
export interface OutsideReader {
  listProcesses(): Promise<readonly BoxProcess[]>;
  /** @throws {EngineError} OWNER_NOT_LAID */
  give(entries: readonly OwnerEntry[]): Promise<void>;
  snapshot(): Promise<Snapshot>;
  readTree(path: string): AsyncIterable<TreeFile>;
  /** What the host itself shows of the box; all null where the host cannot look. */
  hostView(candidatePid: number | null): Promise<KernelView>;
  /** Kills of the memory cgroup so far; null where not readable. */
  readOomKills(): number | null;
  /** Ends the holder from the host, which is quicker than through the engine; false where it cannot. */
  killHolder(): boolean;
  close(): void;
}

export interface DockerBackendParts {
  readonly id: string;
  readonly client: DockerClient;
  readonly killRecipe: KillRecipe;
  /** Container inspect, taken after the start. */
  readonly inspected: Answer;
  readonly tmpfs: TmpfsOptions;
  readonly reader: OutsideReader;
  /** Takes over the removal, which goes on behind the run. */
  readonly removeLater: (containerId: string) => void;
}

/** The Docker side of one box; what happens inside goes through the holder. */
export class DockerBackend implements BoxBackend {
  readonly id: string;
  readonly killRecipe: KillRecipe;
  readonly #parts: DockerBackendParts;
  #oomKills: number | null = null;

  constructor(parts: DockerBackendParts) {
    this.id = parts.id;
    this.killRecipe = parts.killRecipe;
    this.#parts = parts;
  }

  listProcesses(): Promise<readonly BoxProcess[]> {
    return this.#parts.reader.listProcesses();
  }

  give(entries: readonly OwnerEntry[]): Promise<void> {
    return this.#parts.reader.give(entries);
  }

  snapshot(): Promise<Snapshot> {
    return this.#parts.reader.snapshot();
  }

  readTree(path: string): AsyncIterable<TreeFile> {
    return this.#parts.reader.readTree(path);
  }

  async outside(candidatePid: number | null): Promise<OutsideView> {
    const { inspected, tmpfs, reader } = this.#parts;
    return { inspect: toInspectView(inspected, tmpfs), ...(await reader.hostView(candidatePid)) };
  }

  /** The counter of the memory cgroup goes with the box, so it is read before. */
  async kill(): Promise<void> {
    const { client, id, reader } = this.#parts;
    this.#oomKills = reader.readOomKills();
    if (!reader.killHolder()) {
      await killContainer(client, id);
    }
    await awaitEnd(client, id);
  }

  async remove(): Promise<BoxEnd> {
    const { client, id, reader, removeLater } = this.#parts;
    try {
      const state = await inspectContainer(client, id);
      return {
        // The engine's own word comes from an event that a quick end can overtake.
        oomKilled: state.object('State').flag('OOMKilled') || (this.#oomKills ?? 0) > 0,
        oomKills: this.#oomKills,
        inspect: toEndView(state),
      };
    } finally {
      reader.close();
      removeLater(id);
    }
  }
}
