import semver from 'semver';
import { isRecord } from '../document/json-record.ts';
import type { Registry } from './registry.ts';

/** An optional dependency that a tree does not hold. */
export interface OptionalGap {
  /** Path of the package that wants it. */
  readonly path: string;
  readonly name: string;
  readonly range: string;
}

/**
 * Finds an optional dependency that a tree lacks although the registry has it.
 *
 * npm leaves out what it cannot find of these without a word. Where only locked versions exist, that would
 * make a lock of an older release look sufficient, and the candidate run without its native parts.
 */
export async function findOptionalGap(packageLock: Buffer, registry: Registry): Promise<OptionalGap | null> {
  for (const gap of listOptionalGaps(packageLock)) {
    const versions = [...((await registry.packument(gap.name))?.versions.keys() ?? [])];
    if (semver.maxSatisfying(versions, gap.range) !== null) return gap;
  }
  return null;
}

/** Optional dependencies of a lock that no folder on the way to the root holds. */
export function listOptionalGaps(packageLock: Buffer): readonly OptionalGap[] {
  const lock: unknown = JSON.parse(packageLock.toString('utf8'));
  const packages = isRecord(lock) && isRecord(lock.packages) ? lock.packages : {};
  return Object.entries(packages).flatMap(([path, value]) => {
    const wanted = isRecord(value) && isRecord(value.optionalDependencies) ? value.optionalDependencies : {};
    return Object.entries(wanted)
      .filter(([name]) => !isReachable(packages, path, name))
      .map(([name, range]) => ({ path, name, range: String(range) }));
  });
}

function isReachable(packages: Readonly<Record<string, unknown>>, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const here = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (here in packages) return true;
    if (folder === '') return false;
  }
}
