import type { ListedFiles } from './listed-files.ts';

/** Two names that are one where letter case means nothing; `position` is that of the later entry. */
export interface Twin {
  readonly position: number;
  readonly name: string;
  readonly like: string;
}

/** Its own folded form. */
const PLAIN = /^[a-z0-9._@%/-]*$/;
const SLASH = 0x2f;

/**
 * Names of files and folders that one file system keeps apart and another does not: on the latter, one would stand
 * for both, and what was checked would not be what is read.
 *
 * Only names with something to fold can be such, so that a list without any costs no more than a look at each.
 * Names outside ASCII are compared with all that are plain, but not with one another: such a list is refused anyway.
 */
export function* findTwins(files: ListedFiles): Generator<Twin, void, undefined> {
  const folding: number[] = [];
  let last: string | null = null;
  for (let position = 0; position < files.count; position += 1) {
    const path = files.pathAt(position);
    if (PLAIN.test(path)) continue;
    folding.push(position);
    const name = topmostFolding(path);
    // Of all files below a folder, the first stands for it.
    if (name === last) continue;
    last = name;
    const like = name.normalize('NFKC').toLowerCase();
    const other = files.find(like) ?? files.firstBelow(like);
    if (like !== name && other !== null) yield toTwin([position, name], [other, like]);
  }
  folding.sort((one, other) => compareFolded(files, one, other));
  for (let rank = 1; rank < folding.length; rank += 1) {
    const [one, other] = [folding[rank - 1] ?? 0, folding[rank] ?? 0];
    const length = twinLength(files, one, other);
    if (length === null) continue;
    const [left, right] = [files.pathAt(one).slice(0, length), files.pathAt(other).slice(0, length)];
    yield toTwin([one, left], [other, right]);
  }
}

type Named = readonly [position: number, name: string];

function toTwin(one: Named, other: Named): Twin {
  const [[, like], [position, name]] = one[0] < other[0] ? [one, other] : [other, one];
  return { position, name, like };
}

/** Nothing can lie below a folded form at which nothing lies, so that this part of a path is enough. */
function topmostFolding(path: string): string {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const name = path.slice(0, end);
    if (!PLAIN.test(name)) return name;
  }
  return path;
}

/** Slashes first, so that all paths below one folded name stand together. */
function foldByte(byte: number): number {
  if (byte === SLASH) return 0;
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

function compareFolded(files: ListedFiles, one: number, other: number): number {
  for (let offset = 0; ; offset += 1) {
    const [left, right] = [files.byteAt(one, offset), files.byteAt(other, offset)];
    if (left === undefined || right === undefined) {
      return Number(left !== undefined) - Number(right !== undefined) || one - other;
    }
    const difference = foldByte(left) - foldByte(right);
    if (difference !== 0) return difference;
  }
}

/** Bytes of the first whole names of two paths that differ, and only in letter case; null when there are none. */
function twinLength(files: ListedFiles, one: number, other: number): number | null {
  let differs = false;
  for (let offset = 0; ; offset += 1) {
    const [left, right] = [files.byteAt(one, offset), files.byteAt(other, offset)];
    const isEnd = (left === undefined || left === SLASH) && (right === undefined || right === SLASH);
    if (isEnd && differs) return offset;
    if (left === undefined || right === undefined || foldByte(left) !== foldByte(right)) return null;
    differs ||= left !== right;
  }
}
