import { readOwner } from '../host/owner.ts';
import { Answer } from './answer.ts';
import {
  ask,
  callFailed,
  connectDocker,
  type DockerClient,
  reasonOf,
  statusOf,
  toReadable,
} from './client.ts';
import type { DockerEndpoint } from './endpoint.ts';
import { DockerError } from './errors.ts';
import { toLabels } from './labels.ts';
import { identifyDocker } from './probe.ts';
import { readProgress } from './progress.ts';
import { removeContainer } from './sweep.ts';

export interface ExportRequest {
  readonly endpoint: DockerEndpoint;
  readonly runId: string;
  /** `registry/name`, with or without a tag, which says nothing beside the digest. */
  readonly reference: string;
  /** sha256 of the manifest, hex. */
  readonly digest: string;
  readonly platform: string;
}

/** Milliseconds after which the container of an export counts as left behind. */
const EXPORT_LIMIT_MS = 3_600_000;

/**
 * The files of an image as a tar: pulled by its digest when the engine does not hold it, then exported from a
 * container that is made and never started. The container is removed at the end, and so is what was pulled.
 *
 * @throws {DockerError} as `identifyDocker` says, IMAGE_PULL_FAILED, IMAGE_OTHER_PLATFORM, ENGINE_FAILED
 */
export async function* exportDockerImage(request: ExportRequest): AsyncIterable<Uint8Array> {
  const { apiVersion } = await identifyDocker(request.endpoint);
  const client = await connectDocker(request.endpoint, apiVersion);
  try {
    const name = toName(request);
    const held = await holds(client, name);
    if (!held) await pull(client, name, request.platform);
    try {
      await requirePlatform(client, name, request.platform);
      yield* exportFiles(client, name, request.runId);
    } finally {
      // The engine keeps what it had, and nothing of ours.
      if (!held) await ask('image removal', client.calls.getImage(name).remove());
    }
  } finally {
    client.destroy();
  }
}

async function* exportFiles(client: DockerClient, name: string, runId: string): AsyncIterable<Uint8Array> {
  const id = await create(client, name, runId);
  try {
    yield* toReadable(await ask('export', client.streams.getContainer(id).export()));
  } finally {
    await removeContainer(client, id);
  }
}

/** A digest decides alone, so that a tag beside it is left out: engines differ in what they make of both. */
function toName({ reference, digest }: ExportRequest): string {
  return `${reference.replace(/:[^:/]+$/, '')}@sha256:${digest}`;
}

async function holds(client: DockerClient, name: string): Promise<boolean> {
  try {
    await client.calls.getImage(name).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw callFailed('image inspect', error);
  }
}

async function pull(client: DockerClient, name: string, platform: string): Promise<void> {
  const failed = (actual: string, cause?: unknown): DockerError =>
    new DockerError('IMAGE_PULL_FAILED', 'image pull', {
      where: name,
      expected: 'an image that the engine can fetch; docker pull says more, and keeps credentials',
      actual,
      cause,
    });
  try {
    const progress = await client.streams.createImage({ fromImage: name, platform });
    await readProgress(toReadable(progress), failed);
  } catch (error) {
    if (error instanceof DockerError) throw error;
    throw statusOf(error) === null ? callFailed('image pull', error) : failed(reasonOf(error), error);
  }
}

async function requirePlatform(client: DockerClient, name: string, platform: string): Promise<void> {
  const image = new Answer(
    await ask('image inspect', client.calls.getImage(name).inspect()),
    'image inspect',
  );
  const actual = `${image.text('Os')}/${image.text('Architecture')}`;
  if (actual === platform) return;
  throw new DockerError('IMAGE_OTHER_PLATFORM', 'base image', { where: name, expected: platform, actual });
}

/** A command is asked for by the engine, and never run. */
async function create(client: DockerClient, name: string, runId: string): Promise<string> {
  const labels = toLabels({ runId, boxName: 'base' }, await readOwner(), EXPORT_LIMIT_MS);
  const container = await ask(
    'create',
    client.calls.createContainer({
      Image: name,
      Labels: { ...labels },
      Entrypoint: [],
      Cmd: ['/never-started'],
      NetworkDisabled: true,
      HostConfig: { NetworkMode: 'none' },
    }),
  );
  return container.id;
}
