import { stat } from 'node:fs/promises';
import type { LayerEntry } from './layer-entry.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { type PinnedFile, readPinned } from './pinned-file.ts';

/** An archive that a suite names, laid as one file at `/opt/archives/<name>`. */
export interface SuiteArchive extends PinnedFile {
  readonly name: string;
  readonly executable: boolean;
}

/**
 * The layer of a suite's own archives, read-only beside the candidate; contents are streamed.
 *
 * @throws {ImageError} ARCHIVE_DIGEST_DIFFERS, PATH_INVALID, PATH_DUPLICATE, LAYER_EMPTY.
 */
export function buildArchivesLayer(
  store: LayerStore,
  archives: readonly SuiteArchive[],
): Promise<StoredLayer> {
  return store.obtain({
    role: 'archives',
    rules: { prefix: 'opt/archives', fault: 'infrastructure' },
    inputs: archives.map(({ name, sha256, executable }) => ({ name, sha256, executable })),
    entries: () => Promise.all(archives.map(toEntry)),
  });
}

async function toEntry(archive: SuiteArchive): Promise<LayerEntry> {
  const { size } = await stat(archive.file);
  return {
    kind: 'file',
    path: `opt/archives/${archive.name}`,
    mode: archive.executable ? 0o755 : 0o644,
    sizeBytes: size,
    content: () => readPinned(archive, archive.name),
  };
}
