import { folderOf } from '../path-text.ts';
import type { InventoryLine } from '../shape/inputs.ts';
import type { Entry } from '../shape/receipt.ts';
import { isWritable, WRITABLE } from './writable.ts';

/** What lies at a path of a box, wherever it is listed. */
export interface Placed {
  readonly path: string;
  readonly kind: string;
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly target: string | null;
}

/** What is mounted at each writable place: a folder of the user's. */
const MOUNT_ROOT = {
  kind: 'directory',
  mode: '0755',
  uid: 1000,
  gid: 1000,
  sizeBytes: 0,
  sha256: null,
  target: null,
} as const;
/** Filled by the kernel, and in no listing. */
const KERNEL = ['/proc/', '/sys/', '/dev/'];
/** As many links as Linux follows: path_resolution(7). */
const MOST_LINKS = 40;
/** User and group of every box. */
const USER = 1000;

/**
 * A box as its listings show it: the image below, the writable places over it. Paths are in the format's text of
 * their bytes. The runner looks files up with code of its own; this is written apart from it, on purpose.
 */
export class BoxPlaces {
  readonly #image: ReadonlyMap<string, InventoryLine>;
  readonly #writable: ReadonlyMap<string, Entry>;

  constructor(image: ReadonlyMap<string, InventoryLine>, writable: readonly Entry[]) {
    this.#image = image;
    this.#writable = new Map(writable.map((entry) => [entry.path, entry]));
  }

  /**
   * What an absolute path leads to for the user of the box, links followed: null where there is nothing that it
   * could reach, `unlisted` where the path leads out of every listing.
   */
  at(path: string): Placed | null | 'unlisted' {
    let rest = path.split('/').filter(isStep);
    let isFolderAsked = /\/\.?$/.test(path);
    let here = '';
    let links = 0;
    let found: Placed | null = null;
    while (rest.length > 0) {
      const [name = '', ...next] = rest;
      rest = next;
      if (name === '..') {
        here = folderOf(here);
        found = null;
        continue;
      }
      const full = `${here}/${name}`;
      if (KERNEL.some((place) => `${full}/`.startsWith(place))) return 'unlisted';
      found = this.#listed(full);
      if (found === null) return null;
      if (found.kind === 'symlink') {
        links += 1;
        const { target } = found;
        if (links > MOST_LINKS || target === null) return null;
        if (target.startsWith('/')) here = '';
        if (rest.length === 0) isFolderAsked ||= /\/\.?$/.test(target);
        rest = [...target.split('/').filter(isStep), ...rest];
        found = null;
        continue;
      }
      const isOnTheWay = rest.length > 0 || isFolderAsked;
      if (isOnTheWay && (found.kind !== 'directory' || !isExecutable(found))) return null;
      here = full;
    }
    return found;
  }

  #listed(path: string): Placed | null {
    if (WRITABLE.includes(path)) return { ...MOUNT_ROOT, path };
    if (isWritable(path)) return this.#writable.get(path) ?? null;
    const line = this.#image.get(path);
    return line === undefined ? null : { ...line, path, uid: 0, gid: 0, target: textOf(line.target) };
  }
}

function isStep(name: string): boolean {
  return name !== '' && name !== '.';
}

/** The execute bit that counts for the user of the box; of a folder it is the right to pass. */
export function isExecutable({ mode, uid, gid }: Placed): boolean {
  const digit = mode.at(uid === USER ? -3 : gid === USER ? -2 : -1);
  return Number(digit) % 2 === 1;
}

/** The files of an image by absolute path. An inventory has its names as they are, without a form for strange bytes. */
export function imageByPath(lines: readonly InventoryLine[]): ReadonlyMap<string, InventoryLine> {
  return new Map(lines.map((line) => [`/${toPathText(line.path)}`, line]));
}

function textOf(target: string | null): string | null {
  return target === null ? null : toPathText(target);
}

/** The text of a name that is UTF-8: only the percent sign has another. */
export function toPathText(name: string): string {
  return name.replaceAll('%', '%25');
}
