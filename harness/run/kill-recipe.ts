import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { KillRecipe } from '../engine/engine.ts';
import { killContainer, removeContainer } from './docker-kill.ts';
import type { KillResult } from './result.ts';

/** A killed process is gone within milliseconds unless the machine is starved. */
const GONE_LIMIT_MS = 2_000;
const GONE_POLL_MS = 5;

/** A command that removes the traces of one box. */
const REMOVE_LIMIT_MS = 10_000;

type PidRecipe = Extract<KillRecipe, { readonly kind: 'pid' }>;

/** Ends a box by its recipe alone; resolves when no process of it is left. Never rejects. */
export async function killByRecipe(recipe: KillRecipe): Promise<KillResult> {
  return recipe.kind === 'pid' ? killProcess(recipe) : killContainer(recipe);
}

/** Removes what the engine kept of a box that is dead. Never rejects; what stays, a later sweep finds by its label. */
export async function removeByRecipe(recipe: KillRecipe): Promise<boolean> {
  if (recipe.kind === 'docker') return removeContainer(recipe);
  let removed = true;
  for (const argv of recipe.remove) removed = (await runQuietly(argv)) && removed;
  return removed;
}

async function killProcess(recipe: PidRecipe): Promise<KillResult> {
  if (!isSameProcess(recipe)) return 'already-gone';
  try {
    process.kill(recipe.pid, 'SIGKILL');
  } catch {
    return isSameProcess(recipe) ? 'failed' : 'already-gone';
  }
  for (let waitedMs = 0; waitedMs < GONE_LIMIT_MS; waitedMs += GONE_POLL_MS) {
    if (!isSameProcess(recipe)) return 'killed';
    await new Promise((resolve) => setTimeout(resolve, GONE_POLL_MS));
  }
  return 'failed';
}

/** Whether the process of the recipe still runs: same pid, same start time, and no zombie. */
function isSameProcess(recipe: PidRecipe): boolean {
  try {
    const stat = readFileSync(`/proc/${recipe.pid}/stat`, 'latin1');
    // The second field is the program's name in brackets and may hold anything, brackets and spaces included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[19] === recipe.startTime && fields[0] !== 'Z' && fields[0] !== 'X';
  } catch {
    return false;
  }
}

function runQuietly(argv: readonly string[]): Promise<boolean> {
  const [program, ...rest] = argv;
  if (program === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const options = { timeout: REMOVE_LIMIT_MS, env: { PATH: process.env['PATH'] ?? '' } };
    execFile(program, rest, options, (error) => resolve(error === null));
  });
}
