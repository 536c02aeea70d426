import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../errors.ts';
import { unmountBelow } from './image-mounts.ts';
import { RunFolder } from './run-folder.ts';
import { RuncCommand } from './runc-command.ts';

export type SweepSelection = { readonly runId: string } | 'dead-runs';

/**
 * Removes what runs left on this machine: containers with their cgroups, mounts, folders. Only runs below
 * this state folder are looked at, and of `dead-runs` only those whose owner is known to be gone.
 *
 * Returns what was removed, as `container ID`, `mount IMAGE` and `run ID`.
 * @throws {EngineError} ENGINE_FAILED when something cannot be removed; the rest has been by then
 */
export async function sweepRuns(
  options: { readonly stateDir: string },
  selection: SweepSelection,
): Promise<readonly string[]> {
  const removed: string[] = [];
  const failures: unknown[] = [];
  for (const runId of await listRuns(options.stateDir)) {
    const folder = new RunFolder(options.stateDir, runId);
    const selected = selection === 'dead-runs' ? await folder.isDead() : runId === selection.runId;
    if (selected) {
      await sweepRun(folder, runId, removed).catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) {
    throw new EngineError('ENGINE_FAILED', {
      where: 'sweep',
      expected: 'all removed',
      actual: failures.map(String).join('; '),
      cause: failures[0],
    });
  }
  return removed;
}

async function sweepRun(folder: RunFolder, runId: string, removed: string[]): Promise<void> {
  const runc = new RuncCommand(folder.runcRoot);
  for (const id of await readdir(folder.runcRoot).catch(() => [])) {
    await runc.delete(id);
    removed.push(`container ${id}`);
  }
  for (const mount of await unmountBelow(folder.images)) {
    removed.push(`mount ${mount.slice(folder.images.length + 1)}`);
  }
  await folder.remove();
  removed.push(`run ${runId}`);
}

/** Names that no run of ours has are not looked at. */
async function listRuns(stateDir: string): Promise<readonly string[]> {
  const names = await readdir(join(stateDir, 'runs')).catch(() => []);
  return names.filter((name) => RunFolder.isRunId(name));
}
