import { mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from './errors.ts';

/** These say that no folder can be made there; others, such as a full disk, are told when something is written. */
const REFUSALS: readonly string[] = ['ENOENT', 'EACCES', 'EPERM', 'EROFS'];

/**
 * Refuses a place for a folder, an absolute path, below which nothing can be made. To be asked before anything is
 * made for it, recursively least of all: below /proc the kernel answers ENOENT, after which Node's recursive `mkdir`
 * makes the parent, which is there, and tries again without an end.
 *
 * @throws {UsageError} OUT_UNUSABLE
 */
export async function requireUsable(flag: string, folder: string): Promise<void> {
  const refusal = await findRefusal(folder);
  if (refusal === null) return;
  throw new UsageError('OUT_UNUSABLE', flag, {
    where: folder,
    expected: 'a place where a folder can be made',
    actual: refusal,
  });
}

/** Why the system makes no folder in the nearest folder that is there; null when it does. */
export async function findRefusal(folder: string): Promise<string | null> {
  let nearest = folder;
  while (!(await isFolder(nearest)) && nearest !== dirname(nearest)) nearest = dirname(nearest);
  try {
    await rmdir(await mkdtemp(join(nearest, '.packproof-')));
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return REFUSALS.includes(code) ? code : null;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}
