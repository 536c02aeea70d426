import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Header } from 'tar-stream';
import { Fault } from '../../document/fault.ts';
import { isSystemError } from '../../document/system-error.ts';
import { ImageError, type RootfsCode } from '../errors.ts';
import type { LayerContent, LayerEntry } from '../layer-entry.ts';
import { walkTar } from '../tar-reader.ts';
import {
  ROOTFS_ENTRY_LIMIT,
  ROOTFS_HEADER_LIMIT_BYTES,
  ROOTFS_NAME_LIMIT_BYTES,
  ROOTFS_PATH_LIMIT_BYTES,
  ROOTFS_UNPACKED_LIMIT_BYTES,
} from './limits.ts';
import { isLeftOut, isReserved, MOUNT_PLACES, REAL_DIRECTORIES } from './places.ts';
import type { RootfsTree } from './tree.ts';

/** Where the content of a file is kept; it must be read to its end. */
export type KeepContent = (
  path: string,
  content: AsyncIterable<Uint8Array>,
) => Promise<{ readonly sizeBytes: number; readonly content: LayerContent }>;

export interface RootfsLimits {
  readonly entries: number;
  readonly unpackedBytes: number;
}

const LIMITS: RootfsLimits = { entries: ROOTFS_ENTRY_LIMIT, unpackedBytes: ROOTFS_UNPACKED_LIMIT_BYTES };

/**
 * Reads a root file system from a tar or tar.gz, in one pass, and refuses what no honest one holds.
 *
 * Owners, times, and setuid, setgid and sticky bits are dropped: every file of an image belongs to uid 0 at
 * time 0, and in a box without new privileges such bits have no effect. A hard link becomes a file of its own.
 * What lies below mount points, and files that packproof lays itself, are left out.
 * @throws {ImageError} ROOTFS_*, kind `usage`, with the path
 */
export async function readRootfs(
  source: AsyncIterable<Uint8Array>,
  keep: KeepContent,
  limits: RootfsLimits = LIMITS,
): Promise<RootfsTree> {
  const reader = new RootfsReader(keep, limits);
  try {
    await walkTar(reader.guard(await inflate(source)), (header, content) => reader.take(header, content));
  } catch (cause) {
    // What the source or the disk says passes; what is left is the reader's word about the bytes.
    throw cause instanceof Fault || isSystemError(cause) ? cause : unreadable(cause);
  }
  return reader.finish();
}

function unreadable(cause: unknown): ImageError {
  return refusal('ROOTFS_UNREADABLE', 'archive', {
    expected: 'a whole tar or tar.gz',
    actual: cause instanceof Error ? cause.message : 'something else',
    cause,
  });
}

/** Magic numbers of packings that people hand in; only gzip is undone. */
const GZIP = Buffer.from([0x1f, 0x8b]);
const OTHERS: Readonly<Record<string, Buffer>> = {
  xz: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  bzip2: Buffer.from('BZh'),
};

/** As many bytes as the longest of them has. */
const MAGIC_BYTES = 5;

async function inflate(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < MAGIC_BYTES) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const whole = async function* (): AsyncIterable<Uint8Array> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  for (const [name, magic] of Object.entries(OTHERS)) {
    if (start.subarray(0, magic.length).equals(magic)) {
      throw refusal('ROOTFS_COMPRESSION', 'archive', { expected: 'a tar or tar.gz', actual: name });
    }
  }
  if (!start.subarray(0, GZIP.length).equals(GZIP)) return whole();
  const raw = Readable.from(whole());
  const plain = createGunzip();
  raw.on('error', (error) => plain.destroy(error));
  return raw.pipe(plain);
}

class RootfsReader {
  readonly #keep: KeepContent;
  readonly #limits: RootfsLimits;
  readonly #entries = new Map<string, LayerEntry>();
  /** Every path seen, left-out ones too, so that no later entry can stand in for an earlier one. */
  readonly #seen = new Map<string, LayerEntry['kind']>();
  #count = 0;
  #unpackedBytes = 0;
  #fedBytes = 0;
  /** What may be fed until the next entry has to have come. */
  #feedLimit = ROOTFS_HEADER_LIMIT_BYTES;

