import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import type { Engine, LoadedImage } from '../engine/engine.ts';
import type { ImageRecord } from '../evidence/export-input.ts';
import { buildImage, type ImageResult } from '../image/image.ts';
import { toNdjson } from '../image/inventory.ts';
import { LayerStore } from '../image/layer-store.ts';
import { matchInventory } from '../image/match-inventory.ts';
import { toImageInputs } from '../prepare/image-inputs.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import { JobError } from './errors.ts';

export interface ImageJob {
  readonly context: PreparedContext;
  readonly cacheDir: string;
  readonly runId: string;
  /** Asked for when npm has to install in a box, and to load what was built. */
  readonly engine: () => Promise<Engine>;
}

/** An image that was built, loaded, read back from the engine and found to be the same, file by file. */
export interface ReadyImage {
  readonly node: string;
  readonly built: ImageResult;
  readonly loaded: LoadedImage;
  readonly filesCompared: number;
}

/** Builds the image for one Node version, from the caches where their bytes still match. */
export async function buildNodeImage(job: ImageJob, node: string): Promise<ImageResult> {
  const store = await LayerStore.open(job.cacheDir);
  const { platform } = job.context.document;
  return buildImage(toImageInputs(job.context, node), {
    store,
    engine: job.engine,
    boundary: defaultBoundary(platform, { exec: false }),
    runId: job.runId,
  });
}

/**
 * Builds, loads and reads back the image of every Node version of the context.
 *
 * @throws {JobError} IMAGE_DIFFERS with the first difference and the count of all
 */
export async function readyImages(job: ImageJob): Promise<readonly ReadyImage[]> {
  const engine = await job.engine();
  const ready: ReadyImage[] = [];
  for (const node of job.context.document.nodes) {
    const built = await buildNodeImage(job, node);
    const loaded = await engine.ensureImage(built.image);
    await compareImage('IMAGE_DIFFERS', engine, { node, built, loaded });
    ready.push({ node, built, loaded, filesCompared: built.inventory.length });
  }
  return ready;
}

/** Hashes the loaded image again after the run: a box must not have been able to change it. */
export async function recheckImages(engine: Engine, images: readonly ReadyImage[]): Promise<void> {
  for (const image of images) await compareImage('IMAGE_CHANGED', engine, image);
}

async function compareImage(
  code: 'IMAGE_DIFFERS' | 'IMAGE_CHANGED',
  engine: Engine,
  image: Pick<ReadyImage, 'node' | 'built' | 'loaded'>,
): Promise<void> {
  const findings = await matchInventory(image.built.inventory, engine.readImage(image.loaded));
  const [first] = findings;
  if (first === undefined) return;
  throw new JobError(code, `image for node ${image.node}`, {
    where: first.path,
    expected: first.expected ?? 'nothing',
    actual: `${first.actual ?? 'nothing'} (${first.code}, ${findings.length} in all)`,
  });
}

/** What the bundle keeps of each image; inventories are written below `folder`. */
export async function toImageRecords(
  images: readonly ReadyImage[],
  folder: string,
): Promise<readonly ImageRecord[]> {
  return Promise.all(
    images.map(async ({ node, built, loaded, filesCompared }) => {
      const inventoryFile = join(folder, `inventory-${node}.ndjson`);
      await writeFile(inventoryFile, toNdjson(built.inventory));
      return {
        node,
        configBytes: built.image.configBytes,
        inventoryFile,
        readback: {
          formatVersion: 1,
          node,
          configDigest: built.image.configDigest,
          diffIds: built.image.layers.map((layer) => layer.diffId),
          engineId: loaded.engineId,
          filesCompared,
          findings: [],
          transforms: built.transforms,
        },
      };
    }),
  );
}
