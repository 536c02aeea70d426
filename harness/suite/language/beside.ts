import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { ReadBeside } from './context.ts';
import { BESIDE_BYTES_LIMIT } from './limits.ts';

/**
 * Reads files of one folder and below it.
 *
 * A suite may come with a candidate's own repository: a link out of the folder would lay a file of the host
 * into the box of the candidate, and a FIFO would stop prepare.
 */
export function readBesideFolder(folder: string): ReadBeside {
  return (path) => {
    try {
      return readWithin(folder, path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
      return { bytes: null, reason: code };
    }
  };
}

function readWithin(folder: string, path: string): ReturnType<ReadBeside> {
  if (isAbsolute(path)) return { bytes: null, reason: 'an absolute path' };
  const root = realpathSync(folder);
  const real = realpathSync(resolve(root, path));
  const inside = relative(root, real);
  if (inside === '' || inside === '..' || inside.startsWith('../')) {
    return { bytes: null, reason: 'outside of the folder' };
  }
  // Resolved above: whatever became a link since then is refused, and opening a FIFO does not wait.
  const file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    if (!status.isFile()) return { bytes: null, reason: 'no regular file' };
    if (status.size > BESIDE_BYTES_LIMIT)
      return { bytes: null, reason: `more than ${BESIDE_BYTES_LIMIT} bytes` };
    return { bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}
