import { MOST_LINK_NAME } from './limits.ts';

/** Where the image keeps things; the suite names programs by these paths and by nothing else. */
export const NODE_BINARY = '/usr/local/bin/node';

/** The project into which the candidate is installed as a dependency. */
export const PROJECT_DIRECTORY = '/opt/candidate';

/** Where the archives of suites lie, each at or below its name. */
export const ARCHIVES_DIRECTORY = '/opt/archives';

/** A directory that belongs to nobody's package: what a user's own current directory is to a program. */
export const FOREIGN_CWD = '/work/elsewhere';

/** A writable directory outside the cwd, for output files of ours. */
export const OUTPUT_DIRECTORY = '/work/out';

/** Everything a step's process gets; nothing is inherited. */
export const BASE_ENV: Readonly<Record<string, string>> = {
  HOME: '/home/node',
  LANG: 'C.UTF-8',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TZ: 'UTC',
};

/** The link npm makes for a bin of a dependency. */
export function localLink(bin: string): string {
  return `${PROJECT_DIRECTORY}/node_modules/.bin/${bin}`;
}

/** The link npm makes for a bin of a global install. */
export function globalLink(bin: string): string {
  return `${PROJECT_DIRECTORY}/global/bin/${bin}`;
}

/** Whether npm can make a link of this name at all; the audit reports the names it cannot. */
export function isLinkName(bin: string): boolean {
  return (
    bin.length > 0 && bin.length <= MOST_LINK_NAME && bin !== '.' && bin !== '..' && !/[\u0000/\\]/.test(bin)
  );
}

/** Whose everything in a box is that a case gives to nobody else. */
export const BOX_USER = { uid: 1000, gid: 1000 } as const;

/** Where a box can be written; these exist already. Everything a case lays or writes is below one of them. */
export const WRITABLE: readonly string[] = ['/work', '/home/node', '/tmp'];

/** Whether a path lies below one of them. */
export function isWritable(path: string): boolean {
  return WRITABLE.some((root) => path.startsWith(`${root}/`));
}
