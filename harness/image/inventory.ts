import { toCanonicalBytes } from '../document/canonical.ts';
import { sortByBytes } from './byte-order.ts';
import { ImageError } from './errors.ts';

const NEWLINE = Buffer.from('\n');

/** One file of an image: a line of `image/inventory.ndjson`. Owner and time are 0 for all and not repeated. */
export interface InventoryFile {
  /** Without a leading slash. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  /** Permission bits as four octal digits; `0777` for links. */
  readonly mode: string;
  /** Content only; 0 for directories and links. */
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly target: string | null;
}

/**
 * The files of an image whose layers have these inventories, in byte order of path.
 *
 * A directory may be named by several layers. A layer that replaces a file, or changes a kind, would shadow
 * a lower one, which no layer of ours does.
 * @throws {ImageError} LAYER_SHADOWS with the path.
 */
export function mergeInventories(layers: readonly (readonly InventoryFile[])[]): readonly InventoryFile[] {
  const merged = new Map<string, InventoryFile>();
  for (const file of layers.flat()) {
    const known = merged.get(file.path);
    if (known === undefined) merged.set(file.path, file);
    else if (known.kind !== 'directory' || file.kind !== 'directory' || known.mode !== file.mode) {
      throw new ImageError('infrastructure', 'LAYER_SHADOWS', 'image', {
        where: file.path,
        expected: 'one layer a file',
        actual: `${known.kind} under ${file.kind}`,
      });
    }
  }
  checkParents(merged);
  return sortByBytes([...merged.values()], (file) => file.path);
}

/** A later layer's file below an earlier layer's link would land wherever that link leads. */
function checkParents(merged: ReadonlyMap<string, InventoryFile>): void {
  for (const path of merged.keys()) {
    const cut = path.lastIndexOf('/');
    const parent = cut > 0 ? merged.get(path.slice(0, cut)) : undefined;
    if (cut > 0 && parent?.kind !== 'directory') {
      throw new ImageError('infrastructure', 'LAYER_SHADOWS', 'image', {
        where: path,
        expected: 'a directory above',
        actual: parent?.kind ?? 'nothing',
      });
    }
  }
}

/** `image/inventory.ndjson`: one canonical JSON document a line, each with its newline. */
export function toNdjson(inventory: readonly InventoryFile[]): Buffer {
  return Buffer.concat(inventory.flatMap((file) => [toCanonicalBytes(file), NEWLINE]));
}
