import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { BuiltImage, ImageLayer } from '../engine.ts';
import { DockerError } from './errors.ts';

/** Repository under which every image of ours is tagged, so that clean-up finds them and nothing else. */
export const IMAGE_REPOSITORY = 'packproof/image';

/** The name of an image in the engine: our repository and the digest of its config as the tag. */
export function toImageName(image: BuiltImage): string {
  return `${IMAGE_REPOSITORY}:${image.configDigest}`;
}

/**
 * The image as one tar that `POST /images/load` accepts: docker-archive (`manifest.json`) and OCI layout
 * (`index.json`) over the same blobs, because the classic store reads the former and the containerd store
 * the latter. Layers stay uncompressed, so that a layer's digest is its diff id in both.
 *
 * The stream is destroyed with a `DockerError` LAYER_CHANGED when a layer file does not have its digest.
 */
export function createDockerArchive(image: BuiltImage): Readable {
  return Readable.from(readArchive(image), { objectMode: false });
}

/** A writer's failure destroys the archive with an error of the library's; ours is the one to tell. */
async function* readArchive(image: BuiltImage): AsyncGenerator<unknown> {
  const archive = pack();
  let failure: unknown = null;
  const written = writeArchive(archive, image).catch((cause: unknown) => {
    failure = cause;
    archive.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  });
  try {
    yield* archive;
  } catch (error) {
    await written;
    throw failure ?? error;
  } finally {
    archive.destroy();
  }
}

async function writeArchive(archive: Pack, image: BuiltImage): Promise<void> {
  const manifest = toCanonicalBytes(toOciManifest(image));
  const documents: readonly (readonly [string, Buffer])[] = [
    ['oci-layout', toCanonicalBytes({ imageLayoutVersion: '1.0.0' })],
    ['index.json', toCanonicalBytes(toOciIndex(image, manifest))],
    ['manifest.json', toCanonicalBytes(toDockerManifest(image))],
    [blobPath(sha256Hex(manifest)), manifest],
    [blobPath(image.configDigest), image.configBytes],
  ];
  for (const [name, bytes] of documents) {
    await writeDocument(archive, name, bytes);
  }
  for (const layer of uniqueLayers(image)) {
    await writeLayer(archive, layer);
  }
  archive.finalize();
}

function writeDocument(archive: Pack, name: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry({ name, mode: 0o644, mtime: new Date(0) }, bytes, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

/** The bytes are hashed as they leave, so that a layer file that changed since it was built is never run. */
async function writeLayer(archive: Pack, layer: ImageLayer): Promise<void> {
  const hash = createHash('sha256');
  const entry = archive.entry({
    name: blobPath(layer.diffId),
    mode: 0o644,
    mtime: new Date(0),
    size: layer.sizeBytes,
  });
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(createReadStream(layer.file, { highWaterMark: 1 << 20 }), meter, entry);
  } catch (cause) {
    throw layerChanged(layer, 'unreadable or of another size', cause);
  }
  const actual = hash.digest('hex');
  if (actual !== layer.diffId) {
    throw layerChanged(layer, actual);
  }
}

function layerChanged(layer: ImageLayer, actual: string, cause?: unknown): DockerError {
  return new DockerError('LAYER_CHANGED', 'image layer', {
    where: layer.role,
    expected: layer.diffId,
    actual,
    cause,
  });
}

/** Two equal layers are one blob; a second tar entry of the same name would be refused by some readers. */
function uniqueLayers(image: BuiltImage): readonly ImageLayer[] {
  return [...new Map(image.layers.map((layer) => [layer.diffId, layer])).values()];
}

function blobPath(digestHex: string): string {
  return `blobs/sha256/${digestHex}`;
}

function toDockerManifest(image: BuiltImage): unknown {
  return [
    {
      Config: blobPath(image.configDigest),
      RepoTags: [toImageName(image)],
      Layers: image.layers.map((layer) => blobPath(layer.diffId)),
    },
  ];
}

function toOciManifest(image: BuiltImage): unknown {
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: `sha256:${image.configDigest}`,
      size: image.configBytes.length,
    },
    layers: image.layers.map((layer) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest: `sha256:${layer.diffId}`,
      size: layer.sizeBytes,
    })),
  };
}

function toOciIndex(image: BuiltImage, manifest: Buffer): unknown {
  const [os, architecture] = image.platform.split('/');
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: `sha256:${sha256Hex(manifest)}`,
        size: manifest.length,
        platform: { os, architecture },
        annotations: {
          'io.containerd.image.name': `docker.io/${toImageName(image)}`,
          'org.opencontainers.image.ref.name': image.configDigest,
        },
      },
    ],
  };
}
