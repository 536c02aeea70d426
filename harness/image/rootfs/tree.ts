import type { LayerEntry } from '../layer-entry.ts';

/** Entries of a root file system by path, without a leading slash. */
export type RootfsTree = ReadonlyMap<string, LayerEntry>;

/** Linux follows at most 40 links on the way to one file. */
const LINK_LIMIT = 40;

/**
 * The path that a program would reach by this one, links followed as in a box whose root this is: absolute
 * targets start at the root, and `..` does not leave it. Parts that are not there stay as they are.
 *
 * Null when the links lead in a circle.
 */
export function resolveInTree(tree: RootfsTree, path: string): string | null {
  const pending = path.split('/').reverse();
  let links = 0;
  let reached: string[] = [];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      reached.pop();
      continue;
    }
    const entry = tree.get([...reached, part].join('/'));
    if (entry?.kind !== 'symlink') {
      reached.push(part);
      continue;
    }
    links += 1;
    if (links > LINK_LIMIT) return null;
    if (entry.target.startsWith('/')) reached = [];
    pending.push(...entry.target.split('/').reverse());
  }
  return reached.join('/');
}

/** The regular file that a program would open by this path, or null. */
export function findFile(
  tree: RootfsTree,
  path: string,
): Extract<LayerEntry, { readonly kind: 'file' }> | null {
  const reached = resolveInTree(tree, path);
  const entry = reached === null ? undefined : tree.get(reached);
  return entry?.kind === 'file' ? entry : null;
}
