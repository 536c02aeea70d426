import { once } from './files/once.ts';
import type { FileSource } from './files/source.ts';
import type { Findings } from './finding.ts';
import type { FileList, ListedFiles } from './list/listed-files.ts';
import { INDEX, type Index, readIndex } from './list/read-index.ts';
import { findTwins } from './list/twins.ts';
import {
  DEPTH_LIMIT,
  digestFile,
  FILE_LIMIT,
  type FileDigest,
  type FoundFile,
  readChunks,
  walkFiles,
} from './read.ts';
import { envelopeOf, STATEMENTS } from './statements/names.ts';

const SUMS = 'SHA256SUMS';
/** Files that bind the index or are derived from it, and so cannot be listed in it. */
const OUTSIDE_LIST: readonly string[] = [INDEX, SUMS, ...STATEMENTS, ...STATEMENTS.map(envelopeOf)];
const PATH_CHARACTERS = 1024;
/** Things in the folder that are named in findings, in an order of their own; a verdict holds fewer. */
const STRANGE_LIMIT = 4000;

export interface ClosedList {
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: FileList;
  readonly indexSha256: string;
}

/**
 * Reads `bundle.json` and holds the folder against it both ways: nothing missing, nothing extra, all bytes
 * equal. Null when there is no list to go by.
 */
export function checkClosedList(source: FileSource, findings: Findings): ClosedList | null {
  const read = once(source.identity(INDEX), readIndex, () => readIndex(source));
  if ('findings' in read) {
    findings.addAll(read.findings);
    return null;
  }
  const { files, runId, nonce, sha256 } = read.index;
  checkList(files, findings);
  checkFound(source, files, findings);
  checkPresence(source, files, findings);
  checkSums(source, read.index, findings);
  return { runId, nonce, files, indexSha256: sha256 };
}

function checkList(files: ListedFiles, findings: Findings): void {
  const again = positionsAgain(files);
  for (let position = 0; position < files.count; position += 1) {
    const where = `${INDEX}.files[${position}]`;
    const path = files.pathAt(position);
    if (!isSafePath(path)) findings.add('LIST_PATH_UNSAFE', where, 'a plain relative path', path);
    if (OUTSIDE_LIST.includes(path)) findings.add('LIST_SELF', where, 'a file other than the index', path);
    if (files.isStrict || position === 0) continue;
    if (again.has(position)) findings.add('LIST_DUPLICATE', where, 'one entry a path', path);
    else if (files.compare(position - 1, position) > 0) {
      findings.add('LIST_UNSORTED', where, `after ${files.pathAt(position - 1)}`, path);
    }
  }
  for (const { position, name, like } of findTwins(files)) {
    findings.add('LIST_PATH_TWIN', `${INDEX}.files[${position}]`, `no name like ${like}`, name);
  }
}

/** Entries whose path an earlier one has. Only neighbours in byte order can be the same. */
function positionsAgain(files: ListedFiles): ReadonlySet<number> {
  const again = new Set<number>();
  let last: number | null = null;
  for (const position of files.isStrict ? [] : files.inOrder()) {
    if (last !== null && files.compare(last, position) === 0) again.add(position);
    last = position;
  }
  return again;
}

const SAFE = /^(?!\.)[A-Za-z0-9._@%-]{1,255}(\/(?!\.)[A-Za-z0-9._@%-]{1,255})*$/;

/** The only paths an exporter writes: segments of a small alphabet, never hidden, never climbing. */
function isSafePath(path: string): boolean {
  return path.length <= PATH_CHARACTERS && SAFE.test(path);
}

function checkPresence(source: FileSource, files: ListedFiles, findings: Findings): void {
  let lacking = false;
  for (const file of files.values()) {
    if (!isSafePath(file.path)) continue;
    // To fail at opening costs far more than a look whether it is there: where one is missing, many may be.
    const found: FileDigest | null = lacking && !source.has(file.path) ? null : digestFile(source, file.path);
    lacking ||= found === null;
    if (found === null) findings.add('FILE_MISSING', file.path, 'a regular file', 'none');
    else if (found.sizeBytes !== file.sizeBytes) {
      findings.add('FILE_SIZE', file.path, file.sizeBytes, found.sizeBytes);
    } else findings.same('FILE_DIGEST', file.path, file.sha256, found.sha256);
  }
}

