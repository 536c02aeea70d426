import { toBoxPath } from '../document/box-path.ts';
import type { ImageFile, Snapshot, SnapshotEntry } from '../engine/engine.ts';
import { BOX_USER, isWritable, WRITABLE } from '../suite/layout.ts';

/** What of an image's inventory decides which file a name stands for. */
export type ListedFile = Pick<ImageFile, 'path' | 'kind' | 'mode' | 'sizeBytes' | 'sha256' | 'target'>;

/** Places that the kernel fills: nobody lists them. */
const UNLISTED = /^\/(?:proc|sys|dev)(?:\/|$)/;
/** As Linux: `MAXSYMLINKS` of path_resolution(7). */
const LINKS_LIMIT = 40;

/** A writable place itself belongs to the user of the box. */
const MOUNT_ROOT: FoundFile['file'] = {
  path: '',
  kind: 'directory',
  mode: '0755',
  ...BOX_USER,
  sizeBytes: 0,
  sha256: null,
  target: null,
};

interface Owned {
  readonly uid: number;
  readonly gid: number;
}

export interface FoundFile {
  readonly kind: 'entry';
  /** Without a link in it. */
  readonly path: string;
  readonly file: (ListedFile | SnapshotEntry) & Owned;
}

export type Found =
  | FoundFile
  /** There is nothing, or nothing that the user of the box could reach. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unlisted' };

/** The files of a box by their paths, as the user of the box reaches them. Paths are in the text of `box-path.ts`. */
export class BoxFiles {
  readonly #image: ReadonlyMap<string, ListedFile>;
  readonly #laid: ReadonlyMap<string, SnapshotEntry>;
  readonly #exec: boolean;

  constructor(place: {
    /** By absolute path. */
    readonly image: ReadonlyMap<string, ListedFile>;
    readonly laid: Snapshot;
    readonly exec: boolean;
  }) {
    this.#image = place.image;
    this.#laid = new Map(place.laid.entries.map((entry) => [entry.path, entry]));
    this.#exec = place.exec;
  }

  /** Follows every link, as opening an absolute path does. */
  find(path: string): Found {
    const open = path.split('/').reverse();
    let at: readonly string[] = [];
    let links = 0;
    let found: Found = { kind: 'none' };
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        at = at.slice(0, -1);
        continue;
      }
      found = this.#entry(`/${[...at, part].join('/')}`);
      if (found.kind !== 'entry') return found;
      const { kind, target } = found.file;
      if (kind === 'symlink') {
        links += 1;
        if (links > LINKS_LIMIT || target === null) return { kind: 'none' };
        if (target.startsWith('/')) at = [];
        open.push(...target.split('/').reverse());
        found = { kind: 'none' };
        continue;
      }
      if (open.length > 0 && (kind !== 'directory' || !mayExecute(found.file))) return { kind: 'none' };
      at = [...at, part];
    }
    return found;
  }

  /** Whether the kernel would start it, as far as kind, permissions and mount decide. */
  mayRun({ path, file }: FoundFile): boolean {
    return file.kind === 'file' && mayExecute(file) && (this.#exec || !isWritable(path));
  }

  #entry(path: string): Found {
    if (UNLISTED.test(path)) return { kind: 'unlisted' };
    if (WRITABLE.includes(path)) return { kind: 'entry', path, file: MOUNT_ROOT };
    const laid = this.#laid.get(path);
    if (laid !== undefined) return { kind: 'entry', path, file: laid };
    const file = isWritable(path) ? undefined : this.#image.get(path);
    if (file === undefined) return { kind: 'none' };
    return { kind: 'entry', path, file: { ...file, uid: 0, gid: 0 } };
  }
}

function mayExecute({ mode, uid, gid }: { readonly mode: string } & Owned): boolean {
  const shift = uid === BOX_USER.uid ? 6 : gid === BOX_USER.gid ? 3 : 0;
  return ((Number.parseInt(mode, 8) >> shift) & 1) === 1;
}

/** The files of an image by absolute path; an inventory has theirs from the root, as UTF-8. */
export function byAbsolutePath(files: readonly ListedFile[]): ReadonlyMap<string, ListedFile> {
  return new Map(
    files.map((file) => {
      const target = file.target === null ? null : toText(file.target);
      return [`/${toText(file.path)}`, target === file.target ? file : { ...file, target }];
    }),
  );
}

function toText(name: string): string {
  return name.includes('%') ? toBoxPath(Buffer.from(name, 'utf8')) : name;
}
