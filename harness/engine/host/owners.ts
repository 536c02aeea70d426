import { closeSync, constants, lchownSync, openSync } from 'node:fs';
import { boxPathBytes } from '../../document/box-path.ts';
import type { OwnerEntry } from '../engine.ts';
import { EngineError } from '../errors.ts';

/** Linux O_PATH, on every architecture of ours: names a folder and opens nothing, whatever its mode. */
const O_PATH = 0o10000000;
const OPEN_FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Gives entries of a box to other users, from the host and as its root, through the holder's `root` folder.
 *
 * Every part of a path is opened from the folder before it, and none is followed when it is a link: an absolute
 * link laid in the box would otherwise lead to a file of the host. Nothing of a candidate may be alive.
 * @throws {EngineError} OWNER_NOT_LAID
 */
export function giveEntries(boxRoot: string, entries: readonly OwnerEntry[]): void {
  for (const entry of entries) {
    try {
      giveEntry(boxRoot, entry);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
      const expected = 'an entry of the box, reached without a link';
      throw new EngineError('OWNER_NOT_LAID', { where: entry.path, expected, actual: code, cause });
    }
  }
}

function giveEntry(boxRoot: string, { path, uid, gid }: OwnerEntry): void {
  const parts = path.split('/').slice(1).map(boxPathBytes);
  const name = parts.pop() ?? Buffer.alloc(0);
  let folder = openSync(boxRoot, O_PATH | constants.O_DIRECTORY);
  try {
    for (const part of parts) {
      const inner = openSync(below(folder, part), OPEN_FOLDER);
      closeSync(folder);
      folder = inner;
    }
    lchownSync(below(folder, name), uid, gid);
  } finally {
    closeSync(folder);
  }
}

/** As openat has it: the folder is the opened one, wherever its name leads by now. */
function below(folder: number, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), name]);
}
