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
