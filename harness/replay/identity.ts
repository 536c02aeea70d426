import type { BuiltImage } from '../engine/engine.ts';
import { buildNodeImage, type ImageJob } from '../job/images.ts';
import { ReplayError } from './errors.ts';
import type { RecordedImage, RecordedRun } from './recorded-run.ts';

/**
 * Builds every image of a recorded run anew and demands the recorded identity: layers and config.
 *
 * @throws {ReplayError} IDENTITY_DIFFERS with the Node version and the first thing that differs
 */
export async function requireIdentity(job: ImageJob, run: RecordedRun): Promise<void> {
  for (const recorded of run.images) {
    const { image } = await buildNodeImage(job, recorded.node);
    requireSameImage(recorded, image);
  }
}

/** @throws {ReplayError} IDENTITY_DIFFERS */
export function requireSameImage(recorded: RecordedImage, image: BuiltImage): void {
  const diffIds = image.layers.map(({ diffId }) => diffId);
  const count = Math.max(diffIds.length, recorded.diffIds.length);
  for (let index = 0; index < count; index += 1) {
    compare(recorded.node, `layer ${index + 1}`, [recorded.diffIds[index], diffIds[index]]);
  }
  compare(recorded.node, 'config', [recorded.configDigest, image.configDigest]);
}

function compare(
  node: string,
  what: string,
  [recorded, rebuilt]: readonly [string | undefined, string | undefined],
): void {
  if (recorded === rebuilt && recorded !== undefined) return;
  throw new ReplayError('IDENTITY_DIFFERS', 'image', {
    where: `node ${node}, ${what}`,
    expected: `${recorded ?? 'none'}, as recorded; the same packproof version builds it`,
    actual: rebuilt ?? 'none',
  });
}
