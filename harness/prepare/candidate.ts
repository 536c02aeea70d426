import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import npa from 'npm-package-arg';
import { errnoOf, PrepareError } from './errors.ts';

/** Packed size. npm's own registry refuses far less; more cannot be audited in memory. */
export const CANDIDATE_LIMIT_BYTES = 256 * 1024 ** 2;

/** Where a candidate comes from, as the person wrote it. */
export type CandidateRequest =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'registry'; readonly name: string; readonly requested: string };

const REGISTRY_PREFIX = 'npm:';

/**
 * Reads the CANDIDATE argument: a path, or `npm:name`, `npm:name@1.2.3`, `npm:name@tag`.
 *
 * Ranges, aliases, folders and remote sources are refused: a run must name one archive.
 * @throws {PrepareError} CANDIDATE_SPEC_INVALID
 */
export function parseCandidate(argument: string): CandidateRequest {
  if (!argument.startsWith(REGISTRY_PREFIX)) {
    if (argument === '') refuseSpec(argument);
    return { kind: 'file', path: argument };
  }
  const text = argument.slice(REGISTRY_PREFIX.length);
  const spec = parseSpec(text, argument);
  const name = spec.name;
  if (name === null || name === undefined || !spec.registry) refuseSpec(argument);
  if (text === name) return { kind: 'registry', name, requested: 'latest' };
  if (spec.type !== 'version' && spec.type !== 'tag') refuseSpec(argument);
  return { kind: 'registry', name, requested: spec.fetchSpec ?? 'latest' };
}

function parseSpec(text: string, argument: string): ReturnType<typeof npa> {
  try {
    return npa(text);
  } catch {
    return refuseSpec(argument);
  }
}

function refuseSpec(argument: string): never {
  throw new PrepareError('usage', 'CANDIDATE_SPEC_INVALID', 'candidate', {
    where: argument,
    expected: 'a .tgz file, or npm:name@version with an exact version or a tag',
    actual: argument,
  });
}

/** A candidate's bytes as read once, and the last part of the path they came from. */
export interface CandidateFile {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/**
 * Reads a candidate file whole, once, without waiting on a pipe.
 *
 * @throws {PrepareError} CANDIDATE_MISSING, CANDIDATE_IS_FOLDER, CANDIDATE_NOT_REGULAR, CANDIDATE_TOO_LARGE
 */
export async function readCandidateFile(
  path: string,
  limitBytes: number = CANDIDATE_LIMIT_BYTES,
): Promise<CandidateFile> {
  const handle = await openCandidate(path);
  try {
    await checkKind(handle, path, limitBytes);
    return { fileName: basename(path), bytes: await readBounded(handle, path, limitBytes) };
  } finally {
    await handle.close();
  }
}

async function openCandidate(path: string): Promise<FileHandle> {
  try {
    // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error) ?? 'unknown';
    // A socket or a device without a driver cannot be opened at all.
    const code = errno === 'ENXIO' || errno === 'ENODEV' ? 'CANDIDATE_NOT_REGULAR' : 'CANDIDATE_MISSING';
    throw new PrepareError('usage', code, 'candidate', {
      where: path,
      expected: 'a readable .tgz file',
      actual: errno,
      cause: error,
    });
  }
}

async function checkKind(handle: FileHandle, path: string, limitBytes: number): Promise<void> {
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    throw new PrepareError('usage', 'CANDIDATE_IS_FOLDER', 'candidate', {
      where: path,
      expected: 'a .tgz file: run `npm pack` there and hand in the file (packing runs lifecycle scripts)',
      actual: 'a folder',
    });
  }
  if (!stat.isFile()) {
    throw new PrepareError('usage', 'CANDIDATE_NOT_REGULAR', 'candidate', {
      where: path,
      expected: 'a regular file',
      actual: 'another kind of file',
    });
  }
  if (stat.size > limitBytes) refuseSize(path, limitBytes, `${stat.size} bytes`);
}

/** Reads what is there now, not what `stat` said: the file may grow while it is read. */
async function readBounded(handle: FileHandle, path: string, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
    const bytes = Buffer.from(chunk);
    total += bytes.length;
    if (total > limitBytes) refuseSize(path, limitBytes, 'more');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, total);
}

function refuseSize(path: string, limitBytes: number, actual: string): never {
  throw new PrepareError('candidate', 'CANDIDATE_TOO_LARGE', 'candidate', {
    where: path,
    expected: `at most ${limitBytes} bytes`,
    actual,
  });
}
