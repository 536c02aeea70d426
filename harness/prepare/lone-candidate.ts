import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseCandidate, readCandidateFile } from './candidate.ts';
import { openPrivateFolder } from './disk.ts';
import { LazyRegistry } from './lazy-registry.ts';
import { sealArchive } from './seal.ts';
import { ArchiveShelf } from './shelf.ts';
import { ArchiveStore } from './store.ts';

/** The bytes of a candidate, for those who make no context of it. `declared`: what a registry called it. */
export interface LoneCandidate {
  readonly bytes: Buffer;
  readonly declared: { readonly name: string; readonly version: string } | null;
}

/**
 * Reads a CANDIDATE argument as prepare does: a file, or `npm:name@version`, fetched unless packproof's cache has it,
 * and held to its integrity.
 *
 * @throws {PrepareError} CANDIDATE_*, INTEGRITY_*, STORE_*, and those of fetching
 */
export async function readLoneCandidate(
  argument: string,
  cwd: string,
  cacheFolder: () => Promise<string>,
): Promise<LoneCandidate> {
  const parsed = parseCandidate(argument);
  if (parsed.kind === 'file') {
    const { bytes } = await readCandidateFile(resolve(cwd, parsed.path));
    return { bytes, declared: null };
  }
  const store = await ArchiveStore.open(await cacheFolder());
  const temporary = join(store.root, 'temporary');
  await openPrivateFolder(temporary);
  const folder = await mkdtemp(join(temporary, 'candidate-'));
  try {
    const { source, bytes } = await sealArchive({
      argument,
      cwd,
      shelf: new ArchiveShelf(store, folder),
      folder: null,
      registry: new LazyRegistry(cwd),
      cacheFolder: store.root,
    });
    const declared = source.kind === 'registry' ? { name: source.name, version: source.version } : null;
    return { bytes, declared };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
