import { join } from 'node:path';
import { digestDocument, toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import { oneOf, parseDocument, recordOf, type Shape, sha256Text, text, timeText } from '../document/shape.ts';
import { openPrivateFolder, readSmallFile, writeFileAtomic } from './disk.ts';
import type { Integrity } from './integrity.ts';
import type { Universe } from './resolver-registry.ts';
import type { ArchiveStore } from './store.ts';

const CACHE_FORMAT_VERSION = 1;

/** Everything that decides a resolution but the state of the registry, which its time stands for. */
export interface ResolutionKey {
  readonly candidate: Integrity;
  readonly siblings: readonly Integrity[];
  readonly npm: Integrity;
  readonly platform: string;
  readonly nodeVersion: string;
  readonly universe: Universe | null;
}

/** A resolved tree and when it was resolved. */
export interface CachedResolution {
  /** Bytes of `package-lock.json`. */
  readonly lock: Buffer;
  readonly resolvedAt: string;
}

interface CacheEntry {
  readonly formatVersion: typeof CACHE_FORMAT_VERSION;
  readonly resolvedAt: string;
  readonly lockSha256: string;
  readonly lockBase64: string;
}

const entryShape: Shape<CacheEntry> = recordOf<CacheEntry>({
  formatVersion: oneOf(CACHE_FORMAT_VERSION),
  resolvedAt: timeText,
  lockSha256: sha256Text,
  lockBase64: text,
});

/**
 * Resolutions below the cache folder. With one of them, and the archives it names, a second prepare of the
 * same bytes asks nobody; `--refresh` passes it over. It holds no addresses.
 */
export class ResolutionCache {
  readonly #folder: string;
  readonly #temporary: string;

  private constructor(root: string) {
    this.#folder = join(root, 'resolutions');
    this.#temporary = join(root, 'temporary');
  }

  static async open(store: ArchiveStore): Promise<ResolutionCache> {
    const cache = new ResolutionCache(store.root);
    await openPrivateFolder(cache.#folder);
    return cache;
  }

  /** Null when there is none, or when what lies there is damaged. */
  async find(key: ResolutionKey): Promise<CachedResolution | null> {
    const bytes = await readSmallFile(this.#path(key));
    if (bytes === null) return null;
    const parsed = parseDocument(bytes, CACHE_FORMAT_VERSION, entryShape);
    if (parsed.kind === 'defect') return null;
    const lock = Buffer.from(parsed.value.lockBase64, 'base64');
    if (sha256Hex(lock) !== parsed.value.lockSha256) return null;
    return { lock, resolvedAt: parsed.value.resolvedAt };
  }

  async put(key: ResolutionKey, resolution: CachedResolution): Promise<void> {
    const entry: CacheEntry = {
      formatVersion: CACHE_FORMAT_VERSION,
      resolvedAt: resolution.resolvedAt,
      lockSha256: sha256Hex(resolution.lock),
      lockBase64: resolution.lock.toString('base64'),
    };
    await writeFileAtomic(this.#path(key), toCanonicalBytes(entry), this.#temporary);
  }

  #path(key: ResolutionKey): string {
    const universe =
      key.universe === null
        ? null
        : [...key.universe].map(([name, versions]) => [name, [...versions].sort()]).sort();
    return join(
      this.#folder,
      `${digestDocument({ ...key, siblings: [...key.siblings].sort(), universe })}.json`,
    );
  }
}
