import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { partialOf } from '../../evidence/bundle-folder.ts';
import { findLeftovers } from './leftovers.ts';
import type { Started, Workbench } from './workbench.ts';

/** Between two looks at the disk. The shortest state that a point is about lasts some milliseconds. */
const LOOK_MS = 1;
/** A point that is not reached by then is not reached. */
const REACH_LIMIT_MS = 120_000;

/** Where a command is, as seen from outside: by what it says on stderr, or by what it has put on the disk. */
export type KillPoint =
  | { readonly name: string; readonly says: RegExp; readonly afterMs?: number }
  | { readonly name: string; readonly left: (place: KillPlace) => boolean; readonly afterMs?: number };

export interface KillPlace {
  readonly state: string;
  readonly target: string;
}

/** Resolves when the command is at the point. Rejects when it ends before. */
export async function reach(point: KillPoint, started: Started, place: KillPlace): Promise<void> {
  if ('says' in point) await started.untilStderr(point.says);
  else await untilLeft(point.name, () => point.left(place), started);
  if (point.afterMs !== undefined) await delay(point.afterMs);
}

async function untilLeft(name: string, isThere: () => boolean, started: Started): Promise<void> {
  const endsAt = Date.now() + REACH_LIMIT_MS;
  while (!isThere()) {
    const ended = started.child.exitCode !== null || started.child.signalCode !== null;
    if (ended || Date.now() > endsAt) throw new Error(`not reached: ${name}`);
    await delay(LOOK_MS);
  }
}

/** Something in a folder of each run that is on the disk now: `runs/<run>/…`. */
export function inRun(...words: readonly string[]): (place: KillPlace) => boolean {
  return ({ state }) =>
    namesIn(join(state, 'runs')).some((run) => isFilled(join(state, 'runs', run, ...words)));
}

/** A file of a box in each run that is on the disk now. */
export function inBox(kind: 'boxes' | 'runc', file: string, boxName: string): (place: KillPlace) => boolean {
  return ({ state }) =>
    namesIn(join(state, 'runs')).some((run) =>
      namesIn(join(state, 'runs', run, kind)).some(
        (box) => box.includes(boxName) && existsSync(join(state, 'runs', run, kind, box, file)),
      ),
    );
}

/** Kept bytes of a step of this case. */
export function spooled(caseId: string): (place: KillPlace) => boolean {
  return ({ state }) =>
    namesIn(join(state, 'scratch')).some((run) =>
      namesIn(join(state, 'scratch', run)).some((node) =>
        namesIn(join(state, 'scratch', run, node, caseId)).some(
          (attempt) => namesIn(join(state, 'scratch', run, node, caseId, attempt)).length > 0,
        ),
      ),
    );
}

/** A path of the bundle while it has no name yet. */
export function inPartial(path: string): (place: KillPlace) => boolean {
  return ({ state, target }) =>
    namesIn(join(state, 'scratch')).some((run) =>
      existsSync(join(partialOf(target, run.slice(0, run.indexOf('_'))), path)),
    );
}

/** Processes of the bench that are still there when what ends by itself has ended; empty is well. */
export function findProcesses(bench: Workbench): Promise<readonly string[]> {
  return findLeftovers(bench, (line) => line.startsWith('process '));
}

function isFilled(path: string): boolean {
  return existsSync(path) && (namesIn(path).length > 0 || !path.endsWith('images'));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
