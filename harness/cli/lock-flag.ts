import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { SuiteSource } from '../job/suite-sources.ts';
import { UsageError } from './errors.ts';
import type { CheckFlags } from './flags.ts';

/** The lock that is taken without being named, beside the suite. */
export const DEFAULT_LOCK_FILE = 'packproof.lock.json';

/**
 * The lock of a run: that of `--lock`, which is made when it is not there; else the `packproof.lock.json` beside the
 * suites, or of the current folder when no suite is a file. Null when there is none and none is demanded: a lock is
 * begun by `--lock` only.
 *
 * @throws {UsageError} LOCK_AMBIGUOUS when suites of several folders have locks: none of them may be passed over
 */
export async function findLockFile(
  { lock, frozen }: Pick<CheckFlags, 'lock' | 'frozen'>,
  suites: readonly SuiteSource[],
  cwd: string,
): Promise<string | null> {
  if (lock !== undefined) return resolve(cwd, lock);
  const folders = suites.length === 0 ? [cwd] : [...new Set(suites.map(folderOf))];
  const files = folders.map((folder) => join(folder, DEFAULT_LOCK_FILE));
  const there: string[] = [];
  for (const file of files) if (await isThere(file)) there.push(file);
  if (there.length > 1) {
    throw new UsageError('LOCK_AMBIGUOUS', 'lock', {
      where: '--lock',
      expected: `one ${DEFAULT_LOCK_FILE} beside the suites, or the name of the one that is meant`,
      actual: there.join(', '),
    });
  }
  return there[0] ?? (frozen === true ? (files[0] ?? null) : null);
}

function folderOf(suite: SuiteSource): string {
  return resolve(suite.kind === 'compiled' ? suite.folder : dirname(suite.file));
}

/** Whatever its kind: one that cannot be read is refused later, and never passed over. */
async function isThere(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}
