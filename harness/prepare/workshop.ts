import { join } from 'node:path';
import { ArchivesFolder } from './archives-folder.ts';
import type { ContextDraft } from './context-folder.ts';
import { LazyRegistry } from './lazy-registry.ts';
import type { PackproofLock } from './lock.ts';
import { readLockFile } from './lock-file.ts';
import type { PrepareOptions } from './prepare-options.ts';
import type { Reporter } from './progress.ts';
import type { PlainAnswer, Registry } from './registry.ts';
import { ArchiveShelf } from './shelf.ts';
import { ArchiveStore, cacheRoot } from './store.ts';

/** What all steps of one prepare work with. */
export interface Workshop {
  readonly options: PrepareOptions;
  readonly store: ArchiveStore;
  readonly shelf: ArchiveShelf;
  /** packproof's cache folder, and the private scratch folder in it. */
  readonly cacheFolder: string;
  readonly temporaryFolder: string;
  /** Set: nothing but this folder and the store is asked. */
  readonly folder: ArchivesFolder | null;
  readonly registry: Registry;
  readonly download: (uri: string) => Promise<PlainAnswer>;
  readonly lock: PackproofLock | null;
  readonly report: Reporter;
}

/**
 * Opens store, folder of archives and lock. The user's npm settings are read only when first needed.
 *
 * @throws {PrepareError} STORE_*, ARCHIVES_FOLDER_MISSING, LOCK_*
 */
export async function openWorkshop(
  options: PrepareOptions,
  draft: ContextDraft,
  report: Reporter,
): Promise<Workshop> {
  const lock = await readLockFile(options);
  const store = await ArchiveStore.open(options.cacheFolder ?? cacheRoot());
  const folder = options.archives === null ? null : await ArchivesFolder.open(options.archives);
  const registry = new LazyRegistry(options.cwd);
  return {
    options,
    store,
    shelf: new ArchiveShelf(store, draft.archivesFolder),
    cacheFolder: store.root,
    temporaryFolder: join(store.root, 'temporary'),
    folder,
    registry: folder ?? registry,
    download: registry.download,
    lock,
    report,
  };
}
