import { posix } from 'node:path';
import { toPathSegment } from '../evidence/paths.ts';
import type { SuiteFile } from '../prepare/suite-path.ts';
import type { ReadBeside } from '../suite/language/read-beside.ts';
import { JobError } from './errors.ts';

/** Files beside one suite. Each becomes a file of every bundle. */
const FILES_LIMIT = 10_000;
/** Bytes of one suite's sources together; one file beside it has at most half of it. */
const SOURCES_LIMIT_BYTES = 128 * 1024 ** 2;
/** Characters of a path below the suite's folder: a bundle's paths have at most 1024 in all. */
const PATH_LIMIT = 800;
/** Linux NAME_MAX, for an encoded part. */
const PART_LIMIT = 255;
/** Parts of such a path: the verifier walks 32 levels, and a shard in a merged bundle lies six of them deeper. */
const PARTS_LIMIT = 24;

/** The folder beside a suite that holds fixtures by convention; files of it keep their place. */
const FIXTURES = 'fixtures/';

/** Files that a suite was compiled from, by their path from the suite's folder. */
export type BesideFiles = ReadonlyMap<string, Uint8Array>;

/** A reader that remembers what it gave. */
export function recordBeside(read: ReadBeside): { readonly read: ReadBeside; readonly files: BesideFiles } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    read: (path) => {
      const answer = read(path);
      if (answer.bytes !== null) files.set(posix.normalize(path), answer.bytes);
      return answer;
    },
  };
}

/**
 * The sources of a suite as context and evidence keep them, exact bytes, in byte order of path: `suite.yaml`;
 * what it read of `fixtures/` in its place; anything else below `beside/`. Names are encoded as everywhere in a
 * bundle, so that no two meet on a file system that folds case.
 *
 * @throws {JobError} SUITE_SOURCES_TOO_LARGE, SUITE_SOURCE_NAME, kind `usage`
 */
export function toSourceFiles(file: string, bytes: Uint8Array, beside: BesideFiles): readonly SuiteFile[] {
  const sources: SuiteFile[] = [{ path: 'suite.yaml', bytes }];
  for (const [path, content] of beside) sources.push({ path: toSourcePath(file, path), bytes: content });
  const sizeBytes = sources.reduce((sum, source) => sum + source.bytes.byteLength, 0);
  if (sources.length > FILES_LIMIT || sizeBytes > SOURCES_LIMIT_BYTES) {
    throw new JobError('SUITE_SOURCES_TOO_LARGE', 'suite', {
      where: file,
      expected: `at most ${FILES_LIMIT} files and ${SOURCES_LIMIT_BYTES} bytes`,
      actual: `${sources.length} files, ${sizeBytes} bytes`,
    });
  }
  return sources.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

function toSourcePath(file: string, path: string): string {
  const parts = path.split('/').map(toPathSegment);
  const encoded = `${path.startsWith(FIXTURES) ? '' : 'beside/'}${parts.join('/')}`;
  const isPlain = parts.every(({ length }) => length > 0 && length <= PART_LIMIT);
  if (encoded.length <= PATH_LIMIT && parts.length <= PARTS_LIMIT && isPlain) return encoded;
  const bytes = 'every byte but a-z 0-9 . _ @ - as three';
  throw new JobError('SUITE_SOURCE_NAME', 'suite', {
    where: file,
    expected: `at most ${PARTS_LIMIT} parts of ${PART_LIMIT} characters and ${PATH_LIMIT} in all, ${bytes}`,
    actual: path,
  });
}
