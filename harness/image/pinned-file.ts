import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { ImageError } from './errors.ts';

/** An archive on the host that must have this sha256 (lower-case hex). */
export interface PinnedFile {
  readonly file: string;
  readonly sha256: string;
}

const READ_BYTES = 1024 * 1024;

/**
 * Streams a pinned file and refuses it at its end when its digest differs.
 *
 * What was read before is then worth nothing: a caller writes it aside and drops it with the error.
 * @throws {ImageError} ARCHIVE_DIGEST_DIFFERS with `name`.
 */
export async function* readPinned(pinned: PinnedFile, name: string): AsyncIterable<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(pinned.file, { highWaterMark: READ_BYTES })) {
    hash.update(chunk);
    yield chunk;
  }
  const actual = hash.digest('hex');
  if (actual !== pinned.sha256) {
    throw new ImageError('infrastructure', 'ARCHIVE_DIGEST_DIFFERS', 'archive', {
      where: name,
      expected: pinned.sha256,
      actual,
    });
  }
}

/** The whole of a small pinned file. @throws {ImageError} ARCHIVE_DIGEST_DIFFERS */
export async function readPinnedBytes(pinned: PinnedFile, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readPinned(pinned, name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
