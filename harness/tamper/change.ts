/** A piece of a file; the words are those of the verifier's `--overlays`. */
export type Piece =
  | { readonly kind: 'bytes'; readonly base64: string }
  | { readonly kind: 'base'; readonly path: string; readonly start: number; readonly end: number }
  | { readonly kind: 'fill'; readonly byte: number; readonly sizeBytes: number };

/** What is to stand at a path of the bundle instead of what stands there. */
export type Change =
  | { readonly path: string; readonly kind: 'deleted' }
  | { readonly path: string; readonly kind: 'folder' }
  | { readonly path: string; readonly kind: 'special' }
  | { readonly path: string; readonly kind: 'link'; readonly to: string }
  | { readonly path: string; readonly kind: 'file'; readonly pieces: readonly Piece[] };

export function deleted(path: string): Change {
  return { path, kind: 'deleted' };
}

export function fileOf(path: string, ...pieces: readonly Piece[]): Change {
  return { path, kind: 'file', pieces };
}

export function bytesOf(content: Uint8Array | string): Piece {
  return { kind: 'bytes', base64: Buffer.from(content).toString('base64') };
}

/** Bytes of a file of the bundle as it is, from `start` up to `end`. */
export function sliceOf(path: string, start: number, end: number): Piece {
  return { kind: 'base', path, start, end };
}

/** A file with new bytes, told as far as may be by what it has in common with the old ones. */
export function changedFile(path: string, before: Buffer, after: Buffer): Change {
  if (before.length === after.length) return fileOf(path, ...byBlocks(path, before, after));
  const most = Math.min(before.length, after.length);
  const head = commonHead(before, after, most);
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return fileOf(
    path,
    ...(head === 0 ? [] : [sliceOf(path, 0, head)]),
    bytesOf(after.subarray(head, after.length - tail)),
    ...(tail === 0 ? [] : [sliceOf(path, before.length - tail, before.length)]),
  );
}

/** Of the same length most often the same but for a digest here and there. */
function byBlocks(path: string, before: Buffer, after: Buffer): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < after.length; ) {
    const isEqual = isEqualBlock(before, after, start);
    let end = start;
    while (end < after.length && isEqualBlock(before, after, end) === isEqual) end += BLOCK_BYTES;
    end = Math.min(end, after.length);
    pieces.push(isEqual ? sliceOf(path, start, end) : bytesOf(after.subarray(start, end)));
    start = end;
  }
  return pieces;
}

/** Where each line of a file begins, for as long as the file is kept. */
const lineStarts = new WeakMap<Buffer, ReadonlyMap<string, number>>();

function startsOf(before: Buffer): ReadonlyMap<string, number> {
  const known = lineStarts.get(before);
  if (known !== undefined) return known;
  const starts = new Map<string, number>();
  let start = 0;
  for (const line of before.toString('latin1').split(LINE_END)) {
    starts.set(line, start);
    start += line.length;
  }
  lineStarts.set(before, starts);
  return starts;
}

const LINE_END = /(?<=\n)/;

/** The same for lines of ASCII of which some are changed, gone or new. */
export function changedLines(path: string, before: Buffer, lines: readonly string[]): Change {
  const starts = startsOf(before);
  const pieces: Piece[] = [];
  let own = '';
  let slice: { readonly start: number; end: number } | null = null;
  const close = (): void => {
    if (own !== '') pieces.push(bytesOf(own));
    if (slice !== null) pieces.push(sliceOf(path, slice.start, slice.end));
    own = '';
    slice = null;
  };
  for (const line of lines) {
    const start = starts.get(line);
    if (start === undefined) {
      if (slice !== null) close();
      own += line;
    } else if (slice !== null && slice.end === start) slice.end += line.length;
    else {
      close();
      slice = { start, end: start + line.length };
    }
  }
  close();
  return fileOf(path, ...pieces);
}

function commonHead(before: Buffer, after: Buffer, most: number): number {
  let head = 0;
  // By blocks as far as they are equal: comparing those is the platform's own work.
  while (head + BLOCK_BYTES <= most && isEqualBlock(before, after, head)) head += BLOCK_BYTES;
  while (head < most && before[head] === after[head]) head += 1;
  return head;
}

const BLOCK_BYTES = 256;

function isEqualBlock(before: Buffer, after: Buffer, start: number): boolean {
  const end = Math.min(start + BLOCK_BYTES, after.length);
  return before.compare(after, start, end, start, end) === 0;
}
