import type { FindingList } from '../finding.ts';
import type { AuditLimits } from '../limits.ts';
import type { ArchiveEntry } from './entry.ts';
import { WHOLE } from './gzip.ts';
import { splitPath } from './names.ts';

/** One place of the tree as a file system without case sees it. */
interface TreeNode {
  readonly children: Map<string, TreeNode>;
  /** Files and links at this place by their exact spelling. */
  readonly leaves: Map<string, ArchiveEntry>;
}

/**
 * Tells paths that cannot all exist: duplicates, names equal but for case or Unicode form, files that are
 * also folders, and entries below a link.
 *
 * A tree keyed by folded names finds all of them in time linear in the names' length; its size is limited,
 * because deep names of a small archive can imply millions of folders.
 */
export function checkTree(
  entries: readonly ArchiveEntry[],
  limits: AuditLimits,
  findings: FindingList,
): void {
  new TreeChecker(limits, findings).check(entries);
}

class TreeChecker {
  readonly #limits: AuditLimits;
  readonly #findings: FindingList;
  readonly #root: TreeNode = { children: new Map(), leaves: new Map() };
  #nodes = 0;

  constructor(limits: AuditLimits, findings: FindingList) {
    this.#limits = limits;
    this.#findings = findings;
  }

  check(entries: readonly ArchiveEntry[]): void {
    for (const entry of entries) {
      const segments = splitPath(entry.path).filter((part) => part !== '.');
      if (segments.length === 0 || segments.length > this.#limits.pathDepth) continue;
      const node = this.#descend(segments, entry);
      if (node === null) {
        this.#findings.add('ENTRIES_TOO_MANY', WHOLE, {
          expected: `at most ${this.#limits.treeNodes} files and folders`,
          actual: 'more',
        });
        return;
      }
      this.#place(node, segments.join('/'), entry);
    }
  }

  /** Walks to the node of a path and reports what stands in the way. Null when the tree is full. */
  #descend(segments: readonly string[], entry: ArchiveEntry): TreeNode | null {
    let node = this.#root;
    for (const [index, segment] of segments.entries()) {
      const key = foldName(segment);
      let next = node.children.get(key);
      if (next === undefined) {
        this.#nodes += 1;
        if (this.#nodes > this.#limits.treeNodes) return null;
        next = { children: new Map(), leaves: new Map() };
        node.children.set(key, next);
      }
      node = next;
      const [obstacle] = node.leaves.values();
      if (obstacle !== undefined && index < segments.length - 1) this.#reportBelow(obstacle, entry);
    }
    return node;
  }

  #place(node: TreeNode, exact: string, entry: ArchiveEntry): void {
    if (entry.kind === 'directory') {
      const [obstacle] = node.leaves.values();
      if (obstacle !== undefined) this.#reportBelow(obstacle, entry);
      return;
    }
    const [other] = node.leaves.values();
    const twin = node.leaves.get(exact);
    if (twin !== undefined) this.#reportDuplicate(twin, entry);
    else if (other !== undefined) this.#reportCollision(other, entry);
    else if (node.children.size > 0) this.#reportClash(entry, 'a folder as well');
    node.leaves.set(exact, entry);
  }

  #reportBelow(obstacle: ArchiveEntry, entry: ArchiveEntry): void {
    if (obstacle.kind === 'symlink' || obstacle.kind === 'hardlink') {
      this.#findings.add('LINK_WRITE_THROUGH', entry.path, {
        expected: 'no entry below a link',
        actual: `${obstacle.path} → ${obstacle.linkName ?? ''}`,
      });
      return;
    }
    this.#reportClash(entry, `${obstacle.path} is a file`);
  }

  #reportClash(entry: ArchiveEntry, actual: string): void {
    this.#findings.add('ENTRY_FILE_AND_FOLDER', entry.path, { expected: 'a file or a folder', actual });
  }

  #reportDuplicate(first: ArchiveEntry, second: ArchiveEntry): void {
    const code = haveSameBytes(first, second) ? 'ENTRY_DUPLICATE_SAME' : 'ENTRY_DUPLICATE';
    this.#findings.add(code, second.path, {
      expected: 'each path once',
      actual: `again, with ${second.sha256 === first.sha256 ? 'the same' : 'other'} content`,
    });
  }

  #reportCollision(first: ArchiveEntry, second: ArchiveEntry): void {
    const code = haveSameBytes(first, second) ? 'NAME_COLLISION_SAME' : 'NAME_COLLISION';
    this.#findings.add(code, second.path, {
      expected: 'names that differ without case',
      actual: `beside ${first.path}`,
    });
  }
}

function haveSameBytes(first: ArchiveEntry, second: ArchiveEntry): boolean {
  return first.sha256 !== null && first.sha256 === second.sha256;
}

/** How file systems without case compare names. The way over upper case also joins ß with ss. */
export function foldName(name: string): string {
  // Nearly every name is plain ASCII, for which the rest is lower case only.
  if (/^[\u0000-\u007f]*$/.test(name)) return name.toLowerCase();
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
