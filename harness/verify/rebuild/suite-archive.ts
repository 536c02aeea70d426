import xz from 'xz-decompress';
import { ARCHIVES_PREFIX } from '../inputs/suite-archives.ts';
import { type TakeContent, type TarEntry, type Walked, walkStream, walkTar } from '../inputs/tar-walk.ts';
import { digestFile, readChunks } from '../read.ts';
import type { SuiteArchive } from '../shape/suite-archive.ts';
import { type ReadPieces, type TakeWhole, takeDigest, takeHashed } from './contents.ts';
import type { GivenArchive } from './given-archives.ts';

/** What an archive puts where, each in the words of `describeLine`; or why this reader cannot say. */
export type ArchiveFiles = ReadonlyMap<string, string> | string;

/** A larger file of an archive is read again from it when its layer is rebuilt: programs have gigabytes. */
const HELD_FILE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Takes contents: whole, or the way to one that is too large to be held. */
export interface TakeContents {
  readonly whole: TakeWhole;
  readonly large: (sha256: string, read: ReadPieces) => void;
}

/**
 * The files and links of a suite's archive in an image, by path. `keep` is given each content.
 *
 * What this reader does not understand is not guessed at: it answers with a reason.
 */
export async function readSuiteArchive(
  archive: SuiteArchive,
  given: GivenArchive,
  keep: TakeContents,
): Promise<ArchiveFiles> {
  const home = `${ARCHIVES_PREFIX}/${archive.name}`;
  if (archive.unpack === 'none') {
    const digest = digestFile(given.source, given.path);
    if (digest === null) return 'unreadable';
    keep.large(digest.sha256, async (use) => {
      for (const piece of readChunks(given.source, given.path)) use(piece);
    });
    return new Map([[home, `file 0555 ${digest.sizeBytes} ${digest.sha256}`]]);
  }
  const files = new Map<string, string>();
  const unpacked = new Map<string, string>();
  let position = -1;
  const visit = (entry: TarEntry): TakeContent | null => {
    position += 1;
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
    const note = (sha256: string): void => {
      const what = `file ${mode} ${entry.sizeBytes} ${sha256}`;
      files.set(at, what);
      unpacked.set(plain, what);
    };
    const own = position;
    if (entry.sizeBytes > HELD_FILE_LIMIT_BYTES) {
      return takeDigest((sha256) => {
        keep.large(sha256, (use) => readEntry(archive, given, { position: own, use }));
        note(sha256);
      });
    }
    return takeHashed((sha256, content) => {
      keep.whole(sha256, content);
      note(sha256);
    });
  };
  const { fault } = await walk(archive, given, visit);
  return fault ?? files;
}

/** The content of one entry; of an archive that changed meanwhile, other bytes or none. */
async function readEntry(
  archive: SuiteArchive,
  given: GivenArchive,
  { position, use }: { readonly position: number; readonly use: (piece: Buffer) => void },
): Promise<void> {
  let index = -1;
  await walk(archive, given, () => {
    index += 1;
    return index === position ? (piece) => piece !== null && use(piece) : null;
  });
}

function walk(
  archive: SuiteArchive,
  given: GivenArchive,
  visit: (entry: TarEntry) => TakeContent | null,
): Promise<Walked> {
  return archive.unpack === 'tar.xz'
    ? walkStream(decompress(given), visit)
    : walkTar(given.source, given.path, visit);
}

/** Empty for the top of the archive itself. */
function toPlain(path: string): string {
  const plain = path.replace(/^(?:\.\/)+/u, '').replace(/\/+$/u, '');
  return plain === '.' ? '' : plain;
}

async function* decompress({ source, path }: GivenArchive): AsyncGenerator<Buffer, void, undefined> {
  const input = ReadableStream.from(readChunks(source, path));
  for await (const piece of new xz.XzReadableStream(input)) yield Buffer.from(piece);
}
