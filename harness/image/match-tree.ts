import type { ExpectedTree, TreeEntry } from './expected-tree.ts';

/** One path at which an installed tree is not what its archives explain. */
export interface TreeDifference {
  readonly path: string;
  /** A line that names kind, mode and digest or target; null: nothing lies there. */
  readonly expected: string | null;
  readonly actual: string | null;
}

/**
 * Compares an installed tree with the expected one, both ways, in the order in which they list their entries.
 *
 * `absent` are roots of packages that may be missing as a whole: optional ones that this platform does not
 * install. One that is there is compared like any other.
 */
export function matchTree(
  expected: ExpectedTree['entries'],
  actual: ReadonlyMap<string, TreeEntry>,
): readonly TreeDifference[] {
  const differences: TreeDifference[] = [];
  for (const [path, entry] of expected) {
    const found = actual.get(path);
    const [wanted, got] = [describe(entry), found === undefined ? null : describe(found)];
    if (wanted !== got) differences.push({ path, expected: wanted, actual: got });
  }
  for (const [path, entry] of actual) {
    if (!expected.has(path)) differences.push({ path, expected: null, actual: describe(entry) });
  }
  return differences;
}

function describe(entry: TreeEntry): string {
  return entry.kind === 'file'
    ? `file ${entry.mode} ${entry.sizeBytes} ${entry.sha256}`
    : `symlink ${entry.target}`;
}
