import xz from 'xz-decompress';
import { type TarEntry, walkStream } from '../inputs/tar-walk.ts';
import { readBytes } from '../read.ts';
import { sha256Of } from './contents.ts';
import type { GivenArchive } from './given-archives.ts';

/** A package of the base is a few megabytes. */
const PACKAGE_LIMIT_BYTES = 256 * 1024 * 1024;
const AR_MAGIC = '!<arch>\n';
const AR_HEADER_BYTES = 60;

/** A file or link of a package; `path` as the package has it, without `./`. */
export interface DebianFile {
  readonly path: string;
  readonly kind: 'file' | 'link';
  readonly mode: number;
  readonly content: Buffer;
  readonly target: string;
}

/**
 * Files and links of a Debian package, or why it cannot be read.
 *
 * Source: deb(5), a common ar archive with a member data.tar.xz.
 */
export async function readDebianPackage({
  source,
  path,
}: GivenArchive): Promise<readonly DebianFile[] | string> {
  const bytes = readBytes(source, path, PACKAGE_LIMIT_BYTES);
  const data = bytes === null ? null : dataMember(bytes);
  if (data === null) return 'it is no Debian package with a data.tar.xz';
  const files: DebianFile[] = [];
  const { fault } = await walkStream(decompress(data), (entry) => {
    const plain = entry.path.replace(/^\.\//u, '').replace(/\/$/u, '');
    if (entry.kind === 'link')
      files.push(toFile(entry, plain, { content: Buffer.alloc(0), target: entry.linkTarget }));
    if (entry.kind !== 'file') return null;
    const pieces: Buffer[] = [];
    return (piece) => {
      if (piece !== null) pieces.push(piece);
      else files.push(toFile(entry, plain, { content: Buffer.concat(pieces), target: '' }));
    };
  });
  return fault ?? files;
}

function toFile(
  { kind, mode }: TarEntry,
  path: string,
  rest: { readonly content: Buffer; readonly target: string },
): DebianFile {
  return { path, kind: kind === 'file' ? 'file' : 'link', mode, ...rest };
}

/** Digest and image mode of a file, as an inventory has them. */
export function describeFile({ mode, content }: DebianFile): string {
  return `file ${(mode & 0o100) === 0 ? '0644' : '0755'} ${content.length} ${sha256Of(content)}`;
}

/** Member headers are plain text: name 16 bytes, …, size 10 at offset 48, end mark. */
function dataMember(bytes: Buffer): Buffer | null {
  if (bytes.toString('latin1', 0, AR_MAGIC.length) !== AR_MAGIC) return null;
  for (let offset = AR_MAGIC.length; offset < bytes.length; ) {
    const header = bytes.toString('latin1', offset, offset + AR_HEADER_BYTES);
    const [, name = '', size = ''] = /^(.{16}).{32}([0-9]+) *`\n$/su.exec(header) ?? [];
    const start = offset + AR_HEADER_BYTES;
    const end = start + Number(size);
    if (size === '' || end > bytes.length) return null;
    if (name.replace(/\/? *$/u, '') === 'data.tar.xz') return bytes.subarray(start, end);
    offset = end + (end % 2);
  }
  return null;
}

async function* decompress(compressed: Buffer): AsyncGenerator<Buffer, void, undefined> {
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(compressed);
      controller.close();
    },
  });
  for await (const piece of new xz.XzReadableStream(input)) yield Buffer.from(piece);
}
