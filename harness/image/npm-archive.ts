import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Parser, type ReadEntry } from 'tar';
import { isSystemError } from '../document/system-error.ts';
import { ImageError } from './errors.ts';
import { type PinnedFile, readPinned } from './pinned-file.ts';

/** Size and digest of a content. */
export interface ContentDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** An entry of a package's archive as npm's own reader sees it, in archive order. */
export interface ArchiveEntry extends ContentDigest {
  /** As written in the archive, first part included. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly mode: number;
  readonly target: string | null;
  /** What the content becomes when npm rewrites a CRLF hashbang line; null when it has none. */
  readonly unixForm: ContentDigest | null;
}

/** A package's archive, read. `packageJson` holds the bytes of the last `package.json` at its top. */
export interface ReadArchive {
  readonly entries: readonly ArchiveEntry[];
  readonly packageJson: Buffer | null;
}

/** bin-links reads this much of a bin when it looks for a CRLF hashbang (bin-links lib/fix-bin.js). */
const HASHBANG_WINDOW_BYTES = 2048;
const CRLF_HASHBANG = /^(#![^\n]+)\r\n/u;

/**
 * Calls `visit` for every entry in turn; an unread content is skipped.
 *
 * The reader is the `tar` package with npm's own options, on purpose: an archive that two readers understand
 * differently must be understood here as the installer does. (The audit walks the raw blocks itself.)
 * @throws {ImageError} ARCHIVE_DIGEST_DIFFERS, ARCHIVE_UNREADABLE; `where` is `name`.
 */
export async function walkArchive(
  pinned: PinnedFile,
  name: string,
  visit: (entry: ReadEntry) => Promise<void>,
): Promise<void> {
  const parser = new Parser({});
  const source = Readable.from(readPinned(pinned, name), { objectMode: false });
  let failure: unknown;
  let visits: Promise<void> = Promise.resolve();
  const ended = new Promise<void>((resolve) => {
    const fail = (cause: unknown): void => {
      failure ??= cause;
      source.destroy();
      resolve();
    };
    parser.on('entry', (entry: ReadEntry) => {
      const visited = async (): Promise<void> => (failure === undefined ? visit(entry) : undefined);
      visits = visits.then(visited).then(() => void entry.resume(), fail);
    });
    parser.once('end', resolve);
    parser.once('error', fail);
    source.once('error', fail);
    source.pipe(parser);
  });
  await ended;
  await visits;
  if (failure instanceof ImageError || isSystemError(failure)) throw failure;
  if (failure !== undefined) {
    throw new ImageError('candidate', 'ARCHIVE_UNREADABLE', 'archive', { where: name, cause: failure });
  }
}

/** Lists a package's archive with digests, contents dropped. Errors as in `walkArchive`. */
export async function readArchive(pinned: PinnedFile, name: string): Promise<ReadArchive> {
  const entries: ArchiveEntry[] = [];
  let packageJson: Buffer | null = null;
  await walkArchive(pinned, name, async (entry) => {
    const keep = isTopPackageJson(entry.path);
    const { digest, kept } = await digestEntry(entry, keep);
    entries.push(digest);
    if (keep && digest.kind === 'file') packageJson = kept;
  });
  return { entries, packageJson };
}

function isTopPackageJson(path: string): boolean {
  return /^[^/]+\/package\.json$/u.test(path);
}

/** A content is held only while its first line may turn out to be a CRLF hashbang, and then whole. */
async function digestEntry(entry: ReadEntry, keep: boolean): Promise<{ digest: ArchiveEntry; kept: Buffer }> {
  const hash = createHash('sha256');
  let chunks: Buffer[] = [];
  let head = Buffer.alloc(0);
  let sizeBytes = 0;
  let hold = true;
  for await (const chunk of entry) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    if (hold && head.length < HASHBANG_WINDOW_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HASHBANG_WINDOW_BYTES - head.length)]);
      hold = mayBeCrlfHashbang(head);
    }
    if (hold || keep) chunks.push(chunk);
    else chunks = [];
  }
  const kept = Buffer.concat(chunks);
  const digest: ArchiveEntry = {
    path: entry.path,
    kind: kindOf(entry.type),
    mode: (entry.mode ?? 0o666) & 0o7777,
    sizeBytes,
    sha256: hash.digest('hex'),
    target: entry.linkpath ?? null,
    unixForm: hold ? toUnixForm(kept) : null,
  };
  return { digest, kept };
}

function mayBeCrlfHashbang(head: Buffer): boolean {
  if (CRLF_HASHBANG.test(head.toString('utf8'))) return true;
  return head.length < HASHBANG_WINDOW_BYTES && '#!'.startsWith(head.toString('latin1', 0, 2));
}

/** pacote tells kinds by the end of the type's name (lib/fetcher.js). */
function kindOf(type: string): ArchiveEntry['kind'] {
  if (type.endsWith('File')) return 'file';
  if (type.endsWith('Link')) return 'link';
  return /Directory|GNUDumpDir/u.test(type) ? 'directory' : 'other';
}

/**
 * Exactly what bin-links writes: found in the first 2048 bytes, replaced in the whole text, which goes
 * through UTF-8, so that invalid bytes become U+FFFD.
 */
function toUnixForm(bytes: Buffer): ContentDigest | null {
  if (!CRLF_HASHBANG.test(bytes.subarray(0, HASHBANG_WINDOW_BYTES).toString('utf8'))) return null;
  const text = Buffer.from(bytes.toString('utf8').replace(CRLF_HASHBANG, '$1\n'), 'utf8');
  return { sizeBytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}
