import { folderOf } from '../path-text.ts';
import type { KeptSource } from './kept-source.ts';
import type { Memory } from './memory.ts';
import type { FileSource, FoundEntry, OpenFile } from './source.ts';

/** A piece of a file that an overlay puts in place of another. */
export type Piece =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** Bytes of a file of the folder below, from `start` up to `end`. */
  | { readonly kind: 'base'; readonly path: string; readonly start: number; readonly end: number }
  /** One byte, many times. */
  | { readonly kind: 'fill'; readonly byte: number; readonly sizeBytes: number };

/** What stands at a path instead of what the folder below has there. */
export type Change =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'file'; readonly pieces: readonly Piece[] }
  /** Leads to another path of the same folder, or out of it. */
  | { readonly kind: 'link'; readonly to: string }
  /** A FIFO, socket or device. */
  | { readonly kind: 'special' };

/**
 * A folder with changes laid over it, as it would be had they been made on disk: what is deleted takes all
 * below it along, a link in the place of a file does not open, one in the place of a folder is followed by who
 * opens a file through it, as the operating system does, and is no folder to who lists it.
 */
export class OverlaySource implements FileSource {
  readonly #base: KeptSource;
  readonly #changes: ReadonlyMap<string, Change>;
  /** Paths that take along what is below them, when they are few enough to go through for every path. */
  readonly #covers: readonly string[] | null;
  /** Names that changes add, by their folder. */
  readonly #added = new Map<string, Map<string, FoundEntry['kind']>>();
  /** Folders of which a name is added or changed. */
  readonly #touched: ReadonlySet<string>;

  constructor(base: KeptSource, changes: ReadonlyMap<string, Change>) {
    this.#base = base;
    this.#changes = changes;
    const covers = [...changes].flatMap(([path, { kind }]) => (kind === 'folder' ? [] : [path]));
    this.#covers = covers.length <= FEW ? covers : null;
    for (const [path, change] of changes) if (change.kind !== 'deleted') this.#add(path, kindOf(change));
    this.#touched = new Set([...this.#added.keys(), ...[...changes.keys()].map(folderOf)]);
  }

  isFolder(): boolean | null {
    return this.#base.isFolder();
  }

  entries(path: string): Iterable<FoundEntry> | null {
    const below = this.#covering(path) === null ? this.#base.entries(path) : null;
    if (below !== null && !this.#touched.has(path)) return below;
    const added = this.#added.get(path) ?? new Map<string, FoundEntry['kind']>();
    if (below === null && added.size === 0 && this.#changes.get(path)?.kind !== 'folder') return null;
    const kept = [...(below ?? [])].filter(({ name }) => {
      const change = this.#changes.get(join(path, name));
      return change === undefined && !added.has(name);
    });
    const files = [...added].map(([name, kind]) => ({ name, kind }));
    return [...kept, ...files];
  }

  open(path: string): OpenFile | null {
    const change = this.#changes.get(path);
    if (change !== undefined) return change.kind === 'file' ? this.#openPieces(change.pieces) : null;
    const covering = this.#covering(path);
    if (covering === null) return this.#base.open(path);
    if (covering.change.kind !== 'link') return null;
    const target = throughLink(path, covering.path, covering.change.to);
    const there = this.#changes.get(target);
    return there?.kind === 'file' ? this.#openPieces(there.pieces) : this.#base.open(target);
  }

  has(path: string): boolean {
    const change = this.#changes.get(path);
    if (change !== undefined) return change.kind !== 'deleted';
    const covering = this.#covering(path);
    if (covering === null) return this.#base.has(path);
    if (covering.change.kind !== 'link') return false;
    const target = throughLink(path, covering.path, covering.change.to);
    const there = this.#changes.get(target);
    return there === undefined ? this.#base.has(target) : there.kind !== 'deleted';
  }

  identity(path: string): object | null {
    const untouched = !this.#changes.has(path) && this.#covering(path) === null;
    return untouched ? this.#base.identity(path) : null;
  }

  memory(): Memory | null {
    return this.#base.memory();
  }

  /** The change of a folder above a path, nearest first; a folder that was only added changes nothing. */
  #covering(path: string): { readonly path: string; readonly change: Change } | null {
    if (this.#covers?.some((above) => isWithin(path, above)) === false) return null;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end);
      const change = this.#changes.get(above);
      if (change !== undefined && change.kind !== 'folder') return { path: above, change };
    }
    return null;
  }

  #add(path: string, kind: FoundEntry['kind']): void {
    const folder = folderOf(path);
    const names = this.#added.get(folder) ?? new Map<string, FoundEntry['kind']>();
    names.set(path.slice(path.lastIndexOf('/') + 1), kind);
    this.#added.set(folder, names);
    const isThere = folder === '' || (this.#covering(folder) === null && this.#base.entries(folder) !== null);
    if (!isThere) this.#add(folder, 'folder');
  }

  #openPieces(pieces: readonly Piece[]): OpenFile {
    const sizeBytes = pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
    const chunks = this.#chunksOf(pieces);
    let rest: Buffer = Buffer.alloc(0);
    return {
      sizeBytes,
      read: (buffer) => {
        while (rest.length === 0) {
          const next = chunks.next();
          if (next.done === true) return 0;
          rest = next.value;
        }
        const copied = rest.copy(buffer);
        rest = rest.subarray(copied);
        return copied;
      },
      close: () => void chunks.return(),
    };
  }

  *#chunksOf(pieces: readonly Piece[]): Generator<Buffer, void, undefined> {
    for (const piece of pieces) {
      if (piece.kind === 'bytes') yield piece.bytes;
      else if (piece.kind === 'fill') yield* fill(piece);
      else yield* this.#sliceOf(piece);
    }
  }

  *#sliceOf({ path, start, end }: Extract<Piece, { readonly kind: 'base' }>) {
    const kept = this.#base.bytes(path);
    if (kept !== null) {
      yield kept.subarray(start, end);
      return;
    }
    const file = this.#base.open(path);
    if (file === null) return;
    try {
      let position = 0;
      for (;;) {
        const chunk = Buffer.alloc(CHUNK_BYTES);
        const read = file.read(chunk);
        if (read === 0 || position >= end) return;
        yield chunk.subarray(Math.min(read, Math.max(0, start - position)), Math.min(read, end - position));
        position += read;
      }
    } finally {
      file.close();
    }
  }
}

/** Most sets of changes are of a handful of files. */
const FEW = 24;
const CHUNK_BYTES = 256 * 1024;

function* fill({ byte, sizeBytes }: Extract<Piece, { readonly kind: 'fill' }>) {
  for (let left = sizeBytes; left > 0; left -= CHUNK_BYTES) {
    yield Buffer.alloc(Math.min(left, CHUNK_BYTES), byte);
  }
}

function sizeOf(piece: Piece): number {
  switch (piece.kind) {
    case 'bytes':
      return piece.bytes.length;
    case 'fill':
      return piece.sizeBytes;
    case 'base':
      return piece.end - piece.start;
  }
}

function kindOf(change: Change): FoundEntry['kind'] {
  if (change.kind === 'file' || change.kind === 'folder') return change.kind;
  return 'other';
}

/** Where a path leads that goes through a link in the place of a folder. */
function throughLink(path: string, folder: string, to: string): string {
  return join(to, path.slice(folder.length + 1));
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
}
