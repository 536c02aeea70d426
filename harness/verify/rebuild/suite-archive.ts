import xz from 'xz-decompress';
import { ARCHIVES_PREFIX } from '../inputs/suite-archives.ts';
import { type TarEntry, walkStream, walkTar } from '../inputs/tar-walk.ts';
import { digestFile, readChunks } from '../read.ts';
import type { SuiteArchive } from '../shape/suite-archive.ts';
import { type TakeWhole, takeHashed } from './contents.ts';
import type { GivenArchive } from './given-archives.ts';

/** What an archive puts where, each in the words of `describeLine`; or why this reader cannot say. */
export type ArchiveFiles = ReadonlyMap<string, string> | string;

/**
 * The files and links of a suite's archive in an image, by path. `keep` is given each content.
 *
 * What this reader does not understand is not guessed at: it answers with a reason.
 */
export async function readSuiteArchive(
  archive: SuiteArchive,
  given: GivenArchive,
  keep: TakeWhole,
): Promise<ArchiveFiles> {
  const home = `${ARCHIVES_PREFIX}/${archive.name}`;
  if (archive.unpack === 'none') {
    const digest = digestFile(given.source, given.path);
    if (digest === null) return 'unreadable';
    return new Map([[home, `file 0555 ${digest.sizeBytes} ${digest.sha256}`]]);
  }
  const files = new Map<string, string>();
  const unpacked = new Map<string, string>();
  const visit = (entry: TarEntry): ReturnType<typeof takeHashed> | null => {
    const plain = toPlain(entry.path);
    const path = plain.split('/').slice(archive.strip).join('/');
    if (entry.kind === 'directory' || path === '') return null;
    const at = `${home}/${path}`;
    if (entry.kind === 'link') {
      const target = entry.isHardLink
        ? unpacked.get(toPlain(entry.linkTarget))
        : `symlink ${entry.linkTarget}`;
      files.set(at, target ?? 'a link to nothing');
      return null;
    }
    const mode = (entry.mode & 0o100) === 0 ? '0444' : '0555';
    return takeHashed((sha256, content) => {
      keep(sha256, content);
      const what = `file ${mode} ${content.length} ${sha256}`;
      files.set(at, what);
      unpacked.set(plain, what);
    });
  };
  const { fault } =
    archive.unpack === 'tar.xz'
      ? await walkStream(decompress(given), visit)
      : await walkTar(given.source, given.path, visit);
  return fault ?? files;
}

function toPlain(path: string): string {
  return path.replace(/^(?:\.\/)+/u, '').replace(/\/+$/u, '');
}

async function* decompress({ source, path }: GivenArchive): AsyncGenerator<Buffer, void, undefined> {
  const input = ReadableStream.from(readChunks(source, path));
  for await (const piece of new xz.XzReadableStream(input)) yield Buffer.from(piece);
}
