import { PrepareError } from './errors.ts';
import type { Integrity } from './integrity.ts';
import { findOptionalGap } from './optional-gaps.ts';
import { parsePackageLock, type ResolvedTree } from './package-lock.ts';
import { ResolutionCache, type ResolutionKey } from './resolution-cache.ts';
import { localIntegrities, type ResolveRequest, resolveTree, toNpmPlatform } from './resolve.ts';
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
  /** Where names are looked up. */
  readonly from: 'registry' | 'folder';
  readonly refresh: boolean;
  /** What a lock allows; tried first. */
  readonly locked: Universe | null;
  readonly frozen: boolean;
}

/**
 * The tree of a candidate: of the lock's versions when they suffice, kept from an earlier run, or new.
 *
 * With `frozen` nothing but the lock's versions exists. Without it, a lock that no longer suffices is passed
 * over as a whole, and the caller shows the difference.
 * @throws {PrepareError} LOCK_DEPENDENCY, and those of `resolveTree`
 */
export async function findTree(request: TreeRequest): Promise<TimedTree> {
  const { locked, frozen, refresh } = request;
  if (locked === null || (refresh && !frozen)) return resolveIn(request, null);
  const kept = refresh ? null : await findKept(request, null);
  if (kept !== null && isWithin(kept.tree, locked, request)) return kept;
  try {
    return await resolveIn(request, locked);
  } catch (error) {
    if (!(error instanceof PrepareError) || error.kind !== 'candidate') throw error;
    if (!frozen) return resolveIn(request, null);
    throw new PrepareError('usage', 'LOCK_DEPENDENCY', 'lock', {
      where: 'dependencies',
      expected: 'a tree of the locked versions alone',
      actual: error.actual ?? error.code,
      cause: error,
    });
  }
}

async function requireOptional(tree: ResolvedTree, request: TreeRequest): Promise<void> {
  const gap = await findOptionalGap(tree.bytes, request.upstream);
  if (gap === null) return;
  throw new PrepareError('candidate', 'DEPENDENCY_NO_VERSION', 'dependencies', {
    where: gap.path,
    expected: 'a tree of the locked versions alone',
    actual: `the optional ${gap.name}@${gap.range} is not among them`,
  });
}

async function resolveIn(request: TreeRequest, universe: Universe | null): Promise<TimedTree> {
  const kept = request.refresh ? null : await findKept(request, universe);
  if (kept !== null) return kept;
  const tree = await resolveTree({ ...request, universe });
  if (universe !== null) await requireOptional(tree, request);
  // A registry changes between runs; the time says which state of it the tree stands for.
  const resolvedAt = new Date().toISOString();
  // What is in one folder is not what is in the next: such trees are not kept.
  if (request.from === 'registry') {
    const cache = await ResolutionCache.open(request.store);
    await cache.put(keyOf(request, universe), { lock: tree.bytes, resolvedAt });
  }
  return { tree, resolvedAt };
}

async function findKept(request: TreeRequest, universe: Universe | null): Promise<TimedTree | null> {
  if (request.from === 'folder') return null;
  const cache = await ResolutionCache.open(request.store);
  const kept = await cache.find(keyOf(request, universe));
  if (kept === null) return null;
  const tree = parsePackageLock(kept.lock, {
    platform: toNpmPlatform(request.platform),
    local: localIntegrities(request),
    registryUrl: null,
  });
  return { tree, resolvedAt: kept.resolvedAt };
}

function keyOf(request: TreeRequest, universe: Universe | null): ResolutionKey {
  return {
    candidate: request.candidate.integrity,
    siblings: request.siblings.map(({ integrity }) => integrity),
    npm: request.npm,
    platform: request.platform,
    nodeVersion: request.nodeVersion,
    universe,
  };
}

function isWithin(tree: ResolvedTree, universe: Universe, request: TreeRequest): boolean {
  const local = localIntegrities(request);
  return tree.entries.every(
    ({ name, version, integrity }) =>
      integrity === null ||
      local.get(`${name}@${version}`) === integrity ||
      universe.get(name)?.get(version) === integrity,
  );
}
