import type { Header } from 'tar-stream';
import xz from 'xz-decompress';
import { ImageError } from './errors.ts';
import { walkTar } from './tar-reader.ts';

/** deb(5): a common ar archive, whose member headers have this length. */
const AR_MAGIC = '!<arch>\n';
const AR_HEADER_BYTES = 60;

/** An entry of a package's data tar; `path` without `./`. */
export type DebEntry =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly bytes: Buffer }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | { readonly kind: 'other'; readonly path: string };

/**
 * The entries of a Debian package's data archive that `wanted` picks by path, with contents in memory.
 *
 * @throws {ImageError} DEB_MALFORMED, DEB_COMPRESSION_UNSUPPORTED (only data.tar.xz is read); `where` is `name`.
 */
export async function readDeb(
  bytes: Buffer,
  name: string,
  wanted: (path: string) => boolean,
): Promise<readonly DebEntry[]> {
  const data = dataMember(bytes, name);
  const entries: DebEntry[] = [];
  try {
    await walkTar(decompress(data), async (header, content) => {
      const path = header.name.replace(/^\.\//u, '').replace(/\/$/u, '');
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) if (wanted(path)) chunks.push(chunk);
      if (wanted(path)) entries.push(toEntry(path, header, Buffer.concat(chunks)));
    });
  } catch (cause) {
    throw new ImageError('infrastructure', 'DEB_MALFORMED', 'package', { where: name, cause });
  }
  return entries;
}

/** The bytes of data.tar.xz. Member headers are plain text: name 16, …, size 10 at offset 48, end mark. */
function dataMember(bytes: Buffer, name: string): Buffer {
  const malformed = (expected: string, actual: string): ImageError =>
    new ImageError('infrastructure', 'DEB_MALFORMED', 'package', { where: name, expected, actual });
  if (bytes.toString('latin1', 0, AR_MAGIC.length) !== AR_MAGIC)
    throw malformed('an ar archive', 'another start');
  for (let offset = AR_MAGIC.length; offset < bytes.length; ) {
    const header = bytes.toString('latin1', offset, offset + AR_HEADER_BYTES);
    const size = /^(.{16}).{32}([0-9]+) *`\n$/su.exec(header);
    if (size === null) throw malformed('a member header', `other bytes at ${offset}`);
    const member = (size[1] ?? '').replace(/\/? *$/u, '');
    const start = offset + AR_HEADER_BYTES;
    const end = start + Number(size[2]);
    if (end > bytes.length) throw malformed('a whole member', `${member} cut short`);
    if (member === 'data.tar.xz') return bytes.subarray(start, end);
    if (member.startsWith('data.tar')) {
      throw new ImageError('infrastructure', 'DEB_COMPRESSION_UNSUPPORTED', 'package', {
        where: name,
        expected: 'data.tar.xz',
        actual: member,
      });
    }
    offset = end + (end % 2);
  }
  throw malformed('a member data.tar.xz', 'none');
}

function decompress(compressed: Buffer): AsyncIterable<Uint8Array> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(compressed);
      controller.close();
    },
  });
  return new xz.XzReadableStream(source);
}

function toEntry(path: string, header: Header, bytes: Buffer): DebEntry {
  switch (header.type) {
    case 'directory':
      return { kind: 'directory', path };
    case 'file':
      return { kind: 'file', path, mode: header.mode, bytes };
    case 'symlink':
      return { kind: 'symlink', path, target: header.linkname };
    default:
      return { kind: 'other', path };
  }
}
