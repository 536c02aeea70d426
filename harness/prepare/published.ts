import { join } from 'node:path';
import { sha256Hex } from '../document/digest.ts';
import { openPrivateFolder, readSmallFile, writeFileAtomic } from './disk.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';
import { readDist } from './packument.ts';
import type { PackageReference, Registry } from './registry.ts';

export interface PublishedRequest {
  readonly name: string;
  /** An exact version or a tag. */
  readonly requested: string;
  readonly registry: Registry;
  /** packproof's cache folder. */
  readonly cacheFolder: string;
}

/**
 * Finds the one archive that a published name and version (or tag) means.
 *
 * The integrity of an exact version is kept, since a registry never changes it: a second run asks nobody.
 * A tag is asked for each time, because it moves.
 * @throws {PrepareError} CANDIDATE_NOT_PUBLISHED, INTEGRITY_*, REGISTRY_*, OFFLINE
 */
export async function findPublished(request: PublishedRequest): Promise<PackageReference> {
  const { name, requested, registry } = request;
  const folder = join(request.cacheFolder, 'published');
  await openPrivateFolder(folder);
  const kept = await recall(join(folder, sha256Hex(Buffer.from(`${name}@${requested}`))));
  if (kept !== null) return { name, version: requested, integrity: kept };
  const packument = await registry.packument(name);
  const version = packument?.versions.has(requested) ? requested : packument?.distTags[requested];
  const manifest = version === undefined ? undefined : packument?.versions.get(version);
  if (version === undefined || manifest === undefined) {
    throw new PrepareError('usage', 'CANDIDATE_NOT_PUBLISHED', 'candidate', {
      where: `npm:${name}@${requested}`,
      expected: 'a published version or tag',
      actual: packument === null ? 'an unknown name' : 'no such version or tag',
    });
  }
  const { integrity } = readDist(manifest, `${name}@${version}`);
  const file = join(folder, sha256Hex(Buffer.from(`${name}@${version}`)));
  await writeFileAtomic(file, Buffer.from(`${integrity}\n`), join(request.cacheFolder, 'temporary'));
  return { name, version, integrity };
}

async function recall(file: string): Promise<Integrity | null> {
  const text = (await readSmallFile(file))?.toString('latin1').trim();
  if (text === undefined) return null;
  try {
    return parseIntegrity(text, file);
  } catch {
    // A damaged note is asked for anew.
    return null;
  }
}
