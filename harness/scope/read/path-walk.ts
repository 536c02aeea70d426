import { lstatSync, type Stats } from 'node:fs';
import { isAbsolute, parse, sep } from 'node:path';
import { stateOfError } from './file-state.ts';

export type Walked =
  | { readonly kind: 'file' }
  | { readonly kind: 'stopped'; readonly state: 'missing' | 'unreadable' | 'symlink-skipped' | 'not-file' };

/**
 * Looks at every component of an absolute path, from the file system's root down, and stops at the first
 * link, dangling or not: whoever may write one of these folders must not choose what is read.
 *
 * Nothing is opened: opening a device can act on it.
 */
export function walkToFile(path: string): Walked {
  if (!isAbsolute(path) || path.includes('\0')) return { kind: 'stopped', state: 'unreadable' };
  const { root } = parse(path);
  const components = path
    .slice(root.length)
    .split(sep)
    .filter((component) => component !== '');
  let current = root;
  for (const [index, component] of components.entries()) {
    current = current.endsWith(sep) ? `${current}${component}` : `${current}${sep}${component}`;
    const stopped = lookAt(current, index === components.length - 1);
    if (stopped !== null) return stopped;
  }
  return components.length === 0 ? { kind: 'stopped', state: 'not-file' } : { kind: 'file' };
}

function lookAt(path: string, isLast: boolean): Walked | null {
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch (error) {
    return { kind: 'stopped', state: stateOfError(error) };
  }
  if (stats.isSymbolicLink()) return { kind: 'stopped', state: 'symlink-skipped' };
  if (isLast) return stats.isFile() ? null : { kind: 'stopped', state: 'not-file' };
  // A file where a folder should be: the candidate cannot exist below it.
  return stats.isDirectory() ? null : { kind: 'stopped', state: 'missing' };
}
