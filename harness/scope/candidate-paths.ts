import { posix, win32 } from 'node:path';
import { ANCESTOR_LIMIT } from './limits.ts';
import type { PathTemplate, Platform, PlatformPaths } from './profiles/profile.ts';

/** What candidate paths depend on besides the table. All of it is input, so that every table is tested anywhere. */
export interface Surroundings {
  readonly platform: Platform;
  /** Of the user; not absolute means that it is not known. */
  readonly home: string;
  /** Only APPDATA and ProgramData are looked at, and only on Windows. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The table's column for an operating system's name as Node gives it. */
export function toPlatform(name: string): Platform {
  return name === 'darwin' || name === 'win32' ? name : 'linux';
}

/**
 * The absolute candidate path of a row, `no-candidate` when the client documents none on this platform, or
 * `unresolvable` when the home directory is not known.
 */
export function candidatePath(
  paths: PlatformPaths,
  root: string,
  surroundings: Surroundings,
): string | 'no-candidate' | 'unresolvable' {
  const template = paths[surroundings.platform];
  if (template === null) return 'no-candidate';
  const path = pathsOf(surroundings.platform);
  if (template.base === 'fixed') return path.normalize(template.path);
  const base = baseOf(template.base, root, surroundings);
  return base === null ? 'unresolvable' : path.join(base, ...template.path.split('/'));
}

/**
 * The root and the folders above it, up to and including the file system's own root, or the nearest
 * ANCESTOR_LIMIT of them; see `isTooDeep`.
 */
export function rootAndAncestors(root: string, platform: Platform): readonly string[] {
  const { dirname } = pathsOf(platform);
  const folders = [root];
  for (let folder = root; dirname(folder) !== folder && folders.length < ANCESTOR_LIMIT; ) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders;
}

/** Whether folders above the root are left out, so that nothing may be called complete. */
export function isTooDeep(root: string, platform: Platform): boolean {
  const { dirname } = pathsOf(platform);
  const highest = rootAndAncestors(root, platform).at(-1) ?? root;
  return dirname(highest) !== highest;
}

export function pathsOf(platform: Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

function baseOf(
  base: PathTemplate['base'],
  root: string,
  { platform, home, env }: Surroundings,
): string | null {
  const path = pathsOf(platform);
  // What was no UTF-8 in the environment arrives with replacement characters, as another folder's name.
  const usable = (value: string | undefined): value is string =>
    value !== undefined && path.isAbsolute(value) && !/[\0\ufffd]/.test(value);
  const homeOrNull = usable(home) ? home : null;
  switch (base) {
    case 'root':
      return root;
    case 'home':
      return homeOrNull;
    case 'app-data':
      if (usable(env.APPDATA)) return env.APPDATA;
      return homeOrNull === null ? null : path.join(homeOrNull, 'AppData', 'Roaming');
    case 'program-data':
      return usable(env.ProgramData) ? env.ProgramData : 'C:\\ProgramData';
    case 'fixed':
      return null;
  }
}
