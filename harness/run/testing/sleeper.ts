import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { KillRecipe } from '../../engine/engine.ts';

/** A real process that stands for a holder, and the recipe that kills it. */
export interface Sleeper {
  readonly child: ChildProcess;
  readonly recipe: Extract<KillRecipe, { readonly kind: 'pid' }>;
}

/** Starts a process that ignores SIGTERM and ends only by SIGKILL or after a minute. */
export async function startSleeper(remove: readonly (readonly string[])[] = []): Promise<Sleeper> {
  const child = spawn('/bin/sh', ['-c', "trap '' TERM INT HUP; sleep 60"], {
    stdio: 'ignore',
    detached: true,
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  return { child, recipe: { kind: 'pid', pid, startTime: startTimeOf(pid), remove } };
}

/** Field 22 of `/proc/PID/stat`. */
function startTimeOf(pid: number): string {
  return readStat(pid)[19] ?? '';
}

/** Whether that very process runs; one that only waits to be reaped does not. */
export function isRunning(pid: number, startTime: string): boolean {
  try {
    const stat = readStat(pid);
    return stat[19] === startTime && stat[0] !== 'Z';
  } catch {
    return false;
  }
}

/** Fields from the third on. */
function readStat(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function isAlive({ child }: Sleeper): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Ends what a test left running, with the `sleep` in its group. */
export function endSleeper({ child }: Sleeper): void {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
