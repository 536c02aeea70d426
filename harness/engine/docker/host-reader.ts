import type { WritableMount } from '../../boundary/boundary.ts';
import type { BoxProcess, OwnerEntry, Snapshot, TreeFile } from '../engine.ts';
import { HostView, type KernelView } from '../host/host-view.ts';
import type { Answer } from './answer.ts';
import type { OutsideReader } from './backend.ts';

/** Reads a box of an engine on this very machine through the kernel, which asks nothing of the engine. */
export class HostReader implements OutsideReader {
  readonly view: HostView;
  #oomKills: number | null = null;

  constructor(view: HostView) {
    this.view = view;
  }

  async listProcesses(): Promise<readonly BoxProcess[]> {
    this.readOomKills();
    return this.view.processes();
  }

  snapshot(): Promise<Snapshot> {
    this.readOomKills();
    return this.view.snapshot();
  }

  async give(entries: readonly OwnerEntry[]): Promise<void> {
    this.view.give(entries);
  }

  readTree(path: string): AsyncIterable<TreeFile> {
    return this.view.readTree(path);
  }

  async hostView(candidatePid: number | null): Promise<KernelView> {
    return this.view.outside(candidatePid);
  }

  /**
   * The engine removes the cgroup as soon as the holder is gone, and with it the counter. So it is also read
   * on every earlier look, and the last value that was seen stands.
   */
  readOomKills(): number | null {
    this.#oomKills = this.view.memoryEvents()?.oomKills ?? this.#oomKills;
    return this.#oomKills;
  }

  /** The kernel ends the whole pid namespace with its first process. */
  killHolder(): boolean {
    try {
      if (this.view.pin.isAlive()) {
        process.kill(this.view.pin.pid, 'SIGKILL');
      }
    } catch {
      // It ended between the look and the signal.
    }
    return true;
  }

  close(): void {
    this.view.close();
  }
}

/**
 * Opens the host's view of a just started box, or null when the pid that the engine gives is not a process
 * of this box in this process's numbers: the engine may be on another machine, in a virtual one, or in
 * another pid namespace behind the same socket. The box's id in the process's cgroup path tells.
 */
export function openHostReader(inspected: Answer, mounts: readonly WritableMount[]): HostReader | null {
  const pid = inspected.object('State').integer('Pid');
  if (pid <= 1) {
    return null;
  }
  try {
    const view = HostView.open(pid, mounts);
    if (view.cgroup?.pids.includes(inspected.text('Id')) === true) {
      return new HostReader(view);
    }
    view.close();
    return null;
  } catch {
    return null;
  }
}
