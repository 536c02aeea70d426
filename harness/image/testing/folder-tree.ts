import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeEntry } from '../expected-tree.ts';
import { normaliseFileMode } from '../layer-plan.ts';

/** Files and links below `root/node_modules` on this machine, as an installed tree has them. */
export function readFolderTree(root: string): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (const path of pathsBelow(root, 'node_modules')) {
    const stat = lstatSync(join(root, path));
    if (stat.isSymbolicLink()) {
      entries.set(path, { kind: 'symlink', path, target: readlinkSync(join(root, path)) });
    } else if (!path.endsWith('node_modules/.package-lock.json')) {
      const bytes = readFileSync(join(root, path));
      const mode = normaliseFileMode(stat.mode).toString(8).padStart(4, '0');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      entries.set(path, { kind: 'file', path, mode, sizeBytes: bytes.length, sha256 });
    }
  }
  return entries;
}

/** Walked by hand: a recursive readdir of Node 20 goes through links. */
function pathsBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? pathsBelow(root, path) : [path];
  });
}
