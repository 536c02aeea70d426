import { createHash, type Hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StreamName } from '../engine/engine.ts';
import type { StreamObservation } from '../suite/observation.ts';
import { RunError } from './errors.ts';
import { KEPT_BYTES_LIMIT } from './limits.ts';

/** Where the kept bytes of a step lie; null for a stream of which no byte was kept. Absolute host paths. */
export interface SpooledStep {
  readonly index: number;
  readonly name: string;
  readonly stdout: string | null;
  readonly stderr: string | null;
}

/**
 * One output stream on its way to disk: counted and hashed in full, kept up to the limit.
 *
 * Writes are synchronous on purpose: while one is under way nothing more is read from the box, so memory
 * stays flat however fast a candidate prints. The file appears with its first byte.
 */
export class StreamSpool {
  readonly stream: StreamName;
  readonly #file: string;
  readonly #keptLimit: number;
  readonly #total: Hash = createHash('sha256');
  #keptSha256: string | null = null;
  #descriptor: number | null = null;
  #written = false;
  #totalBytes = 0;
  #keptBytes = 0;
  #lastByteAtMs: number | null = null;
  #eofSeen = false;

  constructor(stream: StreamName, file: string, keptLimit: number = KEPT_BYTES_LIMIT) {
    this.stream = stream;
    this.#file = file;
    this.#keptLimit = keptLimit;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  get eofSeen(): boolean {
    return this.#eofSeen;
  }

  /** The file of the kept bytes, null when there are none. */
  get file(): string | null {
    return this.#written ? this.#file : null;
  }

  /** @throws {RunError} SPOOL_FAILED when the host's disk does not take the bytes. */
  take(bytes: Buffer, atMs: number): void {
    if (bytes.length === 0) return;
    const room = this.#keptLimit - this.#keptBytes;
    const kept = bytes.length <= room ? bytes : bytes.subarray(0, room);
    if (kept.length > 0) {
      this.#keep(kept);
      this.#total.update(kept);
    }
    if (kept.length < bytes.length) {
      this.#keptSha256 ??= this.#total.copy().digest('hex');
      this.#total.update(bytes.subarray(kept.length));
    }
    this.#totalBytes += bytes.length;
    this.#lastByteAtMs = atMs;
  }

  markEof(): void {
    this.#eofSeen = true;
  }

  /** Closes the file and says what was seen. Call it once, after the last byte. */
  finish(): StreamObservation {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
    const totalSha256 = this.#total.digest('hex');
    return {
      totalBytes: this.#totalBytes,
      keptBytes: this.#keptBytes,
      totalSha256,
      keptSha256: this.#keptSha256 ?? totalSha256,
      truncated: this.#keptBytes < this.#totalBytes,
      eofSeen: this.#eofSeen,
      lastByteAtMs: this.#lastByteAtMs,
    };
  }

  #keep(bytes: Buffer): void {
    try {
      this.#descriptor ??= this.#open();
      for (let offset = 0; offset < bytes.length; ) {
        offset += writeSync(this.#descriptor, bytes, offset);
      }
    } catch (cause) {
      throw new RunError('SPOOL_FAILED', 'spool of raw bytes', { where: this.#file, cause });
    }
    this.#keptBytes += bytes.length;
  }

  #open(): number {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(this.#file, 'wx', 0o600);
    this.#written = true;
    return descriptor;
  }
}
