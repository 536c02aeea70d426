import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import { EvidenceError } from './errors.ts';

/** A file of the bundle as its index lists it. */
export interface BundleFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/**
 * The bundle while it is being written: a temporary sibling of the target that becomes the target by one
 * rename, so that half-written evidence never carries its final name.
 */
export class BundleFolder {
  readonly #target: string;
  readonly #temporary: string;
  readonly #files = new Map<string, BundleFile>();

  private constructor(target: string, temporary: string) {
    this.#target = target;
    this.#temporary = temporary;
  }

  /**
   * Starts the bundle of a run that will stand at `target`, an absolute path that is absent or an empty folder.
   *
   * @throws {EvidenceError} OUT_NOT_EMPTY, WRITE_FAILED
   */
  static async create(target: string, runId: string): Promise<BundleFolder> {
    await refuseNonEmpty(target);
    const temporary = partialOf(target, runId);
    try {
      await mkdir(dirname(target), { recursive: true });
      await mkdir(temporary, { mode: 0o700 });
    } catch (cause) {
      throw writeFailed(target, cause);
    }
    return new BundleFolder(target, temporary);
  }

  /** Every file written so far, in byte order of path. */
  files(): readonly BundleFile[] {
    return [...this.#files.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  }

  async writeDocument(path: string, value: unknown): Promise<BundleFile> {
    return this.writeBytes(path, toCanonicalBytes(value));
  }

  /** One canonical document a line, each line ended by LF; an empty list gives an empty file. */
  async writeLines(path: string, values: readonly unknown[]): Promise<BundleFile> {
    const lines = values.map((value) => `${toCanonicalBytes(value).toString('utf8')}\n`);
    return this.writeBytes(path, Buffer.from(lines.join(''), 'utf8'));
  }

  async writeBytes(path: string, bytes: Uint8Array): Promise<BundleFile> {
    const file = { path, sizeBytes: bytes.byteLength, sha256: sha256Hex(bytes) };
    await this.#claim(file, (absolute) => writeFile(absolute, bytes, { flag: 'wx' }));
    return file;
  }

  /** Copies a host file; the digest is taken from the copy, which is what the index must describe. */
  async copyFrom(path: string, source: string): Promise<BundleFile> {
    const absolute = join(this.#temporary, path);
    await this.#claim({ path, sizeBytes: 0, sha256: '' }, () => copyFile(source, absolute));
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of createReadStream(absolute)) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    const file = { path, sizeBytes, sha256: hash.digest('hex') };
    this.#files.set(path, file);
    return file;
  }

  /** Writes SHA256SUMS over everything else and gives the bundle its final name. */
  async close(): Promise<void> {
    const sums = this.files().map((file) => `${file.sha256}  ${file.path}\n`);
    await this.writeBytes('SHA256SUMS', Buffer.from(sums.join(''), 'utf8'));
    try {
      await syncFolder(this.#temporary);
      await rmdir(this.#target).catch(ignoreAbsent);
      await rename(this.#temporary, this.#target);
      await syncFolder(dirname(this.#target));
    } catch (cause) {
      throw writeFailed(this.#target, cause);
    }
  }

  /** Removes what was written; the target is untouched. */
  async abandon(): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true });
  }

  async #claim(file: BundleFile, write: (absolute: string) => Promise<void>): Promise<void> {
    if (this.#files.has(file.path)) {
      throw new EvidenceError('PATH_TAKEN', 'evidence file', { where: file.path });
    }
    const absolute = join(this.#temporary, file.path);
    try {
      await mkdir(dirname(absolute), { recursive: true });
      await write(absolute);
    } catch (cause) {
      throw writeFailed(file.path, cause);
    }
    this.#files.set(file.path, file);
  }
}

/** Where the bundle of a run stands until it is complete. */
export function partialOf(target: string, runId: string): string {
  return join(dirname(target), `.${basename(target)}.${runId}.partial`);
}

function writeFailed(where: string, cause: unknown): EvidenceError {
  const actual = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new EvidenceError('WRITE_FAILED', 'evidence', {
    where,
    expected: 'a writable place',
    actual,
    cause,
  });
}

/** @throws {EvidenceError} OUT_NOT_EMPTY */
export async function refuseNonEmpty(target: string): Promise<void> {
  const names = await readdir(target).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new EvidenceError('OUT_NOT_EMPTY', 'output folder', {
      where: target,
      expected: 'an empty or absent folder',
      actual: cause.code ?? cause.message,
      cause,
    });
  });
  if (names.length > 0) {
    throw new EvidenceError('OUT_NOT_EMPTY', 'output folder', {
      where: target,
      expected: 'an empty or absent folder',
      actual: `${names.length} entries`,
    });
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function ignoreAbsent(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'ENOENT') throw cause;
}
