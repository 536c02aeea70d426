import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Header } from 'tar-stream';
import xz from 'xz-decompress';
import { isSystemError } from '../document/system-error.ts';
import { type ImageCode, ImageError } from './errors.ts';
import type { LayerEntry } from './layer-entry.ts';
import { readPinned } from './pinned-file.ts';
import type { Spool } from './spool.ts';
import type { SuiteArchive } from './suite-archive.ts';
import { walkTar } from './tar-reader.ts';

/** Unpacked bytes of one archive: programs of gigabytes are known, what is larger fills the disk of whoever replays. */
const UNPACKED_LIMIT_BYTES = 16 * 1024 ** 3;
/** Entries of one archive. */
const ENTRIES_LIMIT = 500_000;

/**
 * Files and links of a suite's tar below `prefix`, contents in the spool. A hard link is a file of its own. Nothing
 * is guessed at: what is neither file, folder nor link is refused, and so is a path that is not plain.
 *
 * @throws {ImageError} as `buildArchivesLayer`
 */
export async function unpackArchive(
  archive: SuiteArchive,
  prefix: string,
  spool: Spool,
): Promise<readonly LayerEntry[]> {
  const entries: LayerEntry[] = [];
  /** By path in the archive, for hard links, which name what came before them. */
  const files = new Map<string, Extract<LayerEntry, { readonly kind: 'file' }>>();
  let unpackedBytes = 0;
  let count = 0;
  const take = async (header: Header, content: AsyncIterable<Uint8Array>): Promise<void> => {
    count += 1;
    unpackedBytes += header.size ?? 0;
    if (count > ENTRIES_LIMIT || unpackedBytes > UNPACKED_LIMIT_BYTES) {
      const expected = `at most ${ENTRIES_LIMIT} entries and ${UNPACKED_LIMIT_BYTES} bytes`;
      throw refuse('ARCHIVE_TOO_LARGE', prefix, expected, 'more');
    }
    const plain = toPlainPath(header.name, prefix);
    const path = stripParts(plain, archive.strip);
    if (path === null || header.type === 'directory') {
      await drain(content);
      return;
    }
    const at = `${prefix}/${path}`;
    switch (header.type) {
      case 'file':
      case 'contiguous-file': {
        const file = { kind: 'file', path: at, mode: header.mode, ...(await spool.add(content)) } as const;
        files.set(plain, file);
        entries.push(file);
        return;
      }
      case 'symlink':
        await drain(content);
        entries.push({ kind: 'symlink', path: at, target: header.linkname });
        return;
      case 'link': {
        await drain(content);
        const target = files.get(toPlainPath(header.linkname, prefix));
        if (target === undefined) throw refuse('LINK_TARGET_INVALID', at, 'an earlier file', header.linkname);
        entries.push({ ...target, path: at });
        return;
      }
      default:
        throw refuse('ENTRY_KIND_FORBIDDEN', at, 'a file, a folder or a link', String(header.type));
    }
  };
  await walk(archive, take);
  return entries;
}

async function walk(archive: SuiteArchive, take: Parameters<typeof walkTar>[1]): Promise<void> {
  try {
    await walkTar(decompress(archive), take);
  } catch (cause) {
    if (cause instanceof ImageError || isSystemError(cause)) throw cause;
    throw new ImageError('usage', 'ARCHIVE_UNREADABLE', 'suite archive', {
      where: archive.name,
      expected: `a whole ${archive.unpack}`,
      actual: cause instanceof Error ? cause.message : 'something else',
      cause,
    });
  }
}

function decompress(archive: SuiteArchive): AsyncIterable<Uint8Array> {
  const bytes = readPinned(archive, archive.name);
  switch (archive.unpack) {
    case 'tar.gz':
      return gunzip(bytes);
    case 'tar.xz':
      return new xz.XzReadableStream(ReadableStream.from(bytes));
    default:
      return bytes;
  }
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const unpacked = createGunzip();
  const feeding = pipeline(Readable.from(bytes), unpacked);
  // Awaited below; without a handler here a failure while we iterate would end the process first.
  feeding.catch(() => undefined);
  for await (const piece of unpacked) if (piece instanceof Uint8Array) yield piece;
  await feeding;
}

/** The path of an entry without `./` at its start and a slash at its end; anything that could lead out is refused. */
function toPlainPath(name: string, prefix: string): string {
  const path = name.replace(/^(?:\.\/)+/u, '').replace(/\/+$/u, '');
  if (path.includes('\ufffd')) throw refuse('NAME_NOT_UTF8', prefix, 'a name in UTF-8', path);
  if (path === '' || path === '.') return '';
  const bad = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad) throw refuse('PATH_INVALID', prefix, 'a relative path without empty or dot parts', name);
  return path;
}

/** Null when nothing is left of it. */
function stripParts(path: string, strip: number): string | null {
  const rest = path.split('/').slice(strip).join('/');
  return rest === '' ? null : rest;
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _piece of content);
}

function refuse(code: ImageCode, where: string, expected: string, actual: string): ImageError {
  return new ImageError('usage', code, 'suite archive', { where, expected, actual });
}
