import { dirname } from 'node:path';
import { readPlatformBase } from './base-lock.ts';
import type { SealedBase } from './base-source.ts';
import type { ContextSuiteArchive } from './context-document.ts';
import { writeFileAtomic } from './disk.ts';
import {
  compareLock,
  LOCK_FORMAT_VERSION,
  type LockDifference,
  type LockPackage,
  type PackproofLock,
  requireLocked,
  writeLock,
} from './lock.ts';
import type { Supply } from './supply.ts';
import type { Workshop } from './workshop.ts';

/** What a run uses, held against the lock. */
export interface LockState {
  readonly differences: readonly LockDifference[];
  /** What a lock of this run pins; null when nothing was resolved. */
  readonly next: PackproofLock | null;
}

/**
 * Compares what a run uses with the lock. With `frozen`, any difference ends here, before anything is
 * installed.
 *
 * @throws {PrepareError} LOCK_PLATFORM, LOCK_NPM, LOCK_NODE, LOCK_BASE, LOCK_ARCHIVE, LOCK_DEPENDENCY
 */
export function checkLock(
  workshop: Workshop,
  supplied: Supply | null,
  used: { readonly base: SealedBase; readonly suiteArchives: readonly ContextSuiteArchive[] },
): LockState {
  if (supplied === null || supplied.locked === null) return { differences: [], next: null };
  const { platform, frozen } = workshop.options;
  const next: PackproofLock = {
    formatVersion: LOCK_FORMAT_VERSION,
    platform,
    npm: pinOf(supplied.npm),
    runtimes: supplied.runtimes.map(pinOf),
    base: {
      ...toLockBase(used.base),
      ...releaseOf(workshop),
      packages: supplied.base.map((item) => item.package),
    },
    suiteArchives: used.suiteArchives.map(({ name, sha256, sizeBytes }) => ({ name, sha256, sizeBytes })),
    dependencies: supplied.locked,
  };
  const differences = workshop.lock === null ? [] : compareLock(workshop.lock, next);
  if (frozen) requireLocked(differences);
  return { differences, next };
}

/** Of a file its name is left out: the digest says what it is. */
function toLockBase(base: SealedBase): SealedBaseOfLock {
  return base.kind === 'rootfs' ? { kind: base.kind, rootfs: base.rootfs } : base;
}

type SealedBaseOfLock =
  | Exclude<SealedBase, { readonly kind: 'rootfs' }>
  | Omit<Extract<SealedBase, { readonly kind: 'rootfs' }>, 'fileName'>;

/** The Debian release of the base: the lock's, else that of packproof's own list. */
export function releaseOf(workshop: Workshop): { readonly codename: string; readonly release: string } {
  const { codename, release } = workshop.lock?.base ?? readPlatformBase(workshop.options.platform);
  return { codename, release };
}

/**
 * Writes `packproof.lock.json` when it is missing or no longer holds. One that holds is left as it is: it
 * may pin more than this run used.
 */
export async function keepLock(workshop: Workshop, state: LockState): Promise<boolean> {
  const { options, lock } = workshop;
  if (options.lockFile === null || options.frozen || state.next === null) return false;
  if (lock !== null && state.differences.length === 0) return false;
  await writeFileAtomic(options.lockFile, writeLock(state.next), dirname(options.lockFile));
  return true;
}

function pinOf({ name, version, integrity }: LockPackage): LockPackage {
  return { name, version, integrity };
}
