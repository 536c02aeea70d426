import { folderOf } from '../path-text.ts';
import type { InventoryLine } from '../shape/inputs.ts';

/** The layers of an image, lowest first; an image without suite archives has no layer of them. */
export const LAYERS = ['base', 'runtime', 'archives', 'candidate'] as const;
export type LayerName = (typeof LAYERS)[number];

/** A base that somebody brought may have other files below `usr/local`, and none below the others. */
const PLACES: Readonly<Record<Exclude<LayerName, 'base'>, RegExp>> = {
  runtime: /^usr\/local\/(?:bin\/node|LICENSE)$/,
  archives: /^opt\/archives\//,
  candidate: /^opt\/candidate\//,
};
/** Folders that every base has for their own sake, for boxes mount there. */
export const MOUNT_POINTS: readonly string[] = ['dev', 'home/node', 'proc', 'sys', 'tmp', 'work'];
/** Those that a base of packages has beside them. */
export const PACKAGED_FOLDERS: readonly string[] = ['usr/lib64', 'usr/sbin'];

/**
 * The entries of each layer, in byte order of path: files and links by where they lie, and the folders above
 * them, which every layer brings along. `baseFolders` lie in the base whether or not anything is in them.
 */
export function partition(
  inventory: readonly InventoryLine[],
  baseFolders: readonly string[] = PACKAGED_FOLDERS,
): ReadonlyMap<LayerName, readonly InventoryLine[]> {
  const paths = new Map<LayerName, Set<string>>();
  for (const line of inventory) {
    if (line.kind !== 'directory') add(paths, layerOf(line.path), line.path);
  }
  for (const folder of [...MOUNT_POINTS, ...baseFolders]) add(paths, 'base', folder);
  return new Map(
    LAYERS.flatMap((name): [LayerName, readonly InventoryLine[]][] => {
      const own = paths.get(name);
      return own === undefined ? [] : [[name, inventory.filter(({ path }) => own.has(path))]];
    }),
  );
}

function layerOf(path: string): LayerName {
  const found = Object.entries(PLACES).find(([, place]) => place.test(path));
  return LAYERS.find((name) => name === found?.[0]) ?? 'base';
}

function add(paths: Map<LayerName, Set<string>>, name: LayerName, path: string): void {
  const own = paths.get(name) ?? new Set<string>();
  paths.set(name, own);
  for (let part = path; part !== ''; part = folderOf(part)) own.add(part);
}
