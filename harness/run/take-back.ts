import type { OwnerEntry, SnapshotEntry } from '../engine/engine.ts';
import { BOX_USER } from '../suite/layout.ts';

/**
 * What is at these paths or below them and is another user's, given back to that of the box, which takes it away
 * afterwards: it can neither empty a folder of others nor take what is theirs out of `/tmp`, which is sticky.
 */
export function takeBack(
  paths: readonly string[],
  there: readonly Pick<SnapshotEntry, 'path' | 'uid' | 'gid'>[],
): readonly OwnerEntry[] {
  return there
    .filter(({ uid, path }) => uid !== BOX_USER.uid && paths.some((one) => isAtOrBelow(path, one)))
    .map(({ path }) => ({ kind: 'owner', path, ...BOX_USER }));
}

function isAtOrBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}
