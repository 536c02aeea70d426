import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Header } from 'tar-stream';
import { errnoOf, ImageError } from './errors.ts';
import type { InventoryFile } from './inventory.ts';
import { walkTar } from './tar-reader.ts';
import type { WrittenLayer } from './tar-writer.ts';

/** Bytes read at once; larger than the default because a layer is mostly one program of 120 MB. */
const READ_BYTES = 1024 * 1024;

/**
 * Reads a layer back: its diff id over all bytes, and its inventory, in one pass.
 *
 * @throws {ImageError} LAYER_UNREADABLE when the file is no tar or holds what we never write; a missing file
 * throws the system's ENOENT.
 */
export async function scanLayer(file: string): Promise<WrittenLayer> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const inventory: InventoryFile[] = [];
  const source = async function* (): AsyncIterable<Buffer> {
    for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
  };
  try {
    await walkTar(source(), async (header, content) => {
      const digest = createHash('sha256');
      for await (const chunk of content) digest.update(chunk);
      inventory.push(toFile(file, header, digest.digest('hex')));
    });
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || cause instanceof ImageError) throw cause;
    throw new ImageError('infrastructure', 'LAYER_UNREADABLE', 'layer', { where: file, cause });
  }
  return { diffId: hash.digest('hex'), sizeBytes, inventory };
}

function toFile(file: string, header: Header, sha256: string): InventoryFile {
  const common = {
    path: header.name.replace(/\/$/u, ''),
    mode: header.mode.toString(8).padStart(4, '0'),
    sizeBytes: header.size,
  };
  switch (header.type) {
    case 'file':
      return { ...common, kind: 'file', sha256, target: null };
    case 'directory':
      return { ...common, kind: 'directory', sha256: null, target: null };
    case 'symlink':
      return { ...common, kind: 'symlink', sha256: null, target: header.linkname };
    default:
      throw new ImageError('infrastructure', 'LAYER_UNREADABLE', 'layer', {
        where: `${file}: ${header.name}`,
        expected: 'a file, directory or link',
        actual: String(header.type),
      });
  }
}
