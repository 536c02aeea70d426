import { createHash } from 'node:crypto';
import type { ImageFile, LoadedImage } from '../engine.ts';
import { ask, type DockerClient, toReadable } from './client.ts';
import { DockerError } from './errors.ts';
import { readTar, type TarEntry } from './tar-reader.ts';

/**
 * What an engine lays over every container's root, when the image has nothing there. A box's root shows
 * these names too, but the image does not hold them. An image that held exactly such an empty entry itself
 * would miss it in the read-back, and so fail the inventory match instead of passing it.
 */
const ENGINE_ENTRIES: ReadonlyMap<string, ImageFile['kind']> = new Map([
  ['.dockerenv', 'file'],
  ['dev/console', 'file'],
  ['dev/pts', 'directory'],
  ['dev/shm', 'directory'],
  ['etc/hostname', 'file'],
  ['etc/hosts', 'file'],
  ['etc/mtab', 'symlink'],
  ['etc/resolv.conf', 'file'],
]);

/**
 * Every file of the image as the engine's storage holds it, each hashed, in the order of the export.
 *
 * The engine mounts the image for a container that is never started and exports the merged tree: the very
 * bytes that a box will see as its root, not the archives that the engine may keep beside them. What becomes of
 * that container is no part of the answer: an engine that is slow to remove it must not cost a run its evidence.
 * @throws {DockerError} IMAGE_ENTRY_UNREADABLE, EVIDENCE_UNREADABLE, ENGINE_FAILED, ENGINE_ABSENT
 */
export async function* readDockerImage(
  client: DockerClient,
  image: LoadedImage,
  options: {
    readonly labels: Readonly<Record<string, string>>;
    readonly removeLater: (id: string) => void;
  },
): AsyncGenerator<ImageFile> {
  const id = await createUnstarted(client, image, options.labels);
  try {
    const stream = toReadable(await ask('export', client.streams.getContainer(id).export()));
    const files = new Map<string, ImageFile>();
    for await (const entry of readTar(stream)) {
      const file = await toImageFile(entry, files);
      if (file !== null) {
        files.set(file.path, file);
        yield file;
      }
    }
  } finally {
    options.removeLater(id);
  }
}

async function createUnstarted(
  client: DockerClient,
  image: LoadedImage,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const container = await ask(
    'create',
    client.calls.createContainer({
      Image: image.engineId,
      Labels: { ...labels },
      Entrypoint: ['/'],
      NetworkDisabled: true,
      HostConfig: { NetworkMode: 'none', LogConfig: { Type: 'none', Config: {} } },
    }),
  );
  return container.id;
}

/** Null for what the engine laid there itself. Hard links are files with the content of what they name. */
async function toImageFile(
  entry: TarEntry,
  files: ReadonlyMap<string, ImageFile>,
): Promise<ImageFile | null> {
  const path = entry.path.toString('utf8');
  const common = { path, mode: formatMode(entry.mode), uid: entry.uid, gid: entry.gid };
  switch (entry.type) {
    case 'file': {
      const sha256 = await hashContent(entry);
      const file: ImageFile = { ...common, kind: 'file', sizeBytes: entry.sizeBytes, sha256, target: null };
      return isEngineEntry(file) ? null : file;
    }
    case 'hard-link': {
      const first = files.get(entry.linkTarget.toString('utf8').replace(/^\/+/, ''));
      return first === undefined
        ? unreadable(path, 'a link to an earlier file', entry.type)
        : { ...first, path };
    }
    case 'directory':
    case 'symlink': {
      const target = entry.type === 'symlink' ? entry.linkTarget.toString('utf8') : null;
      const file: ImageFile = { ...common, kind: entry.type, sizeBytes: 0, sha256: null, target };
      return path === '' || isEngineEntry(file) ? null : file;
    }
    default:
      return unreadable(path, 'a file, folder or link', entry.type);
  }
}

function isEngineEntry(file: ImageFile): boolean {
  return ENGINE_ENTRIES.get(file.path) === file.kind && file.sizeBytes === 0;
}

async function hashContent(entry: TarEntry): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of entry.content) {
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** Permission bits as four octal digits. */
export function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function unreadable(where: string, expected: string, actual: string): never {
  throw new DockerError('IMAGE_ENTRY_UNREADABLE', 'image read-back', { where, expected, actual });
}
