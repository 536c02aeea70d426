import { join } from 'node:path';
import { connect, startPrivateEngine } from '../../engine/docker/private-engine.ts';
import type { EvidenceWay } from '../../engine/engine.ts';
import { type Lab, openLab } from './lab.ts';

/** A lab on a Docker Engine of the test's own, whose files are read in the given way. */
export async function openDockerLab(runId: string, way: EvidenceWay): Promise<Lab> {
  const own = await startPrivateEngine();
  const engine = await connect(own, { runId, way });
  const lab = await openLab({ folder: join(own.folder, 'lab'), engine, runId });
  return {
    ...lab,
    close: async () => {
      await lab.close();
      await own.stop();
    },
  };
}
