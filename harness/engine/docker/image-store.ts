import { digestDocument } from '../../document/canonical.ts';
import type { BuiltImage, LoadedImage } from '../engine.ts';
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
import { createDockerArchive, IMAGE_REPOSITORY, toImageName } from './docker-archive.ts';
import type { DockerEndpoint } from './endpoint.ts';
import { DockerError } from './errors.ts';
import { identifyDocker } from './probe.ts';
import { readProgress } from './progress.ts';

/**
 * Makes the engine hold the image, by loading it unless an equal one is there.
 *
 * Equality is decided on the layers' diff ids, platform and every field of the config: the engine's own id
 * is the config digest in one store and a manifest digest in the other, and a tag can be moved by anyone.
 * What the engine's storage really holds behind these ids is for `readImage` to show.
 *
 * @throws {DockerError} PLATFORM_UNSUPPORTED, LAYER_CHANGED, IMAGE_LOAD_FAILED, IMAGE_MISMATCH
 */
export async function ensureDockerImage(
  client: DockerClient,
  image: BuiltImage,
  enginePlatform: string,
): Promise<LoadedImage> {
  if (image.platform !== enginePlatform) {
    throw new DockerError('PLATFORM_UNSUPPORTED', 'docker engine', {
      where: image.configDigest,
      expected: image.platform,
      actual: enginePlatform,
    });
  }
  const present = await findHeldImage(client, image);
  if (present !== null && present.differs === null) {
    return { image, engineId: present.id };
  }
  await loadImage(client, image);
  const loaded = await findHeldImage(client, image);
  if (loaded === null || loaded.differs !== null) {
    throw new DockerError('IMAGE_MISMATCH', 'loaded image', {
      where: loaded?.differs?.field ?? toImageName(image),
      expected: loaded?.differs?.expected ?? 'held by the engine',
      actual: loaded?.differs?.actual ?? 'absent',
    });
  }
  return { image, engineId: loaded.id };
}

/**
 * Removes every image under our name, for a clean-up of what can be made anew. Returns the names removed;
 * images of boxes that are still there stay.
 *
 * @throws {DockerError} as `identifyDocker` says, ENGINE_FAILED
 */
export async function removeDockerImages(endpoint: DockerEndpoint): Promise<readonly string[]> {
  const { apiVersion } = await identifyDocker(endpoint);
  const client = await connectDocker(endpoint, apiVersion);
  try {
    const filters = JSON.stringify({ reference: [IMAGE_REPOSITORY] });
    const images = await ask('image list', client.calls.listImages({ filters }));
    const removed: string[] = [];
    for (const name of images.flatMap((image) => image.RepoTags ?? [])) {
      if (await removeImage(client, name)) {
        removed.push(name);
      }
    }
    return removed;
  } finally {
    client.destroy();
  }
}

async function removeImage(client: DockerClient, name: string): Promise<boolean> {
  try {
    await client.calls.getImage(name).remove();
    return true;
  } catch (error) {
    // 404: another clean-up was quicker. 409: a box still uses it.
    if (statusOf(error) === 404 || statusOf(error) === 409) {
      return false;
    }
    throw callFailed(`remove ${name}`, error);
  }
}

interface Difference {
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** What the engine holds under our tag, with the first field in which it differs; null when nothing is there. */
async function findHeldImage(
  client: DockerClient,
  image: BuiltImage,
): Promise<{ readonly id: string; readonly differs: Difference | null } | null> {
  const name = toImageName(image);
  try {
    const answer = new Answer(await client.calls.getImage(name).inspect(), 'image inspect');
    return { id: answer.text('Id'), differs: findDifference(image, answer) };
  } catch (error) {
    if (statusOf(error) === 404) {
      return null;
    }
    throw callFailed('image inspect', error);
  }
}

function findDifference(image: BuiltImage, held: Answer): Difference | null {
  const config = new Answer(JSON.parse(image.configBytes.toString('utf8')), 'image config');
  const layers = image.layers.map((layer) => `sha256:${layer.diffId}`);
  const pairs: readonly (readonly [string, string, string])[] = [
    ['RootFS.Layers', layers.join(' '), held.object('RootFS').texts('Layers').join(' ')],
    ['Os', config.text('os'), held.text('Os')],
    ['Architecture', config.text('architecture'), held.text('Architecture')],
    [
      'Config',
      digestDocument(withoutEmpty(config.optionalObject('config').value)),
      digestDocument(withoutEmpty(held.optionalObject('Config').value)),
    ],
  ];
  const found = pairs.find(([, expected, actual]) => expected !== actual);
  return found === undefined ? null : { field: found[0], expected: found[1], actual: found[2] };
}

/** Engines fill a config with empty fields of their own version; empty means the same as absent. */
function withoutEmpty(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0;
  }
  return value === null || value === undefined || value === '' || value === false;
}

async function loadImage(client: DockerClient, image: BuiltImage): Promise<void> {
  const archive = createDockerArchive(image);
  let archiveError: unknown = null;
  archive.on('error', (error) => {
    archiveError = error;
  });
  try {
    const progress = await client.streams.loadImage(archive, { quiet: true });
    await readProgress(toReadable(progress), (actual) => loadFailed(actual));
  } catch (error) {
    if (archiveError instanceof DockerError) {
      throw archiveError;
    }
    throw statusOf(error) === null ? callFailed('image load', error) : loadFailed(reasonOf(error), error);
  } finally {
    archive.destroy();
  }
}

function loadFailed(actual: string, cause?: unknown): DockerError {
  return new DockerError('IMAGE_LOAD_FAILED', 'image load', {
    where: 'POST /images/load',
    expected: 'no error',
    actual,
    cause,
  });
}
