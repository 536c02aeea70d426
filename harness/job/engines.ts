import type { Platform } from '../boundary/boundary.ts';
import { toDockerSeccomp } from '../boundary/seccomp-forms.ts';
import { readSeccompPolicy } from '../boundary/seccomp-policy.ts';
import { Fault } from '../document/fault.ts';
import { createDockerEngine } from '../engine/docker/docker-engine.ts';
import { findDockerEndpoint } from '../engine/docker/endpoint.ts';
import { removeDockerImages } from '../engine/docker/image-store.ts';
import { probeDocker } from '../engine/docker/probe.ts';
import type { Engine } from '../engine/engine.ts';
import { createRuncEngine } from '../engine/runc/runc-engine.ts';
import { JobError } from './errors.ts';

export type EngineChoice = 'auto' | 'docker' | 'runc';

export interface EngineRequest {
  readonly choice: EngineChoice;
  readonly runId: string;
  readonly stateDir: string;
  readonly cacheDir: string;
  /** Where DOCKER_HOST and its like are read from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the engine asked for. `auto` takes Docker when it answers, else runc; a Docker that answers but
 * cannot be held to the boundary is an error there too, because a silent change of engine would hide it.
 *
 * @throws {JobError} NO_ENGINE when neither can be had; {EngineError}, {DockerError} of the one asked for
 */
export async function openEngine(request: EngineRequest): Promise<Engine> {
  switch (request.choice) {
    case 'docker':
      return openDocker(request);
    case 'runc':
      return openRunc(request);
    case 'auto':
      return (await dockerAnswers(request)) ? openDocker(request) : openRuncOrExplain(request);
  }
}

async function dockerAnswers(request: EngineRequest): Promise<boolean> {
  const endpoint = await findDockerEndpoint(request.environment);
  return (await probeDocker(endpoint)).kind !== 'absent';
}

async function openDocker(request: EngineRequest): Promise<Engine> {
  const { runId, stateDir } = request;
  const endpoint = await findDockerEndpoint(request.environment);
  const seccomp = JSON.stringify(toDockerSeccomp(readSeccompPolicy(), hostPlatform()));
  return createDockerEngine({ endpoint, runId, stateDir, seccomp });
}

function openRunc({ stateDir, cacheDir, runId }: EngineRequest): Promise<Engine> {
  return createRuncEngine({ stateDir, cacheDir, runId });
}

async function openRuncOrExplain(request: EngineRequest): Promise<Engine> {
  try {
    return await openRunc(request);
  } catch (cause) {
    throw new JobError('NO_ENGINE', 'engine', {
      where: 'auto',
      expected: 'an answering Docker Engine, or runc as root; packproof doctor says what is missing',
      actual: cause instanceof Fault ? cause.message : String(cause),
      cause,
    });
  }
}

/**
 * Removes the images of ours that an answering Docker Engine holds; returns their names. runc's images are
 * layers of the cache folder.
 *
 * @throws {DockerError} ENGINE_FAILED
 */
export async function removeCachedImages(
  environment: EngineRequest['environment'],
): Promise<readonly string[]> {
  const endpoint = await findDockerEndpoint(environment);
  return (await probeDocker(endpoint)).kind === 'absent' ? [] : removeDockerImages(endpoint);
}

/** The platform whose programs this machine runs. */
export function hostPlatform(): Platform {
  return process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
}
