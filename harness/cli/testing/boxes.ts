import Docker from 'dockerode';
import { RUN_LABEL } from '../../engine/docker/labels.ts';
import { requireDocker } from './workbench.ts';

/** The test engine's own interface, to look at what packproof leaves there and to put something beside it. */
export function openDocker(): Docker {
  return new Docker({ socketPath: requireDocker().replace(/^unix:\/\//, '') });
}

/** A container of one run, with the host pid of its holder; 0 when it does not run. */
export interface RunContainer {
  readonly id: string;
  readonly image: string;
  readonly runId: string;
  readonly pid: number;
}

/** Containers of runs that have one of these ids; those of other tests on the same engine are not looked at. */
export async function listRunContainers(
  docker: Docker,
  runIds: readonly string[],
): Promise<readonly RunContainer[]> {
  const found = await docker.listContainers({ all: true, filters: { label: [RUN_LABEL] } });
  const own = found.filter(({ Labels }) => runIds.includes(Labels[RUN_LABEL] ?? ''));
  return Promise.all(
    own.map(async ({ Id, ImageID, Labels }) => {
      const { State } = await docker.getContainer(Id).inspect();
      return { id: Id, image: ImageID, runId: Labels[RUN_LABEL] ?? '', pid: State.Pid };
    }),
  );
}
