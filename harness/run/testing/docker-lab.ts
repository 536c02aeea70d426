import { join } from 'node:path';
import { connect, startPrivateEngine } from '../../engine/docker/testing/private-engine.ts';
import type { Engine, EvidenceWay } from '../../engine/engine.ts';
import { type Lab, openLab } from './lab.ts';

/**
 * A lab on a Docker Engine of the test's own, whose files are read in the given way. `wrap` can put something
 * between runner and engine.
 */
export async function openDockerLab(
  runId: string,
  way: EvidenceWay,
  wrap: (engine: Engine) => Engine = (engine) => engine,
): Promise<Lab> {
  const own = await startPrivateEngine();
  const engine = wrap(await connect(own, { runId, way }));
  const lab = await openLab({ folder: join(own.folder, 'lab'), engine, runId });
  return {
    ...lab,
    close: async () => {
      await lab.close();
      await own.stop();
    },
  };
}
