import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { BuiltImage, ImageLayer } from '../engine.ts';
import { createDockerArchive, toImageName } from './docker-archive.ts';
import { DockerError } from './errors.ts';
import { readTar } from './tar-reader.ts';

describe('the archive that an engine loads', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-archive-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function buildLayer(role: ImageLayer['role'], content: Buffer): Promise<ImageLayer> {
    const diffId = sha256Hex(content);
    const file = join(folder, diffId);
    await writeFile(file, content);
    return { role, diffId, sizeBytes: content.length, file };
  }

  async function buildImage(): Promise<BuiltImage> {
    const base = await buildLayer('base', Buffer.alloc(3000, 'base'));
    const candidate = await buildLayer('candidate', Buffer.alloc(5000, 'candidate'));
    const configBytes = toCanonicalBytes({ os: 'linux' });
    const layers = [base, candidate, base];
    return { platform: 'linux/amd64', layers, configBytes, configDigest: sha256Hex(configBytes) };
  }

  async function readFiles(image: BuiltImage): Promise<ReadonlyMap<string, Buffer>> {
    const files = new Map<string, Buffer>();
    for await (const entry of readTar(createDockerArchive(image))) {
      const parts: Buffer[] = [];
      for await (const part of entry.content) {
        parts.push(part);
      }
      assert.equal(files.has(entry.path.toString()), false, 'no name twice');
      files.set(entry.path.toString(), Buffer.concat(parts));
    }
    return files;
  }

  it('holds both forms over the same blobs, each blob named by its digest', async () => {
    const image = await buildImage();
    const files = await readFiles(image);
    for (const [name, bytes] of files) {
      if (name.startsWith('blobs/')) {
        assert.equal(name, `blobs/sha256/${sha256Hex(bytes)}`);
      }
    }
    const docker = JSON.parse(String(files.get('manifest.json')));
    assert.deepEqual(docker, [
      {
        Config: `blobs/sha256/${image.configDigest}`,
        RepoTags: [toImageName(image)],
        Layers: image.layers.map((layer) => `blobs/sha256/${layer.diffId}`),
      },
    ]);
    const index = JSON.parse(String(files.get('index.json')));
    const manifestBytes = files.get(`blobs/${String(index.manifests[0].digest).replace(':', '/')}`);
    const manifest = JSON.parse(String(manifestBytes));
    assert.equal(manifest.config.digest, `sha256:${image.configDigest}`);
    assert.deepEqual(
      manifest.layers.map(({ digest, size }: { digest: string; size: number }) => [digest, size]),
      image.layers.map((layer) => [`sha256:${layer.diffId}`, layer.sizeBytes]),
    );
    assert.deepEqual(files.get(`blobs/sha256/${image.configDigest}`), image.configBytes);
    assert.equal(String(files.get('oci-layout')), '{"imageLayoutVersion":"1.0.0"}');
  });

  for (const [name, harm] of [
    ['was changed', (file: string) => writeFile(file, Buffer.alloc(5000, 'Candidate'))],
    ['grew', (file: string) => writeFile(file, Buffer.alloc(5001, 'candidate'))],
    ['was cut', (file: string) => truncate(file, 100)],
    ['is gone', (file: string) => rm(file)],
  ] as const) {
    it(`fails when a layer ${name}`, async () => {
      const image = await buildImage();
      await harm(image.layers[1]?.file ?? '');
      await assert.rejects(
        readFiles(image),
        (error) =>
          error instanceof DockerError &&
          error.code === 'LAYER_CHANGED' &&
          error.where === 'candidate' &&
          error.expected === image.layers[1]?.diffId,
      );
    });
  }
});
