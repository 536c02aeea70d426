import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { createRuncEngine } from '../../engine/runc/runc-engine.ts';
import { type Lab, openLab } from './lab.ts';

export interface RuncLab extends Lab {
  /** Containers that runc still knows; empty when nothing is left. */
  containers(): Promise<readonly string[]>;
}

type Wrap = (engine: Engine) => Engine;

/**
 * A lab on runc. `wrap` can put something between runner and engine; `folder` is used instead of a new one,
 * and kept, when it is given.
 */
export async function openRuncLab(
  runId: string,
  wrap: Wrap = (engine) => engine,
  folder?: string,
): Promise<RuncLab> {
  const own = folder ?? (await mkdtemp(join(tmpdir(), 'packproof-lab-')));
  const stateDir = join(own, 'state');
  const engine = await createRuncEngine({ stateDir, cacheDir: join(own, 'cache'), runId });
  const lab = await openLab({ folder: own, engine: wrap(engine), runId });
  return {
    ...lab,
    containers: () => readdir(join(stateDir, 'runs', runId, 'runc')).catch(() => []),
    close: async () => {
      await lab.close();
      if (folder === undefined) await rm(own, { recursive: true, force: true });
    },
  };
}
