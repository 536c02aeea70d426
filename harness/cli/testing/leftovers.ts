import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Workbench } from './workbench.ts';

/** What ends by itself has ended by then, on a loaded machine too. */
const SETTLE_MS = 10_000;
const LOOK_MS = 50;

/**
 * What commands of this bench have left on the machine, once what ends by itself has ended; empty is well.
 * `asked` picks the lines that are waited for.
 */
export async function findLeftovers(
  bench: Workbench,
  asked: (line: string) => boolean = () => true,
): Promise<readonly string[]> {
  const endsAt = Date.now() + SETTLE_MS;
  for (;;) {
    const found = (await listLeftovers(bench)).filter(asked);
    if (found.length === 0 || Date.now() > endsAt) return found;
    await delay(LOOK_MS);
  }
}

/** The same at this moment: temporary files, run folders, mounts and processes. */
export async function listLeftovers(bench: Workbench): Promise<readonly string[]> {
  const state = join(bench.stateHome, 'packproof');
  const [temporary, runs, scratch, mounts, processes] = await Promise.all([
    readdir(bench.temporary),
    readdir(join(state, 'runs')).catch(() => []),
    readdir(join(state, 'scratch')).catch(() => []),
    listMounts(bench.folder),
    listProcesses(bench.stateHome),
  ]);
  return [
    ...temporary.map((name) => `temporary ${name}`),
    ...runs.map((name) => `run ${name}`),
    ...scratch.map((name) => `scratch ${name}`),
    ...mounts.map((path) => `mount ${path}`),
    ...processes.map((pid) => `process ${pid}`),
  ];
}

async function listMounts(folder: string): Promise<readonly string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8');
  return table.split('\n').flatMap((line) => {
    const point = line.split(' ')[4] ?? '';
    return point.startsWith(`${folder}/`) ? [point] : [];
  });
}

/** Processes that inherited this bench's environment; a box has another one, but its run folder shows. */
async function listProcesses(stateHome: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const own = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(`XDG_STATE_HOME=${stateHome}`) ? [pid] : [];
    }),
  );
  return own.flat();
}

/** Host pids of the holders of every runc box that is there now. */
export async function listBoxPids(bench: Workbench): Promise<readonly number[]> {
  const runs = join(bench.stateHome, 'packproof', 'runs');
  const pids: number[] = [];
  for (const run of await readdir(runs).catch(() => [])) {
    const boxes = join(runs, run, 'runc');
    for (const box of await readdir(boxes).catch(() => [])) {
      const text = await readFile(join(boxes, box, 'state.json'), 'utf8').catch(() => '{}');
      const state: { readonly init_process_pid?: number } = JSON.parse(text);
      if (state.init_process_pid !== undefined) pids.push(state.init_process_pid);
    }
  }
  return pids;
}

/** Waits until none of these processes is there, a zombie counted as gone. Gives those that stay. */
export async function untilGone(pids: readonly number[], limitMs: number): Promise<readonly number[]> {
  const endsAt = Date.now() + limitMs;
  for (;;) {
    const alive = await Promise.all(pids.map(async (pid) => ((await isAlive(pid)) ? [pid] : [])));
    if (alive.flat().length === 0 || Date.now() > endsAt) return alive.flat();
    await delay(LOOK_MS);
  }
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return stat !== null && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}
