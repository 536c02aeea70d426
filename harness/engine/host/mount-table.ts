import type { OutsideView } from '../engine.ts';

export type BoxMounts = NonNullable<OutsideView['mounts']>;

/** One line of a mountinfo file. Paths are unescaped. */
export interface MountLine {
  /** The part of the mounted file system that is seen there. */
  readonly root: string;
  readonly path: string;
  readonly options: readonly string[];
  readonly type: string;
  readonly source: string;
  readonly superOptions: readonly string[];
}

/** Options of an overlay that are folders of the host. */
const HOST_PATH_OPTIONS = /^(lowerdir|upperdir|workdir|datadir)\+?=/;

/** Parses a mountinfo file. Source: proc_pid_mountinfo(5). Lines of another form are left out. */
export function parseMountInfo(text: string): readonly MountLine[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const separator = fields.indexOf('-');
    const [root, path, options] = fields.slice(3, 6);
    const [type, source, superOptions] = fields.slice(separator + 1);
    if (separator < 6 || root === undefined || path === undefined || options === undefined) {
      return [];
    }
    return [
      {
        root: unescapePath(root),
        path: unescapePath(path),
        options: options.split(','),
        type: type ?? '',
        source: unescapePath(source ?? ''),
        superOptions: (superOptions ?? '').split(',').filter((option) => option !== ''),
      },
    ];
  });
}

/**
 * The mounts of a box without anything of the host in them: where, of which type, with which options.
 *
 * Options of the mount come first, then those of its file system that are not among them, each once.
 */
export function toBoxMounts(lines: readonly MountLine[]): BoxMounts {
  return lines.map(({ path, type, options, superOptions }) => ({
    path,
    type,
    options: [...new Set([...options, ...superOptions])].filter((option) => !HOST_PATH_OPTIONS.test(option)),
  }));
}

function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
