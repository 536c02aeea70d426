import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { PreparedSuite } from '../prepare/prepare-options.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { SuiteError } from '../suite/errors.ts';
import type { CandidateFacts } from '../suite/facts.ts';
import { readBesideFolder } from '../suite/language/beside.ts';
import { checkSuiteFile, compileSuite } from '../suite/language/compile-suite.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { JobError } from './errors.ts';
import { recordBeside, toSourceFiles } from './source-files.ts';

/**
 * A suite as the command line names it: compiled, or written and compiled once the candidate is known. A compiled one
 * may have archives in the folder of its file, as a written one may.
 */
export type SuiteSource =
  | { readonly kind: 'compiled'; readonly suite: CompiledSuite; readonly folder: string }
  | { readonly kind: 'written'; readonly file: string; readonly bytes: Buffer };

/** The suite that is taken without being named, beside the generated one. */
export const DEFAULT_SUITE_FILE = 'packproof.suite.yaml';

/**
 * Reads a suite; a written one (`.yaml`, `.yml`) is checked as far as no candidate is needed for it.
 *
 * @throws {JobError} SUITE_UNREADABLE; {SuiteError}, {SuiteTextError} for what the file says
 */
export async function readSuite(file: string): Promise<SuiteSource> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new JobError('SUITE_UNREADABLE', 'suite', {
      where: file,
      expected: 'a readable suite file',
      actual: cause.code ?? '',
      cause,
    });
  });
  if (/\.ya?ml$/i.test(file)) {
    checkSuiteFile(bytes, { file: basename(file), readBeside: readBesideFolder(dirname(file)) });
    return { kind: 'written', file, bytes };
  }
  try {
    return { kind: 'compiled', suite: parseCompiledSuiteBytes(bytes), folder: resolve(dirname(file)) };
  } catch (error) {
    throw error instanceof SuiteError ? inFile(error, file) : error;
  }
}

/** The `packproof.suite.yaml` of a folder; null when there is none. */
export async function findDefaultSuite(folder: string): Promise<SuiteSource | null> {
  const file = join(folder, DEFAULT_SUITE_FILE);
  const status = await lstat(file).catch(() => null);
  return status === null ? null : readSuite(file);
}

/**
 * The suite for this candidate, with what it was compiled from; a suite that came compiled has no sources.
 *
 * @throws {SuiteTextError} for what a written suite says of this candidate; {JobError} SUITE_SOURCES_TOO_LARGE,
 * SUITE_SOURCE_NAME
 */
export function toPreparedSuite(source: SuiteSource, candidateFacts: CandidateFacts): PreparedSuite {
  if (source.kind === 'compiled') return { suite: source.suite, sources: [], folder: source.folder };
  const { file, bytes } = source;
  const beside = recordBeside(readBesideFolder(dirname(file)));
  const suite = compileSuite(bytes, { file: basename(file), candidateFacts, readBeside: beside.read });
  const sources = toSourceFiles(basename(file), bytes, beside.files);
  return { suite, sources, folder: resolve(dirname(file)) };
}

/** With several suites on a command line, the place within one is not enough. */
function inFile(error: SuiteError, file: string): SuiteError {
  const { code, kind, where, problems } = error;
  const details = { expected: error.expected ?? '', actual: error.actual ?? '' };
  return new SuiteError(code, kind, { ...details, where: `${file}: ${where}`, problems, cause: error });
}
