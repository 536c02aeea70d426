import type { ArchivesFolder } from './archives-folder.ts';
import { PrepareError } from './errors.ts';
import type { ArchiveDigest } from './integrity.ts';
import { inParallel } from './parallel.ts';
import type { Reporter } from './progress.ts';
import type { PackageReference, Registry } from './registry.ts';
import type { ArchiveShelf } from './shelf.ts';

/** npm's own number of sockets a registry is asked through. */
const FETCH_WIDTH = 12;
/** A broken transfer is tried again; a wrong digest is not, because the same bytes would come. */
const FETCH_ATTEMPTS = 3;
/** Packages with browsers or models inside reach some hundred megabytes. */
const PACKAGE_LIMIT_BYTES = 1024 ** 3;

/** Where archives may come from, in this order: the store behind the shelf, a folder, a registry. */
export interface ArchiveSources {
  readonly shelf: ArchiveShelf;
  readonly folder: ArchivesFolder | null;
  readonly registry: Registry;
}

/**
 * Puts every package of a list on the shelf, and gives their digests in the list's order.
 *
 * Only what the store lacks is fetched: with a warm store nothing outside is asked.
 * @throws {PrepareError} ARCHIVE_MISMATCH, ARCHIVE_NOT_FOUND, ARCHIVE_TOO_LARGE, OFFLINE, REGISTRY_*, DISK_FULL
 */
export async function fetchPackages(
  references: readonly PackageReference[],
  sources: ArchiveSources,
  report: Reporter,
): Promise<readonly ArchiveDigest[]> {
  let done = 0;
  return inParallel(references, FETCH_WIDTH, async (reference) => {
    const digest = await fetchPackage(reference, sources);
    done += 1;
    report({
      stage: 'fetch',
      detail: `${reference.name}@${reference.version}`,
      done,
      total: references.length,
    });
    return digest;
  });
}

/** One package, as `fetchPackages`. */
export async function fetchPackage(
  reference: PackageReference,
  sources: ArchiveSources,
): Promise<ArchiveDigest> {
  const { shelf, folder, registry } = sources;
  const expected = {
    integrity: reference.integrity,
    label: `${reference.name}@${reference.version}`,
    limitBytes: PACKAGE_LIMIT_BYTES,
  };
  const found = await shelf.take(expected);
  if (found !== null) return found;
  const local = folder?.read({ integrity: reference.integrity }) ?? null;
  if (local !== null) return shelf.add(local, expected);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await shelf.add(await registry.tarball(reference), expected);
    } catch (error) {
      const broken = error instanceof PrepareError && error.code === 'REGISTRY_UNREACHABLE';
      if (!broken || attempt === FETCH_ATTEMPTS) throw error;
    }
  }
}