/** Nothing but the listed files, and the folders that they need. */
function checkFound(source: FileSource, files: ListedFiles, findings: Findings): void {
  const strange: FoundFile[] = [];
  for (const found of walkFiles(source)) {
    if (isExpected(found, files)) continue;
    if (strange.length < STRANGE_LIMIT) strange.push(found);
    else if (found.kind === 'beyond') strange.splice(0, 1, found);
  }
  for (const { path, kind } of strange) {
    if (kind === 'beyond') {
      findings.add('LIMIT_EXCEEDED', path, `at most ${DEPTH_LIMIT} levels and ${FILE_LIMIT} files`, 'more');
    } else if (kind === 'unread') {
      findings.add('FILE_NOT_REGULAR', path, 'a folder that can be read', 'another');
    } else if (kind === 'other') {
      findings.add('FILE_NOT_REGULAR', path, 'a regular file', 'a link or special file');
    } else if (kind === 'folder') {
      findings.add('FOLDER_EXTRA', path, 'no folder without listed files', 'present');
    } else findings.add('FILE_EXTRA', path, 'no file that the index does not list', 'present');
  }
}

function isExpected({ path, kind }: FoundFile, files: ListedFiles): boolean {
  if (kind === 'folder') return files.hasFolder(path);
  return kind === 'file' && (files.has(path) || OUTSIDE_LIST.includes(path));
}

/** SHA256SUMS must say what the index says, so that `sha256sum -c` alone checks the same list. */
function checkSums(source: FileSource, index: Index, findings: Findings): void {
  if (digestFile(source, SUMS) === null) {
    findings.add('REQUIRED_FILE_MISSING', SUMS, 'a regular file', 'none');
  } else if (!isText(readChunks(source, SUMS), joined(sumsOf(source, index)))) {
    findings.add('SUMS_MISMATCH', SUMS, 'one line for every file, in byte order', 'another text');
  }
}

/** The lines of every file but itself, in byte order. */
function* sumsOf(source: FileSource, { files, sha256 }: Index): Generator<string, void, undefined> {
  const outside = OUTSIDE_LIST.flatMap((path) => {
    if (path === SUMS || files.has(path)) return [];
    const digest = path === INDEX ? sha256 : digestFile(source, path)?.sha256;
    return digest === undefined ? [] : [{ path, sha256: digest }];
  }).sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
  for (const position of files.inOrder()) {
    const file = files.at(position);
    for (let next = outside[0]; next !== undefined && next.path < file.path; next = outside[0]) {
      yield toLine(next);
      outside.shift();
    }
    yield toLine(file);
  }
  yield* outside.map(toLine);
}

function toLine({ path, sha256 }: { readonly path: string; readonly sha256: string }): string {
  return `${sha256}  ${path}\n`;
}

/** So many lines are compared at a time. */
const JOINED_LINES = 256;

function* joined(lines: Iterable<string>): Generator<string, void, undefined> {
  let some: string[] = [];
  for (const line of lines) {
    if (some.push(line) < JOINED_LINES) continue;
    yield some.join('');
    some = [];
  }
  yield some.join('');
}

/** Whether a file consists of these pieces. */
function isText(chunks: Iterable<Buffer>, pieces: Iterable<string>): boolean {
  const iterator = chunks[Symbol.iterator]();
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (const piece of pieces) {
      let wanted: Buffer = Buffer.from(piece);
      while (wanted.length > 0) {
        if (rest.length === 0) {
          const next = iterator.next();
          if (next.done === true) return false;
          rest = next.value;
        }
        const length = Math.min(rest.length, wanted.length);
        if (rest.compare(wanted, 0, length, 0, length) !== 0) return false;
        [rest, wanted] = [rest.subarray(length), wanted.subarray(length)];
      }
    }
    return rest.length === 0 && iterator.next().done === true;
  } finally {
    iterator.return?.();
  }
}
