import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { formatOwner, parseOwner, readOwner, readOwnerState } from '../engine/host/owner.ts';

/** Lists what a run writes outside its own folder, one absolute path a line. */
const ELSEWHERE = 'elsewhere';

/** Only what bears the name of unfinished work is ever removed outside a scratch folder. */
const UNFINISHED = /^\..+\.partial$/;

/**
 * The temporary files of one run, `scratch/<run>_<owner>/` below the state folder.
 *
 * The owner stands in the name, so that the folder belongs to somebody from its first moment on, and what a
 * killed run left can be told from what a living one needs.
 */
export class Scratch {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder of a run of this process, and removes those of runs whose process is gone. */
  static async open(stateDir: string, runId: string): Promise<Scratch> {
    await sweepScratch(stateDir);
    const owner = formatOwner(await readOwner()).replaceAll('/', '_');
    const folder = join(scratchRoot(stateDir), `${runId}_${owner}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Scratch(folder);
  }

  /** Records the unfinished folder that this run is about to write somewhere else. */
  async announce(path: string): Promise<void> {
    await writeFile(join(this.folder, ELSEWHERE), `${path}\n`);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Removes the temporary files of runs of this machine whose process is gone; gives what was removed. */
export async function sweepScratch(stateDir: string): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await readdir(scratchRoot(stateDir)).catch(() => [])) {
    if (!(await isDead(name))) continue;
    const folder = join(scratchRoot(stateDir), name);
    for (const path of await readElsewhere(folder)) {
      await rm(path, { recursive: true, force: true });
    }
    await rm(folder, { recursive: true, force: true });
    removed.push(`scratch ${name.slice(0, name.indexOf('_'))}`);
  }
  return removed;
}

function scratchRoot(stateDir: string): string {
  return join(stateDir, 'scratch');
}

async function isDead(name: string): Promise<boolean> {
  const owner = parseOwner(
    name
      .slice(name.indexOf('_') + 1)
      .split('_')
      .join('/'),
  );
  return owner !== null && (await readOwnerState(owner)) === 'dead';
}

async function readElsewhere(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, ELSEWHERE), 'utf8').catch(() => '');
  return text.split('\n').filter((path) => path.startsWith('/') && UNFINISHED.test(basename(path)));
}
