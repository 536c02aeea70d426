import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { ImageError } from './errors.ts';
import type { InventoryFile } from './inventory.ts';
import { type LayerEntry, readContent } from './layer-entry.ts';
import { BLOCK_BYTES, encodeHeader, padding } from './tar-header.ts';

/** Small entries are gathered to this much before a write, so that a tree of 6000 files is not 18000 writes. */
const BUFFER_BYTES = 1024 * 1024;

/** A layer as it lies in a file. */
export interface WrittenLayer {
  /** sha256 of the tar, which is uncompressed, so that it is digest and OCI diff id in one. */
  readonly diffId: string;
  readonly sizeBytes: number;
  readonly inventory: readonly InventoryFile[];
}

/**
 * Writes planned entries as one uncompressed tar into `file`, which must not exist, and hashes on the way.
 *
 * Contents are streamed: memory stays at about a mebibyte whatever their size.
 * @throws {ImageError} CONTENT_SIZE_DIFFERS when a content is not as long as its entry says.
 */
export async function writeLayer(file: string, entries: readonly LayerEntry[]): Promise<WrittenLayer> {
  const handle = await open(file, 'wx', 0o600);
  try {
    const sink = new HashingSink(handle);
    const inventory: InventoryFile[] = [];
    for (const entry of entries) inventory.push(await writeEntry(sink, entry));
    await sink.write(Buffer.alloc(2 * BLOCK_BYTES));
    return { ...(await sink.end()), inventory };
  } finally {
    await handle.close();
  }
}

async function writeEntry(sink: HashingSink, entry: LayerEntry): Promise<InventoryFile> {
  await sink.write(encodeHeader(entry));
  if (entry.kind !== 'file') return toInventoryFile(entry, null);
  const hash = createHash('sha256');
  let written = 0;
  for await (const chunk of readContent(entry.content)) {
    written += chunk.byteLength;
    if (written > entry.sizeBytes) break;
    hash.update(chunk);
    await sink.write(chunk);
  }
  if (written !== entry.sizeBytes) {
    throw new ImageError('infrastructure', 'CONTENT_SIZE_DIFFERS', 'layer', {
      where: entry.path,
      expected: `${entry.sizeBytes} bytes`,
      actual: written > entry.sizeBytes ? 'more' : `${written} bytes`,
    });
  }
  await sink.write(padding(entry.sizeBytes));
  return toInventoryFile(entry, hash.digest('hex'));
}

function toInventoryFile(entry: LayerEntry, sha256: string | null): InventoryFile {
  const mode = entry.kind === 'symlink' ? 0o777 : entry.mode;
  return {
    path: entry.path,
    kind: entry.kind,
    mode: mode.toString(8).padStart(4, '0'),
    sizeBytes: entry.kind === 'file' ? entry.sizeBytes : 0,
    sha256,
    target: entry.kind === 'symlink' ? entry.target : null,
  };
}

/** Gathers, hashes and writes; what was hashed is exactly what was written. */
class HashingSink {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #used = 0;
  #sizeBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#used + chunk.byteLength > BUFFER_BYTES) await this.#flush();
    if (chunk.byteLength > BUFFER_BYTES) return this.#put(chunk);
    this.#buffer.set(chunk, this.#used);
    this.#used += chunk.byteLength;
  }

  async end(): Promise<{ readonly diffId: string; readonly sizeBytes: number }> {
    await this.#flush();
    return { diffId: this.#hash.digest('hex'), sizeBytes: this.#sizeBytes };
  }

  async #flush(): Promise<void> {
    await this.#put(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#sizeBytes += bytes.byteLength;
    for (let done = 0; done < bytes.byteLength; ) {
      const { bytesWritten } = await this.#handle.write(bytes, done);
      done += bytesWritten;
    }
  }
}
