import { AuditError } from '../errors.ts';
import { FindingList } from '../finding.ts';
import { type AuditLimits, DEFAULT_LIMITS } from '../limits.ts';
import type { ArchiveEntry } from './entry.ts';
import { unpackGzip } from './gzip.ts';
import { findRoot } from './names.ts';
import { walkTar } from './walk.ts';

/** A candidate's archive taken apart in memory. Nothing was written, and no link was followed. */
export interface OpenedArchive {
  /** The unpacked tar; entries point into it. */
  readonly tar: Buffer;
  /** In archive order, links and special files included. */
  readonly entries: readonly ArchiveEntry[];
  /** The single top folder, which is cut off at install; null when there is none. */
  readonly root: string | null;
  /** False when damage or a limit hid a part; `entries` then holds what came before. */
  readonly complete: boolean;
}

/**
 * Opens an archive and adds the faults of its frame to `findings`. Never throws on bad bytes.
 *
 * All bounds of `limits` hold before memory is taken.
 */
export function openArchive(
  bytes: Buffer,
  limits: AuditLimits = DEFAULT_LIMITS,
  findings: FindingList = new FindingList(),
): OpenedArchive {
  const unpacked = unpackGzip(bytes, limits, findings);
  if (unpacked.tar.length === 0 && !unpacked.complete) {
    return { tar: unpacked.tar, entries: [], root: null, complete: false };
  }
  const walk = walkTar(unpacked.tar, limits, unpacked.complete ? findings : new FindingList());
  return {
    tar: unpacked.tar,
    entries: walk.entries,
    root: findRoot(walk.entries),
    complete: unpacked.complete && walk.complete,
  };
}

/** Lists the entries of an archive in its own order, as far as it can be read. Findings are the audit's business. */
export function listEntries(bytes: Buffer, limits: AuditLimits = DEFAULT_LIMITS): readonly ArchiveEntry[] {
  return openArchive(bytes, limits, new FindingList()).entries;
}

/**
 * The content of a file entry, as a view into the unpacked tar.
 *
 * `path` is as spelled in the archive. Of several entries with that path the last is meant, as for npm.
 * @throws {AuditError} ENTRY_NOT_FOUND, ENTRY_NOT_A_FILE
 */
export function readEntry(archive: OpenedArchive, path: string): Buffer {
  const entry = archive.entries.findLast((candidate) => candidate.path === path);
  if (entry === undefined) throw new AuditError('ENTRY_NOT_FOUND', { where: path });
  if (entry.kind !== 'file') throw new AuditError('ENTRY_NOT_A_FILE', { where: path, actual: entry.kind });
  return readContent(archive, entry);
}

/** The bytes of an entry that the same archive listed. */
export function readContent(archive: OpenedArchive, entry: ArchiveEntry): Buffer {
  return archive.tar.subarray(entry.offset, entry.offset + entry.sizeBytes);
}
