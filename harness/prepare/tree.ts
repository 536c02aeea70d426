import { PrepareError } from './errors.ts';
import type { Integrity } from './integrity.ts';
import { parsePackageLock, type ResolvedTree } from './package-lock.ts';
import { ResolutionCache, type ResolutionKey } from './resolution-cache.ts';
import { type ResolveRequest, resolveTree, toNpmPlatform } from './resolve.ts';
import type { Universe } from './resolver-registry.ts';
import type { ArchiveStore } from './store.ts';

/** A resolved tree with the time of its resolution. */
export interface TimedTree {
  readonly tree: ResolvedTree;
  readonly resolvedAt: string;
}

export interface TreeRequest extends Omit<ResolveRequest, 'universe'> {
  readonly store: ArchiveStore;
  readonly npm: Integrity;
  readonly from: ResolutionKey['upstream'];
  readonly refresh: boolean;
  /** What a lock allows; tried first. */
  readonly locked: Universe | null;
  readonly frozen: boolean;
}

/**
 * The tree of a candidate: from the lock's versions when they suffice, kept from an earlier run, or new.
 *
 * With `frozen` nothing but the lock's versions exists. Without it, a lock that no longer suffices is passed
 * over as a whole, and the caller shows the difference.
 * @throws {PrepareError} LOCK_DEPENDENCY, and those of `resolveTree`
 */
export async function findTree(request: TreeRequest): Promise<TimedTree> {
  const { locked, frozen } = request;
  if (locked === null || (request.refresh && !frozen)) return resolveKept(request, null);
  try {
    return await resolveKept(request, locked);
  } catch (error) {
    if (!(error instanceof PrepareError) || error.kind !== 'candidate') throw error;
    if (!frozen) return resolveKept(request, null);
    throw new PrepareError('usage', 'LOCK_DEPENDENCY', 'lock', {
      where: 'dependencies',
      expected: 'a tree of the locked versions alone',
      actual: error.actual ?? error.code,
      cause: error,
    });
  }
}

async function resolveKept(request: TreeRequest, universe: Universe | null): Promise<TimedTree> {
  const { candidate, siblings, store } = request;
  const key: ResolutionKey = {
    candidate: candidate.integrity,
    siblings: siblings.map(({ integrity }) => integrity),
    npm: request.npm,
    platform: request.platform,
    nodeVersion: request.nodeVersion,
    universe,
    upstream: request.from,
  };
  const cache = await ResolutionCache.open(store);
  const kept = request.refresh ? null : await cache.find(key);
  if (kept !== null) {
    const local = [candidate, ...siblings].map(({ manifest, integrity }): [string, Integrity] => [
      `${manifest.name}@${manifest.version}`,
      integrity,
    ]);
    const tree = parsePackageLock(kept.lock, toNpmPlatform(request.platform), new Map(local));
    return { tree, resolvedAt: kept.resolvedAt };
  }
  const tree = await resolveTree({ ...request, universe });
  // A registry changes between runs; the time says which state of it the tree stands for.
  const resolvedAt = new Date().toISOString();
  // What is in a folder is not what is in another folder of the same name: such trees are not kept.
  if (request.from === 'registry') await cache.put(key, { lock: tree.bytes, resolvedAt });
  return { tree, resolvedAt };
}
