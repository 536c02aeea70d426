import type { BaseBundle } from './base-bundle.ts';
import type { Change, Piece } from './change.ts';

/** What a file holds after a change; nothing where the change leaves no file. */
export function contentOf(bundle: BaseBundle, change: Change): Buffer {
  return Buffer.concat(change.kind === 'file' ? change.pieces.map((piece) => toBytes(bundle, piece)) : []);
}

/** Bytes of a piece. */
export function sizeOf(piece: Piece): number {
  if (piece.kind === 'bytes') return Buffer.from(piece.base64, 'base64').length;
  return piece.kind === 'fill' ? piece.sizeBytes : piece.end - piece.start;
}

function toBytes(bundle: BaseBundle, piece: Piece): Buffer {
  if (piece.kind === 'bytes') return Buffer.from(piece.base64, 'base64');
  if (piece.kind === 'fill') return Buffer.alloc(piece.sizeBytes, piece.byte);
  return bundle.read(piece.path).subarray(piece.start, piece.end);
}