  constructor(keep: KeepContent, limits: RootfsLimits) {
    this.#keep = keep;
    this.#limits = limits;
  }

  async *guard(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of source) {
      this.#fedBytes += chunk.byteLength;
      if (this.#fedBytes - chunk.byteLength > this.#feedLimit) {
        throw refusal('ROOTFS_HEADER_TOO_LARGE', 'archive', {
          expected: `at most ${ROOTFS_HEADER_LIMIT_BYTES} bytes between entries`,
          actual: 'more',
        });
      }
      yield chunk;
    }
  }

  async take(header: Header, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = toPath(header.name);
    this.#count += 1;
    this.#unpackedBytes += header.size ?? 0;
    this.#feedLimit = this.#fedBytes + (header.size ?? 0) + ROOTFS_HEADER_LIMIT_BYTES;
    this.#checkSize(path);
    const entry = path === '' ? null : await this.#toEntry(path, header, content);
    for await (const _rest of content) {
      // Left out: read past.
    }
    if (entry !== null) this.#entries.set(path, entry);
  }

  finish(): RootfsTree {
    if (this.#entries.size === 0) {
      throw refusal('ROOTFS_EMPTY', 'archive', { expected: 'a root file system', actual: 'no files' });
    }
    for (const path of this.#seen.keys()) this.#checkParents(path);
    this.#checkPlaces();
    return this.#entries;
  }

  #checkSize(path: string): void {
    const { entries, unpackedBytes } = this.#limits;
    if (this.#count > entries) {
      throw refusal('ROOTFS_TOO_LARGE', path, { expected: `at most ${entries} entries`, actual: 'more' });
    }
    if (this.#unpackedBytes > unpackedBytes) {
      throw refusal('ROOTFS_TOO_LARGE', path, {
        expected: `at most ${unpackedBytes} bytes`,
        actual: 'more',
      });
    }
  }

  /** Null for what is left out. */
  async #toEntry(
    path: string,
    header: Header,
    content: AsyncIterable<Uint8Array>,
  ): Promise<LayerEntry | null> {
    if (isReserved(path)) {
      throw refusal('ROOTFS_RESERVED', path, {
        expected: 'nothing: packproof lays this',
        actual: 'an entry',
      });
    }
    // A mount covers what lies below it, device nodes of a whole system's /dev among them.
    const leftOut = isLeftOut(path);
    const mode = header.mode & 0o777;
    switch (header.type) {
      case 'directory':
        return this.#admit(path, { kind: 'directory', path, mode }, leftOut);
      case 'symlink':
        return this.#admit(path, { kind: 'symlink', path, target: header.linkname ?? '' }, leftOut);
      case 'file':
        return this.#admit(
          path,
          leftOut
            ? { kind: 'file', path, mode, sizeBytes: 0, content: Buffer.alloc(0) }
            : { kind: 'file', path, mode, ...(await this.#keep(path, content)) },
          leftOut,
        );
      case 'link':
        return this.#admit(path, this.#linked(path, header, leftOut), leftOut);
      default:
        if (leftOut) return null;
        throw refusal(isDevice(header) ? 'ROOTFS_DEVICE' : 'ROOTFS_KIND', path, {
          expected: 'a file, a directory or a link',
          actual: String(header.type ?? 'an unknown kind'),
        });
    }
  }

  #admit(path: string, entry: LayerEntry, leftOut: boolean): LayerEntry | null {
    const known = this.#seen.get(path);
    if (known !== undefined && (known !== 'directory' || entry.kind !== 'directory')) {
      throw refusal('ROOTFS_DUPLICATE', path, {
        expected: 'one entry a path',
        actual: `${known}, ${entry.kind}`,
      });
    }
    this.#seen.set(path, entry.kind);
    return leftOut ? null : entry;
  }

  /** A copy of the file that a hard link names, which must be an earlier file of this archive. */
  #linked(path: string, header: Header, leftOut: boolean): LayerEntry {
    const target = header.linkname ?? '';
    const file = this.#entries.get(toLinkTarget(target, path));
    if (file?.kind === 'file') return { ...file, path };
    if (leftOut) return { kind: 'file', path, mode: 0o644, sizeBytes: 0, content: Buffer.alloc(0) };
    throw refusal('ROOTFS_HARD_LINK', path, {
      expected: 'a hard link to an earlier file of this archive',
      actual: target,
    });
  }

  /** An entry below a link or a file would land elsewhere, depending on who unpacks. */
  #checkParents(path: string): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      const kind = this.#seen.get(parent) ?? 'directory';
      if (kind === 'directory') continue;
      throw refusal('ROOTFS_THROUGH_LINK', path, {
        expected: 'a directory above',
        actual: `${kind} ${parent}`,
      });
    }
  }

  #checkPlaces(): void {
    const refuseOther = (code: RootfsCode, place: string, expected: string): void => {
      const kind = this.#seen.get(place) ?? 'directory';
      if (kind !== 'directory') throw refusal(code, place, { expected, actual: kind });
    };
    for (const place of MOUNT_PLACES) {
      refuseOther('ROOTFS_MOUNT_POINT', place, 'a directory: a box mounts here');
    }
    for (const place of REAL_DIRECTORIES) {
      refuseOther('ROOTFS_RESERVED', place, 'a directory: packproof lays files below it');
    }
  }
}

