import { Transform, type TransformCallback } from 'node:stream';
import { DockerError } from './errors.ts';

const HEADER_BYTES = 8;

/**
 * Splits the engine's attach stream into the box's stdout (the readable side) and stderr (`onStderr`).
 *
 * Frames and chunks are unrelated: a header may be cut anywhere, and one frame may span many chunks. Payload
 * is passed on without copying. Back pressure of the readable side reaches the engine's socket, so that a
 * flood waits in the box. Format: Docker Engine API, "Stream format" of ContainerAttach: one byte stream
 * (0 stdin, 1 stdout, 2 stderr), three zero bytes, length as four bytes big-endian.
 * The stream fails with a `DockerError` ANSWER_INVALID on a header of any other form or a cut frame.
 */
export class AttachDemux extends Transform {
  readonly #onStderr: (bytes: Buffer) => void;
  #header: Buffer = Buffer.alloc(0);
  #kind = 0;
  #left = 0;

  constructor(onStderr: (bytes: Buffer) => void) {
    super();
    this.#onStderr = onStderr;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left === 0) {
        rest = this.#readHeader(rest);
        if (this.#kind > 2) {
          done(this.#invalid('a frame header'));
          return;
        }
        continue;
      }
      const payload = rest.subarray(0, this.#left);
      rest = rest.subarray(payload.length);
      this.#left -= payload.length;
      this.#deliver(payload);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    done(this.#left === 0 && this.#header.length === 0 ? null : this.#invalid('a whole frame'));
  }

  #readHeader(bytes: Buffer): Buffer {
    const missing = HEADER_BYTES - this.#header.length;
    this.#header = Buffer.concat([this.#header, bytes.subarray(0, missing)]);
    if (this.#header.length === HEADER_BYTES) {
      const reserved = this.#header.readUIntBE(1, 3);
      this.#kind = reserved === 0 ? this.#header.readUInt8(0) : 0xff;
      this.#left = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
    return bytes.subarray(missing);
  }

  #deliver(payload: Buffer): void {
    if (this.#kind === 2) {
      this.#onStderr(payload);
    } else {
      this.push(payload);
    }
  }

  #invalid(expected: string): DockerError {
    return new DockerError('ANSWER_INVALID', 'attach stream', {
      where: 'frame',
      expected,
      actual: 'another',
    });
  }
}
