import { findDockerEndpoint } from '../engine/docker/endpoint.ts';
import { exportDockerImage } from '../engine/docker/export-image.ts';
import { probeDocker } from '../engine/docker/probe.ts';
import type { ImageRequest } from '../prepare/base-selection.ts';
import { JobError } from './errors.ts';

/**
 * The files of an image from the Docker Engine of the environment, whichever engine runs the boxes.
 *
 * @throws {JobError} BASE_IMAGE_UNAVAILABLE when none answers; {DockerError} for what it says
 */
export async function* exportFromDocker(image: ImageRequest, runId: string): AsyncIterable<Uint8Array> {
  const endpoint = await findDockerEndpoint(process.env);
  const probe = await probeDocker(endpoint);
  if (probe.kind === 'absent') {
    throw new JobError('BASE_IMAGE_UNAVAILABLE', 'base', {
      where: `${image.reference}@sha256:${image.digest}`,
      expected: 'its files in the archive store, or an answering Docker Engine that exports them once',
      actual: `no answer at ${probe.where}: ${probe.reason}`,
    });
  }
  yield* exportDockerImage({ endpoint, runId, ...image });
}
