import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { BESIDE_BYTES_LIMIT } from './limits.ts';
import type { BesideEntry, ReadBeside } from './read-beside.ts';

/**
 * Reads files and folders of one folder and below it.
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

/** Nothing is followed: a link is named as one. */
function listFolder(path: string): readonly BesideEntry[] {
  const found = readdirSync(path, { encoding: 'buffer', withFileTypes: true });
  return found
    .sort((one, other) => Buffer.compare(one.name, other.name))
    .map((entry) => ({
      name: entry.name.toString('utf8'),
      kind: isUtf8(entry.name) ? kindOf(entry) : 'name',
    }));
}

function kindOf(entry: Dirent<Buffer>): BesideEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'directory';
  return entry.isFile() ? 'file' : 'other';
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
    if (status.isDirectory()) return { bytes: null, reason: 'a folder', entries: listFolder(real) };
    if (!status.isFile()) return { bytes: null, reason: 'no regular file' };
    if (status.size > BESIDE_BYTES_LIMIT)
      return { bytes: null, reason: `more than ${BESIDE_BYTES_LIMIT} bytes` };
    return { bytes: readFileSync(file), isExecutable: (status.mode & 0o100) !== 0 };
  } finally {
    closeSync(file);
  }
}
