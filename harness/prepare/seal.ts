import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ArchivesFolder } from './archives-folder.ts';
import { CANDIDATE_LIMIT_BYTES, parseCandidate, readCandidateFile } from './candidate.ts';
import type { CandidateSource } from './context-document.ts';
import { PrepareError } from './errors.ts';
import { fetchPackage } from './fetch.ts';
import type { ArchiveDigest } from './integrity.ts';
import { findPublished } from './published.ts';
import type { Registry } from './registry.ts';
import type { ArchiveShelf } from './shelf.ts';

/** An archive that was handed in: hashed and stored before anything looked into it. */
export interface SealedArchive {
  readonly source: CandidateSource;
  readonly digest: ArchiveDigest;
  /** The very bytes that were hashed. */
  readonly bytes: Buffer;
}

export interface SealRequest {
  /** A file, or `npm:name@version`. */
  readonly argument: string;
  /** Relative paths are taken from here. */
  readonly cwd: string;
  readonly shelf: ArchiveShelf;
  readonly folder: ArchivesFolder | null;
  readonly registry: Registry;
  readonly cacheFolder: string;
}

/**
 * Reads an archive once, hashes and stores it.
 *
 * @throws {PrepareError} CANDIDATE_*, INTEGRITY_*, and those of fetching
 */
export async function sealArchive(request: SealRequest): Promise<SealedArchive> {
  const parsed = parseCandidate(request.argument);
  if (parsed.kind === 'file') {
    const { fileName, bytes } = await readCandidateFile(resolve(request.cwd, parsed.path));
    const digest = await request.shelf.add(once(bytes), { label: fileName });
    return { source: { kind: 'file', fileName }, digest, bytes };
  }
  const { name, requested } = parsed;
  const reference = await findPublished({ ...request, name, requested });
  const digest = await fetchPackage(reference, request);
  if (digest.sizeBytes > CANDIDATE_LIMIT_BYTES) {
    throw new PrepareError('candidate', 'CANDIDATE_TOO_LARGE', 'candidate', {
      where: request.argument,
      expected: `at most ${CANDIDATE_LIMIT_BYTES} bytes`,
      actual: `${digest.sizeBytes} bytes`,
    });
  }
  const bytes = await readFile(request.shelf.path(digest.sha256));
  return { source: { kind: 'registry', name, requested, version: reference.version }, digest, bytes };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
