/** Where a box mounts: real, empty directories in every image. What a base keeps below them no box could see. */
export const MOUNTED = ['dev', 'home/node', 'proc', 'sys', 'tmp', 'work'] as const;

/** Mount points and what leads there: a link would lead the engine's mount elsewhere. */
export const MOUNT_PLACES = [...MOUNTED, 'home'] as const;

/**
 * Files that packproof lays itself, so that a box looks alike on every base: names and accounts, and the
 * runtime's. `.dockerenv` and `etc/mtab` are what an engine adds to a container before it exports it.
 */
const REPLACED = [
  '.dockerenv',
  'etc/group',
  'etc/hostname',
  'etc/hosts',
  'etc/mtab',
  'etc/nsswitch.conf',
  'etc/passwd',
  'etc/resolv.conf',
  'usr/local/LICENSE',
  'usr/local/bin/node',
] as const;

/** Places of the holder, of the install and of the layers above: a file of a base there would stand in for theirs. */
const RESERVED = ['.install', '.packproof', 'opt/archives', 'opt/candidate'] as const;

/** packproof writes below these, so that a link would lead their files elsewhere. */
export const REAL_DIRECTORIES = ['etc', 'opt', 'usr', 'usr/local', 'usr/local/bin'] as const;

/** Whether a base's entry at this path is left out of its layer. */
export function isLeftOut(path: string): boolean {
  return (
    MOUNTED.some((place) => path.startsWith(`${place}/`)) ||
    REPLACED.some((place) => isAtOrBelow(path, place))
  );
}

/** Whether a base must not have anything at this path. */
export function isReserved(path: string): boolean {
  return RESERVED.some((place) => isAtOrBelow(path, place));
}

function isAtOrBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
