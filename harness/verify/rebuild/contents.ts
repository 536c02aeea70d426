import { createHash } from 'node:crypto';

/** Bytes of files that are held at once; an image whose layer has more is not rebuilt. */
const HELD_LIMIT_BYTES = 1536 * 1024 * 1024;

/** Contents of the files of one layer, by digest, as the archives give them. */
export class Contents {
  readonly #wanted: ReadonlySet<string>;
  readonly #kept = new Map<string, Buffer>();
  #keptBytes = 0;

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  /** Keeps a content that the layer has; beyond the limit it counts as not given. */
  readonly keep = (sha256: string, content: Buffer): void => {
    if (!this.#wanted.has(sha256) || this.#kept.has(sha256)) return;
    if (this.#keptBytes + content.length > HELD_LIMIT_BYTES) return;
    this.#keptBytes += content.length;
    this.#kept.set(sha256, content);
  };

  find(sha256: string): Buffer | null {
    return this.#kept.get(sha256) ?? null;
  }
}

/** Takes a content with its digest. */
export type TakeWhole = (sha256: string, content: Buffer) => void;

/** A content that is read anew each time, because it is too large to be held. */
export type ReadPieces = (use: (piece: Buffer) => void) => Promise<void>;

/** Gathers the pieces of a content and hands it over when it is whole. */
export function takeHashed(done: TakeWhole): (piece: Buffer | null) => void {
  const pieces: Buffer[] = [];
  return (piece) => {
    if (piece !== null) pieces.push(piece);
    else {
      const content = Buffer.concat(pieces);
      done(sha256Of(content), content);
    }
  };
}

/** Takes a content piece by piece and tells its digest when it is whole; nothing of it is held. */
export function takeDigest(done: (sha256: string) => void): (piece: Buffer | null) => void {
  const hash = createHash('sha256');
  return (piece) => {
    if (piece !== null) hash.update(piece);
    else done(hash.digest('hex'));
  };
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
