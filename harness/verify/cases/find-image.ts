import type { Bundle } from '../bundle.ts';
import { once } from '../files/once.ts';
import { type InventoryLine, inventoryLine } from '../shape/inputs.ts';
import { imageByPath } from './box-places.ts';
import { toSegment } from './declared.ts';

/** Files of the image of a Node version by absolute path; null when its inventory cannot be read. */
export type FindImage = (node: string) => ReadonlyMap<string, InventoryLine> | null;

/** Inventories are read where a case asks for one. What is wrong with one is said where images are judged. */
export function toFindImage(bundle: Bundle, nodeVersions: readonly string[]): FindImage {
  const kept = new Map<string, ReturnType<FindImage>>();
  return (node) => {
    const known = kept.get(node);
    if (known !== undefined) return known;
    const folder = nodeVersions[0] === node ? 'image' : `image/node-${toSegment(node)}`;
    const path = `${folder}/inventory.ndjson`;
    const lines = bundle.has(path) ? bundle.aside().lines(path, inventoryLine) : null;
    const found = lines === null ? null : once(lines, imageByPath, () => imageByPath(lines));
    kept.set(node, found);
    return found;
  };
}
