import { join } from 'node:path';
import { toCanonicalBytes } from '../document/canonical.ts';
import { isRecord } from '../document/json-record.ts';
import { openPrivateFolder, readSmallFile, writeFileAtomic } from './disk.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';
import { readDist } from './packument.ts';
import type { Registry } from './registry.ts';
import type { ArchiveStore } from './store.ts';

/** Where the versions of a runtime package are looked up. */
export interface RuntimeListRequest {
  readonly name: string;
  readonly store: ArchiveStore;
  readonly registry: Registry;
  /** Ask anew although a list is kept. */
  readonly refresh: boolean;
}

/**
 * All versions of a runtime package that have a full sha512, from the kept list or else the registry.
 *
 * The list is kept below the cache folder, so that a second `--node floor` asks nobody.
 * @throws {PrepareError} OFFLINE, REGISTRY_*, DISK_FULL
 */
export async function listRuntimes(request: RuntimeListRequest): Promise<ReadonlyMap<string, Integrity>> {
  const folder = join(request.store.root, 'runtimes');
  await openPrivateFolder(folder);
  const file = join(folder, `${request.name}.json`);
  const kept = request.refresh ? null : parseKept(await readSmallFile(file));
  if (kept !== null) return kept;
  const versions = await askVersions(request);
  const bytes = toCanonicalBytes(Object.fromEntries(versions));
  await writeFileAtomic(file, bytes, join(request.store.root, 'temporary'));
  return versions;
}

function parseKept(bytes: Buffer | null): ReadonlyMap<string, Integrity> | null {
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isRecord(value)) return null;
    return new Map(Object.entries(value).map(([version, text]) => [version, parseIntegrity(text, version)]));
  } catch {
    // A damaged list is asked for anew.
    return null;
  }
}

async function askVersions(request: RuntimeListRequest): Promise<ReadonlyMap<string, Integrity>> {
  const found = new Map<string, Integrity>();
  const packument = await request.registry.packument(request.name);
  for (const [version, manifest] of packument?.versions ?? []) {
    const integrity = integrityOrNull(manifest, `${request.name}@${version}`);
    if (integrity !== null) found.set(version, integrity);
  }
  return found;
}

/** Runtimes published before npm knew sha512 cannot be pinned; they do not exist for us. */
function integrityOrNull(manifest: Readonly<Record<string, unknown>>, where: string): Integrity | null {
  try {
    return readDist(manifest, where).integrity;
  } catch (error) {
    if (error instanceof PrepareError) return null;
    throw error;
  }
}
