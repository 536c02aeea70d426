import { stat } from 'node:fs/promises';
import { unpackArchive } from './archive-files.ts';
import type { LayerEntry } from './layer-entry.ts';
import { planLayer } from './layer-plan.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { readPinned } from './pinned-file.ts';
import type { Spool } from './spool.ts';
import type { SuiteArchive } from './suite-archive.ts';

const PREFIX = 'opt/archives';

/**
 * The layer of the suites' own archives, read-only beside the candidate; contents are streamed. Folders that hold
 * nothing are left out.
 *
 * @throws {ImageError} kind `usage`, `where` the path below `opt/archives`: PATH_INVALID, PATH_DUPLICATE,
 * PARENT_NOT_DIRECTORY, ENTRY_KIND_FORBIDDEN, NAME_NOT_UTF8, MODE_FORBIDDEN, LINK_TARGET_INVALID,
 * LINK_ESCAPES_PREFIX, ARCHIVE_TOO_LARGE, ARCHIVE_UNREADABLE, LAYER_EMPTY; ARCHIVE_DIGEST_DIFFERS.
 */
export function buildArchivesLayer(
  store: LayerStore,
  archives: readonly SuiteArchive[],
): Promise<StoredLayer> {
  return store.obtain({
    role: 'archives',
    rules: { prefix: PREFIX, fault: 'usage', readOnly: true },
    inputs: archives.map(({ name, sha256, unpack, strip }) => ({ name, sha256, unpack, strip })),
    entries: async (spool) => {
      const entries: LayerEntry[] = [];
      for (const archive of archives) entries.push(...(await toEntries(archive, spool)));
      return entries;
    },
  });
}

async function toEntries(archive: SuiteArchive, spool: Spool): Promise<readonly LayerEntry[]> {
  const path = `${PREFIX}/${archive.name}`;
  if (archive.unpack === 'none') {
    const { size } = await stat(archive.file);
    const content = (): AsyncIterable<Buffer> => readPinned(archive, archive.name);
    return [{ kind: 'file', path, mode: 0o555, sizeBytes: size, content }];
  }
  const rules = { prefix: path, fault: 'usage', readOnly: true } as const;
  const entries = planLayer(await unpackArchive(archive, path, spool), rules);
  return entries.filter(({ kind }) => kind !== 'directory');
}
