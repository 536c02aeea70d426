import type { Platform } from '../boundary/boundary.ts';
import { readAsset } from '../document/assets.ts';
import { type BaseArchive, parseBaseLock } from '../image/base-lock.ts';

/** The pinned base of one platform. */
export interface PlatformBase {
  readonly codename: string;
  readonly release: string;
  readonly packages: readonly BaseArchive[];
}

/**
 * The pinned base of a platform, from `docker/base.lock.json`.
 *
 * @throws {ImageError} BASE_LOCK_MALFORMED
 */
export function readPlatformBase(
  platform: Platform,
  bytes: Buffer = readAsset('docker/base.lock.json'),
): PlatformBase {
  const lock = parseBaseLock(bytes);
  return {
    codename: lock.release.codename,
    release: lock.release.version,
    packages: lock.platforms[platform].archives,
  };
}
