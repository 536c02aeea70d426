import type { ListedFile } from '../shape/bundle.ts';

/** The files of a closed list as the rest of the verifier asks for them. */
export interface FileList {
  get(path: string): ListedFile | undefined;
  has(path: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<ListedFile>;
}

/** The entries whose path is like this; a hostile list has millions, of which few are. */
export function filesLike(files: FileList, pattern: RegExp): readonly ListedFile[] {
  const like: ListedFile[] = [];
  for (const file of files.values()) if (pattern.test(file.path)) like.push(file);
  return like;
}

/** The shortest text of an entry in an index, with the comma behind it. */
const ENTRY_BYTES = '{"path":"","sha256":"","sizeBytes":0},'.length + 64;
const DIGEST_BYTES = 32;
/** Entries that are also kept ready to hand out, a quarter of a kilobyte each; of more, each is made when asked for. */
const READY_ENTRIES = 20_000;
/** The same of folders above them. */
const READY_FOLDERS = 10_000;
/** An index of more bytes has more than `READY_ENTRIES`, but for the longest of paths: none is made ahead of it. */
const READY_INDEX_BYTES = 16 * 1024 * 1024;

/**
 * The entries of an index in a few buffers: what a hostile index costs is then its own bytes and about fifty more
 * an entry. An object, its two texts and its place in a map would take a quarter of a kilobyte.
 *
 * Entries keep their position in the list. Those of a list out of order are found by an order of their own.
 */
export class ListedFiles implements FileList {
  readonly #paths: Buffer;
  readonly #ends: Uint32Array;
  readonly #digests: Buffer;
  readonly #sizes: Float64Array;
  readonly #ready = new Map<string, ListedFile>();
  readonly #readyEntries: number;
  /** Folders above the entries, once one is asked for; null when they are too many to be kept ready. */
  #folders: ReadonlySet<string> | null | undefined;
  /** Positions in byte order of path, of equal ones in order of position; null when that is their own order. */
  #order: Uint32Array | null = null;
  #isStrict = true;
  #count = 0;

  /** Room for whatever an index of that many bytes can list; pages that nothing is written to cost nothing. */
  constructor(indexBytes: number, { readyEntries = READY_ENTRIES }: { readonly readyEntries?: number } = {}) {
    this.#readyEntries = indexBytes > READY_INDEX_BYTES ? 0 : readyEntries;
    const most = Math.floor(indexBytes / ENTRY_BYTES) + 1;
    this.#paths = Buffer.allocUnsafeSlow(indexBytes);
    this.#ends = new Uint32Array(most);
    this.#digests = Buffer.allocUnsafeSlow(most * DIGEST_BYTES);
    this.#sizes = new Float64Array(most);
  }

  get count(): number {
    return this.#count;
  }

  /** Whether each path is above the one before it in byte order. */
  get isStrict(): boolean {
    return this.#isStrict;
  }

  /** Only before `close`. */
  add(file: ListedFile): void {
    const position = this.#count;
    const start = this.#startOf(position);
    this.#ends[position] = start + this.#paths.write(file.path, start, 'utf8');
    this.#digests.write(file.sha256, position * DIGEST_BYTES, 'hex');
    this.#sizes[position] = file.sizeBytes;
    this.#count = position + 1;
    if (this.#isReady) this.#ready.set(file.path, file);
    else if (position === this.#readyEntries) this.#ready.clear();
  }

  /** No more is added. Finds the order in which entries are looked up. */
  close(): void {
    for (let position = 1; position < this.#count; position += 1) {
      const order = this.compare(position - 1, position);
      if (order >= 0) this.#isStrict = false;
      if (order <= 0) continue;
      const positions = Uint32Array.from({ length: this.#count }, (_, index) => index);
      this.#order = positions.sort((one, other) => this.compare(one, other) || one - other);
      return;
    }
  }

  get(path: string): ListedFile | undefined {
    if (this.#isReady) return this.#ready.get(path);
    const position = this.find(path);
    return position === null ? undefined : this.at(position);
  }

  has(path: string): boolean {
    return this.#isReady ? this.#ready.has(path) : this.find(path) !== null;
  }

  keys(): Iterable<string> {
    return this.#isReady ? this.#ready.keys() : this.#made((position) => this.pathAt(position));
  }

  values(): Iterable<ListedFile> {
    return this.#isReady ? this.#ready.values() : this.#made((position) => this.at(position));
  }

  *#made<T>(make: (position: number) => T): Generator<T, void, undefined> {
    for (let position = 0; position < this.#count; position += 1) yield make(position);
  }

  at(position: number): ListedFile {
    const start = position * DIGEST_BYTES;
    return {
      path: this.pathAt(position),
      sizeBytes: this.#sizes[position] ?? 0,
      sha256: this.#digests.toString('hex', start, start + DIGEST_BYTES),
    };
  }

  pathAt(position: number): string {
    return this.#paths.toString('utf8', this.#startOf(position), this.#ends[position]);
  }

  /** Positions in byte order of path. */
  *inOrder(): Generator<number, void, undefined> {
    for (let rank = 0; rank < this.#count; rank += 1) yield this.#positionOf(rank);
  }

  /** Whether a listed file lies below this path. */
  hasFolder(path: string): boolean {
    if (this.#folders === undefined) this.#folders = this.#isReady ? foldersAbove(this.#ready.keys()) : null;
    return this.#folders?.has(path) ?? this.firstBelow(path) !== null;
  }

  /** Position of the first file, in byte order, that lies below this path. */
  firstBelow(path: string): number | null {
    const sought = Buffer.from(`${path}/`);
    const position = this.#positionOf(this.#rankOf(sought));
    if (position >= this.#count) return null;
    const start = this.#startOf(position);
    const end = start + sought.length;
    const fits = end <= (this.#ends[position] ?? 0);
    return fits && this.#paths.compare(sought, 0, sought.length, start, end) === 0 ? position : null;
  }

  /** The byte of a path, undefined beyond its end. */
  byteAt(position: number, offset: number): number | undefined {
    const at = this.#startOf(position) + offset;
    return at < (this.#ends[position] ?? 0) ? this.#paths[at] : undefined;
  }

  /** Byte order of the paths at two positions. */
  compare(one: number, other: number): number {
    const [start, end] = [this.#startOf(one), this.#ends[one]];
    return this.#paths.compare(this.#paths, this.#startOf(other), this.#ends[other], start, end);
  }

  get #isReady(): boolean {
    return this.#count <= this.#readyEntries;
  }

  /** Position of the last of those that have this path, which is the one that a map would have. */
  find(path: string): number | null {
    const sought = Buffer.from(path);
    // Nothing lies between a path and itself with a zero behind it.
    const rank = this.#rankOf(Buffer.concat([sought, Buffer.of(0)])) - 1;
    const position = this.#positionOf(rank);
    if (rank < 0 || this.#compareTo(position, sought) !== 0) return null;
    return position;
  }

  /** How many paths are below these bytes. */
  #rankOf(sought: Buffer): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compareTo(this.#positionOf(middle), sought) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compareTo(position: number, sought: Buffer): number {
    return this.#paths.compare(sought, 0, sought.length, this.#startOf(position), this.#ends[position]);
  }

  #positionOf(rank: number): number {
    return this.#order === null ? rank : (this.#order[rank] ?? this.#count);
  }

  #startOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] ?? 0);
  }
}

/** Null when they are too many: a hostile path can consist of slashes. */
function foldersAbove(paths: Iterable<string>): ReadonlySet<string> | null {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      if (folders.size === READY_FOLDERS) return null;
      folders.add(folder);
    }
  }
  return folders;
}
