import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LayerContent } from './layer-entry.ts';

/** A run of bytes in a spool; `content` can be read as long as the spool is open. */
export interface SpooledBytes {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly content: LayerContent;
}

const READ_BYTES = 1024 * 1024;

/**
 * One temporary file that holds the contents of many, because a layer is written in byte order of path while
 * archives and boxes give their files in an order of their own, once.
 */
export class Spool {
  readonly #file: string;
  readonly #handle: FileHandle;
  #end = 0;

  private constructor(file: string, handle: FileHandle) {
    this.#file = file;
    this.#handle = handle;
  }

  /** Opens a spool in `folder`, which must be private to this user. */
  static async open(folder: string): Promise<Spool> {
    const file = join(folder, `${randomUUID()}.part`);
    return new Spool(file, await open(file, 'wx+', 0o600));
  }

  /** Appends a content to its end. One at a time. */
  async add(source: AsyncIterable<Uint8Array>): Promise<SpooledBytes> {
    const hash = createHash('sha256');
    const start = this.#end;
    for await (const chunk of source) {
      hash.update(chunk);
      for (let done = 0; done < chunk.byteLength; ) {
        const { bytesWritten } = await this.#handle.write(chunk, done, chunk.byteLength - done, this.#end);
        done += bytesWritten;
        this.#end += bytesWritten;
      }
    }
    const end = this.#end;
    return { sizeBytes: end - start, sha256: hash.digest('hex'), content: () => this.#read(start, end) };
  }

  /** Closes and removes the file. Idempotent enough for a `finally`. */
  async dispose(): Promise<void> {
    await this.#handle.close();
    await rm(this.#file, { force: true });
  }

  async *#read(start: number, end: number): AsyncIterable<Buffer> {
    for (let position = start; position < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}
