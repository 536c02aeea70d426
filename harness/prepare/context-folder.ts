import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { toCanonicalBytes } from '../document/canonical.ts';
import { sha256Hex } from '../document/digest.ts';
import type { ContextDocument, ContextFile } from './context-document.ts';
import { guardDisk } from './disk.ts';
import { errnoOf, PrepareError } from './errors.ts';

/** Where the archives of a context lie. */
export const ARCHIVES_PATH = join('archives', 'sha256');

/** A file of a context, by its path with forward slashes. */
export interface ContextContent {
  readonly path: string;
  readonly bytes: Buffer;
}

const PARTIAL = /^\..+\.([0-9a-f]{12})-(\d+)-[0-9a-f-]{36}\.partial$/u;

/** Process ids mean something only on one machine, between two starts of it. */
function hostMark(): string {
  return sha256Hex(Buffer.from(`${hostname()} ${bootId()}`)).slice(0, 12);
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  } catch {
    return '';
  }
}

/** Removes what a killed prepare of this machine left beside the place that is written to now. */
async function sweepPartial(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, mark, pid] = PARTIAL.exec(name) ?? [];
    if (mark !== hostMark() || isAlive(Number(pid))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

/**
 * A context while it is written: a sibling of the place asked for, which gets its name when it is complete.
 * So a folder at `--out` is a whole context or none.
 */
export class ContextDraft {
  /** Absolute path of the unfinished folder. */
  readonly folder: string;
  readonly #out: string;

  private constructor(out: string) {
    this.#out = out;
    const name = `.${basename(out)}.${hostMark()}-${process.pid}-${randomUUID()}.partial`;
    this.folder = join(dirname(out), name);
  }

  /**
   * Begins a context at `out`, which must be absent or an empty folder. `announce` is told of the unfinished
   * folder before it is made, so that somebody can remove it after a crash.
   *
   * @throws {PrepareError} OUT_NOT_EMPTY, OUT_NOT_WRITABLE, DISK_FULL
   */
  static async begin(
    out: string,
    announce: (folder: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<ContextDraft> {
    const draft = new ContextDraft(resolve(out));
    await draft.#requireEmpty();
    await announce(draft.folder);
    await draft.#guard(() => mkdir(join(draft.folder, ARCHIVES_PATH), { recursive: true }));
    await sweepPartial(dirname(draft.folder));
    return draft;
  }

  get archivesFolder(): string {
    return join(this.folder, ARCHIVES_PATH);
  }

  /** Writes a file and describes it for `context.json`. */
  async write(content: ContextContent): Promise<ContextFile> {
    const target = join(this.folder, content.path);
    await this.#guard(async () => {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content.bytes, { flag: 'wx' });
    });
    return { path: content.path, sizeBytes: content.bytes.length, sha256: sha256Hex(content.bytes) };
  }

  /** Writes (or replaces) `context.json`; resolves with the sha256 of its bytes. */
  async writeDocument(document: ContextDocument): Promise<string> {
    const bytes = toCanonicalBytes(document);
    await this.#guard(() => writeFile(join(this.folder, 'context.json'), bytes));
    return sha256Hex(bytes);
  }

  /** Gives the folder its name. Resolves with its absolute path. */
  async finish(): Promise<string> {
    await this.#requireEmpty();
    await this.#guard(async () => {
      // An empty folder may be there already; rename(2) replaces it on the same file system only if empty.
      await rmdir(this.#out).catch((error: unknown) => {
        if (errnoOf(error) !== 'ENOENT') throw error;
      });
      await rename(this.folder, this.#out);
    });
    return this.#out;
  }

  /** Removes what was written, when it did not get its name. */
  async discard(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #requireEmpty(): Promise<void> {
    const names = await readdir(this.#out).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return [];
      throw new PrepareError('usage', 'OUT_NOT_EMPTY', 'output folder', {
        where: this.#out,
        expected: 'an empty folder or nothing',
        actual: errnoOf(error) ?? 'something else',
        cause: error,
      });
    });
    if (names.length === 0) return;
    throw new PrepareError('usage', 'OUT_NOT_EMPTY', 'output folder', {
      where: this.#out,
      expected: 'an empty folder or nothing',
      actual: `${names.length} entries`,
    });
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await guardDisk(this.#out, work);
    } catch (error) {
      if (!(error instanceof PrepareError) || error.code !== 'STORE_UNUSABLE') throw error;
      throw new PrepareError('usage', 'OUT_NOT_WRITABLE', 'output folder', {
        where: this.#out,
        expected: 'a writable place',
        actual: errnoOf(error.cause) ?? 'an error',
        cause: error,
      });
    }
  }
}
