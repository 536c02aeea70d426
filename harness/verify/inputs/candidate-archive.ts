import { createHash, type Hash } from 'node:crypto';
import { once } from '../files/once.ts';
import type { FileSource } from '../files/source.ts';
import { type TakeContent, type TarEntry, walkTar } from './tar-walk.ts';

/** Size and digest of a content. */
export interface Content {
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface ArchiveFile extends TarEntry, Content {
  /** What npm makes of a bin whose first line ends in CRLF; null when it does not. */
  readonly unixForm: Content | null;
}

/** The candidate's archive as far as the verifier reads it. */
export interface CandidateArchive {
  readonly entries: readonly ArchiveFile[];
  /** Bytes of the last `package.json` at the top. */
  readonly packageJson: Buffer | null;
  /** Why the archive was not read to its end; null when it was. */
  readonly fault: string | null;
  readonly unpackedBytes: number;
}

/** npm looks at so much of a bin. Source: bin-links lib/fix-bin.js. */
const WINDOW_BYTES = 2048;
const CRLF_LINE = /^(#![^\n]+)\r\n/u;
/** A bin that would be rewritten is held in memory; a larger one is no script. */
const HELD_BYTES = 32 * 1024 * 1024;
const ENTRIES_LIMIT = 500_000;

/** Reads the archive once: every entry with its digest. */
export async function readCandidateArchive(source: FileSource, path: string): Promise<CandidateArchive> {
  return once(source.identity(path), 'archive', () => readArchive(source, path, null));
}

/** Takes every content that an install can make of a file, whole. */
export type TakeWhole = (sha256: string, content: Buffer) => void;

/** The same for any package's archive; `keep` is given each content, and where npm would rewrite it, that too. */
export async function readArchive(
  source: FileSource,
  path: string,
  keep: TakeWhole | null,
): Promise<CandidateArchive> {
  const entries: ArchiveFile[] = [];
  let packageJson: Buffer | null = null;
  let many = false;
  const walked = await walkTar(source, path, (entry) => {
    if (entries.length >= ENTRIES_LIMIT) many = true;
    if (many) return null;
    if (entry.kind !== 'file') {
      entries.push({ ...entry, sha256: '', unixForm: null });
      return null;
    }
    const isManifest = /^[^/]+\/package\.json$/u.test(entry.path);
    return takeFile(entry, isManifest || keep !== null, (file, content) => {
      entries.push(file);
      if (isManifest) packageJson = content;
      keep?.(file.sha256, content);
      const rewritten = keep === null ? null : toUnixBytes(content);
      if (rewritten !== null) keep?.(toContent(rewritten).sha256, rewritten);
    });
  });
  return { entries, packageJson, ...walked, fault: walked.fault ?? (many ? 'too many entries' : null) };
}

function takeFile(
  entry: TarEntry,
  keep: boolean,
  done: (file: ArchiveFile, content: Buffer) => void,
): TakeContent {
  const hash: Hash = createHash('sha256');
  let held: Buffer[] = [];
  let heldBytes = 0;
  let holds = true;
  return (piece) => {
    if (piece !== null) {
      hash.update(piece);
      if (!holds) return;
      held.push(piece);
      heldBytes += piece.length;
      if (keep || (mayBeCrlf(held, heldBytes) && heldBytes <= HELD_BYTES)) return;
      holds = false;
      held = [];
      return;
    }
    const content = Buffer.concat(held);
    const rewritten = holds ? toUnixBytes(content) : null;
    const unixForm = rewritten === null ? null : toContent(rewritten);
    done({ ...entry, sha256: hash.digest('hex'), unixForm }, content);
  };
}

function mayBeCrlf(held: readonly Buffer[], heldBytes: number): boolean {
  const head = Buffer.concat(held.slice(0, 8)).subarray(0, WINDOW_BYTES);
  if (heldBytes < WINDOW_BYTES) return '#!'.startsWith(head.toString('latin1', 0, 2));
  return CRLF_LINE.test(head.toString('utf8'));
}

/** Found in the window, replaced in the whole text, which goes through UTF-8. */
function toUnixBytes(bytes: Buffer): Buffer | null {
  if (bytes.length > HELD_BYTES) return null;
  if (!CRLF_LINE.test(bytes.subarray(0, WINDOW_BYTES).toString('utf8'))) return null;
  return Buffer.from(bytes.toString('utf8').replace(CRLF_LINE, '$1\n'), 'utf8');
}

function toContent(bytes: Buffer): Content {
  return { sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
