import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { WritableMount } from '../../boundary/boundary.ts';
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
import { EngineError } from '../errors.ts';
import { readMembers } from '../host/cgroup.ts';
import { HostView } from '../host/host-view.ts';
import { toInspectView, toStateView } from './inspect-view.ts';
import type { RuncCommand } from './runc-command.ts';
import { StoredFields } from './stored-fields.ts';

/** The kernel ends a pid namespace in milliseconds; a process in an uninterruptible wait may take longer. */
const KILL_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;

export interface RuncBoxPlace {
  readonly id: string;
  readonly bundle: string;
  readonly runcRoot: string;
  readonly runc: RuncCommand;
  readonly mounts: readonly WritableMount[];
}

/** What runc and the host's kernel do for a box. */
export class RuncBackend implements BoxBackend {
  readonly id: string;
  readonly killRecipe: KillRecipe;
  readonly #place: RuncBoxPlace;
  readonly #state: StoredFields;
  readonly #view: HostView;
  #removed: () => void = () => {};

  private constructor(place: RuncBoxPlace, state: StoredFields, view: HostView) {
    this.id = place.id;
    this.#place = place;
    this.#state = state;
    this.#view = view;
    this.killRecipe = {
      kind: 'pid',
      pid: view.pin.pid,
      startTime: view.pin.startTime,
      remove: [place.runc.deleteWords(place.id)],
    };
  }

  /** Looks up a box whose holder is up. @throws {EngineError} EVIDENCE_UNREADABLE, BOX_LOST */
  static attach(place: RuncBoxPlace): RuncBackend {
    const state = StoredFields.read(join(place.runcRoot, place.id, 'state.json'), 'runc state');
    const view = HostView.open(state.number('init_process_pid') ?? 0, place.mounts);
    if (view.pin.startTime !== String(state.number('init_process_start'))) {
      view.close();
      throw new EngineError('BOX_LOST', {
        where: place.id,
        expected: 'the process that runc started',
        actual: 'another',
      });
    }
    return new RuncBackend(place, state, view);
  }

  /** Called when nothing of the box is left. */
  onRemoved(listener: () => void): void {
    this.#removed = listener;
  }

  async listProcesses(): Promise<readonly BoxProcess[]> {
    return this.#view.processes();
  }

  async give(entries: readonly OwnerEntry[]): Promise<void> {
    this.#view.give(entries);
  }

  snapshot(): Promise<Snapshot> {
    return this.#view.snapshot();
  }

  readTree(path: string): AsyncIterable<TreeFile> {
    return this.#view.readTree(path);
  }

  async outside(candidatePid: number | null): Promise<OutsideView> {
    const config = StoredFields.read(join(this.#place.bundle, 'config.json'), 'config.json');
    return { inspect: toInspectView(this.#state, config), ...this.#view.outside(candidatePid) };
  }

  async kill(): Promise<void> {
    // The pin says that the number still means the holder; it cannot go to another between two lines.
    if (this.#view.pin.isAlive()) {
      try {
        process.kill(this.#view.pin.pid, 'SIGKILL');
      } catch {
        // Gone in between: what was wanted.
      }
    }
    const until = Date.now() + KILL_TIMEOUT_MS;
    for (let wait = FIRST_PAUSE_MS; !this.#isGone(); wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      if (Date.now() > until) {
        throw new EngineError('PROCESSES_SURVIVED', { where: this.id, expected: 'none', actual: 'some' });
      }
      await pause(wait);
    }
  }

  async remove(): Promise<BoxEnd> {
    const events = this.#view.memoryEvents();
    const end: BoxEnd = {
      oomKilled: (events?.oomKills ?? 0) > 0,
      oomKills: events?.oomKills ?? null,
      inspect: {
        ...toStateView(this.#state),
        memoryLimitHits: events?.limitHits ?? null,
        memoryPeakBytes: events?.peakBytes ?? null,
      },
    };
    this.#view.close();
    await removeContainer(this.#place, this.#state);
    this.#removed();
    return end;
  }

  #isGone(): boolean {
    const { cgroup, pin } = this.#view;
    return !pin.isAlive() && (cgroup === null || readMembers(cgroup).length === 0);
  }
}

/**
 * Removes what runc keeps of a container that has ended: its cgroups and its state. These are the two
 * things that `runc delete` removes, which costs a process of 10 ms; it is asked when anything is in the way.
 */
async function removeContainer(place: RuncBoxPlace, state: StoredFields): Promise<void> {
  const stateFolder = join(place.runcRoot, place.id);
  try {
    await Promise.all(state.object('cgroup_paths').allTexts().map(removeCgroup));
    await rm(stateFolder, { recursive: true, force: true });
  } catch {
    await place.runc.delete(place.id);
  }
  await rm(place.bundle, { recursive: true, force: true });
  if (existsSync(stateFolder)) {
    throw new EngineError('ENGINE_FAILED', { where: place.id, expected: 'no state left', actual: 'some' });
  }
}

/** A cgroup is a folder whose files cannot be deleted and need not be. */
async function removeCgroup(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw error;
    }
  });
}