function isDevice(header: Header): boolean {
  return header.type === 'character-device' || header.type === 'block-device';
}

/** The path of an entry without `./` before and `/` after it; empty for the root itself. */
function toPath(name: string): string {
  const path = name.replace(/^(?:\.\/+)+/u, '').replace(/\/+$/u, '');
  if (path === '' || path === '.') {
    if (name.startsWith('/')) throw pathRefusal(name, 'an absolute path');
    return '';
  }
  const parts = path.split('/');
  if (path.startsWith('/')) throw pathRefusal(name, 'an absolute path');
  if (parts.includes('..')) throw pathRefusal(name, 'a path with ..');
  if (parts.some((part) => part === '' || part === '.')) throw pathRefusal(name, 'an empty or dot part');
  if (path.includes('\0')) throw pathRefusal(name, 'a zero byte');
  // The reader puts this character where bytes are no UTF-8.
  if (path.includes('\u{fffd}')) {
    throw refusal('ROOTFS_NAME_NOT_UTF8', path, { expected: 'a name in UTF-8', actual: 'other bytes' });
  }
  const tooLong = parts.some((part) => Buffer.byteLength(part) > ROOTFS_NAME_LIMIT_BYTES);
  if (tooLong || Buffer.byteLength(path) > ROOTFS_PATH_LIMIT_BYTES) {
    throw refusal('ROOTFS_PATH_TOO_LONG', path.slice(0, ROOTFS_NAME_LIMIT_BYTES), {
      expected: `at most ${ROOTFS_NAME_LIMIT_BYTES} bytes a part and ${ROOTFS_PATH_LIMIT_BYTES} in all`,
      actual: `${Buffer.byteLength(path)} bytes`,
    });
  }
  return path;
}

function toLinkTarget(target: string, path: string): string {
  try {
    return toPath(target);
  } catch (cause) {
    throw refusal('ROOTFS_HARD_LINK', path, {
      expected: 'a hard link to an earlier file of this archive',
      actual: target,
      cause,
    });
  }
}

function pathRefusal(name: string, actual: string): ImageError {
  return refusal('ROOTFS_PATH', name, { expected: 'a relative path without empty or dot parts', actual });
}

function refusal(
  code: RootfsCode,
  where: string,
  details: { readonly expected: string; readonly actual: string; readonly cause?: unknown },
): ImageError {
  return new ImageError('usage', code, 'root file system', { where, ...details });
}
