import { createReadStream } from 'node:fs';
import { ArchivesFolder } from '../prepare/archives-folder.ts';
import { ArchiveShelf } from '../prepare/shelf.ts';
import { ArchiveStore } from '../prepare/store.ts';
import { ReplayError } from './errors.ts';
import type { RecordedArchive } from './recorded-run.ts';
import type { StoredBundle } from './stored-bundle.ts';

export interface ArchiveSources {
  readonly bundle: StoredBundle;
  readonly cacheDir: string;
  /** A folder of archives under any names; null: none. */
  readonly archives: string | null;
}

/**
 * Copies every archive of a run into `folder`, named by sha256: from the archive store, from the bundle, or
 * from the folder given. Nothing is fetched. Each copy is hashed.
 *
 * @throws {ReplayError} ARCHIVE_MISSING with its name; {PrepareError} ARCHIVE_MISMATCH, DISK_FULL
 */
export async function gatherArchives(
  archives: readonly RecordedArchive[],
  sources: ArchiveSources,
  folder: string,
): Promise<void> {
  const shelf = new ArchiveShelf(await ArchiveStore.open(sources.cacheDir), folder);
  const given = sources.archives === null ? null : await ArchivesFolder.open(sources.archives);
  for (const { sha256, name } of archives) {
    const expected = { sha256, label: name };
    if ((await shelf.take(expected)) !== null) continue;
    const bytes = fromBundle(sources.bundle, sha256) ?? given?.read({ sha256 }) ?? null;
    if (bytes === null) {
      throw new ReplayError('ARCHIVE_MISSING', 'archive', {
        where: name,
        expected: `sha256 ${sha256} in the archive store, the bundle or --archives`,
        actual: 'none',
      });
    }
    await shelf.add(bytes, expected);
  }
}

function fromBundle(bundle: StoredBundle, sha256: string): AsyncIterable<Buffer> | null {
  const path = [`inputs/archives/sha256/${sha256}`, 'inputs/candidate.tgz'].find(
    (place) => bundle.files.get(place)?.sha256 === sha256,
  );
  return path === undefined ? null : createReadStream(bundle.path(path));
}
