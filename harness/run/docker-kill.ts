import { readFileSync } from 'node:fs';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import type { KillRecipe } from '../engine/engine.ts';
import type { KillResult } from './result.ts';

type DockerRecipe = Extract<KillRecipe, { readonly kind: 'docker' }>;

/** An engine that does not answer for this long does not answer in time for the deadline. */
const ANSWER_LIMIT_MS = 10_000;

/**
 * Ends a container without any client library: the watchdog must not share code, connections or queues
 * with the runner that it watches. Source of calls and codes: Docker Engine API, ContainerKill and ContainerDelete.
 */
export async function killContainer(recipe: DockerRecipe): Promise<KillResult> {
  const status = await call(recipe, 'POST', `/containers/${recipe.containerId}/kill`);
  if (status === 204) return 'killed';
  // 404: removed already; 409: not running.
  return status === 404 || status === 409 ? 'already-gone' : 'failed';
}

export async function removeContainer(recipe: DockerRecipe): Promise<boolean> {
  const status = await call(recipe, 'DELETE', `/containers/${recipe.containerId}?force=1&v=1`);
  // 409: somebody else is removing it right now.
  return status === 204 || status === 404 || status === 409;
}

/** The status of the answer, null when there is none. */
function call(recipe: DockerRecipe, method: string, path: string): Promise<number | null> {
  return new Promise((resolve) => {
    const target = toTarget(recipe);
    if (target === null) {
      resolve(null);
      return;
    }
    const send = target.secure ? httpsRequest : httpRequest;
    const request = send({ ...target.options, method, path, timeout: ANSWER_LIMIT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
    request.end();
  });
}

interface Target {
  readonly secure: boolean;
  readonly options: RequestOptions;
}

function toTarget(recipe: DockerRecipe): Target | null {
  if (recipe.host.startsWith('unix://')) {
    return { secure: false, options: { socketPath: recipe.host.slice('unix://'.length) } };
  }
  try {
    const url = new URL(recipe.host);
    const options = { host: url.hostname, port: url.port };
    if (recipe.certificates === null) return { secure: url.protocol === 'https:', options };
    const read = (name: string): Buffer => readFileSync(join(recipe.certificates ?? '', name));
    const identity = { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
    return { secure: true, options: { ...options, ...identity } };
  } catch {
    return null;
  }
}
