import { isUtf8 } from 'node:buffer';
import { boxPathBytes } from '../document/box-path.ts';
import type { TreeFile } from '../engine/engine.ts';
import { ImageError } from './errors.ts';
import type { TreeEntry } from './expected-tree.ts';
import type { LayerContent } from './layer-entry.ts';
import { normaliseFileMode } from './layer-plan.ts';
import type { Spool } from './spool.ts';

/** An installed tree, read out of a box: what lies where, and how to get a file's bytes again. */
export interface InstalledTree {
  /** Files and links by path from the tree's root, such as `node_modules/a/cli.js`. */
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly contents: ReadonlyMap<string, LayerContent>;
}

/**
 * npm's note to itself about what it installed; it names paths of the install box. Packages may carry a file
 * of that name deeper in the tree, which is theirs.
 */
const HIDDEN_LOCK = 'node_modules/.package-lock.json';

/**
 * Takes a tree out of a box, contents into the spool, while the box still stands.
 *
 * `root` is the absolute path in the box that the result's paths start from. Directories are implied by what
 * lies in them. npm's hidden lock file is left out.
 * @throws {ImageError} NAME_NOT_UTF8, ENTRY_KIND_FORBIDDEN (FIFOs, sockets, devices), MODE_FORBIDDEN.
 */
export async function takeTree(
  files: AsyncIterable<TreeFile>,
  root: string,
  spool: Spool,
): Promise<InstalledTree> {
  const entries = new Map<string, TreeEntry>();
  const contents = new Map<string, LayerContent>();
  for await (const { entry, content } of files) {
    const whole = toName(entry.path);
    const path = whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : whole;
    const mode = Number.parseInt(entry.mode, 8);
    if (entry.kind === 'directory') continue;
    if (entry.kind === 'symlink') {
      entries.set(path, { kind: 'symlink', path, target: toName(entry.target ?? '') });
      continue;
    }
    if (entry.kind !== 'file' || content === null) refuse('ENTRY_KIND_FORBIDDEN', path, 'a file', entry.kind);
    if ((mode & 0o7000) !== 0) refuse('MODE_FORBIDDEN', path, 'no setuid, setgid or sticky bit', entry.mode);
    if (path === HIDDEN_LOCK) continue;
    const spooled = await spool.add(content());
    const octal = normaliseFileMode(mode).toString(8).padStart(4, '0');
    const { sizeBytes, sha256 } = spooled;
    entries.set(path, { kind: 'file', path, mode: octal, sizeBytes, sha256 });
    contents.set(path, spooled.content);
  }
  return { entries, contents };
}

/** The UTF-8 text of a path in a box; an image has no other names. */
function toName(path: string): string {
  const bytes = boxPathBytes(path);
  if (!isUtf8(bytes)) refuse('NAME_NOT_UTF8', path, 'a name in UTF-8', path);
  return bytes.toString('utf8');
}

function refuse(
  code: 'NAME_NOT_UTF8' | 'ENTRY_KIND_FORBIDDEN' | 'MODE_FORBIDDEN',
  where: string,
  expected: string,
  actual: string,
): never {
  throw new ImageError('candidate', code, 'installed tree', { where, expected, actual });
}
