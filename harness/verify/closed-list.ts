import type { Json } from './canonical.ts';
import type { FileSource } from './files/source.ts';
import type { Findings } from './finding.ts';
import {
  DOCUMENT_LIMIT_BYTES,
  digestFile,
  type FoundFile,
  listFiles,
  parseCanonical,
  readBytes,
} from './read.ts';
import { bundleShape, type ListedFile } from './shape/bundle.ts';
import { parseShape, type Shaped } from './shape/shape.ts';
import { asObject } from './shape.ts';
import { envelopeOf, STATEMENTS } from './statements/names.ts';

const INDEX = 'bundle.json';
const SUMS = 'SHA256SUMS';
/** Files that bind the index or are derived from it, and so cannot be listed in it. */
const OUTSIDE_LIST: readonly string[] = [INDEX, SUMS, ...STATEMENTS, ...STATEMENTS.map(envelopeOf)];
const PATH_CHARACTERS = 1024;

export interface ClosedList {
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: ReadonlyMap<string, ListedFile>;
  readonly indexSha256: string;
}

/**
 * Reads `bundle.json` and holds the folder against it both ways: nothing missing, nothing extra, all bytes
 * equal. Null when there is no list to go by.
 */
export function checkClosedList(source: FileSource, findings: Findings): ClosedList | null {
  const bytes = readBytes(source, INDEX);
  if (bytes === null) {
    const sizeBytes = digestFile(source, INDEX)?.sizeBytes;
    if (sizeBytes === undefined) findings.add('INDEX_UNREADABLE', INDEX, 'a regular file', 'none');
    else findings.add('DOCUMENT_TOO_LARGE', INDEX, `at most ${DOCUMENT_LIMIT_BYTES} bytes`, sizeBytes);
    return null;
  }
  const parsed = parseCanonical(INDEX, bytes);
  if (parsed.kind === 'rejected') {
    findings.addAll([parsed.finding]);
    return null;
  }
  const header = parseHeader(parsed.value, findings);
  if (header === null) return null;
  const files = checkList(header.files, findings);
  const found = listFiles(source);
  findings.addAll(found.findings);
  checkPresence(source, files, findings);
  checkFound(found.files, files, findings);
  checkSums(source, files, findings);
  const { runId, nonce } = header;
  return { runId, nonce, files, indexSha256: digestFile(source, INDEX)?.sha256 ?? '' };
}

function parseHeader(value: Json, findings: Findings): Shaped<typeof bundleShape> | null {
  const version = asObject(value)?.formatVersion;
  if (version !== undefined && version !== 1) {
    findings.add('FORMAT_UNKNOWN', `${INDEX}.formatVersion`, '1', JSON.stringify(version));
    return null;
  }
  const shaped = parseShape(bundleShape, value);
  if ('value' in shaped) return shaped.value;
  for (const { at, expected, actual } of shaped.misfits) {
    findings.add('DOCUMENT_SHAPE', `${INDEX}${at}`, expected, actual);
  }
  return null;
}

function checkList(list: readonly ListedFile[], findings: Findings): ReadonlyMap<string, ListedFile> {
  const files = new Map<string, ListedFile>();
  const folded = new Map<string, string>();
  let previous: string | null = null;
  for (const [position, file] of list.entries()) {
    const where = `${INDEX}.files[${position}]`;
    const { path } = file;
    if (!isSafePath(path)) findings.add('LIST_PATH_UNSAFE', where, 'a plain relative path', path);
    if (OUTSIDE_LIST.includes(path)) findings.add('LIST_SELF', where, 'a file other than the index', path);
    if (files.has(path)) findings.add('LIST_DUPLICATE', where, 'one entry a path', path);
    else if (previous !== null && compareBytes(previous, path) > 0) {
      findings.add('LIST_UNSORTED', where, `after ${previous}`, path);
    }
    checkTwin(path, folded, where, findings);
    previous = path;
    files.set(path, file);
  }
  return files;
}

/**
 * Two names that one file system keeps apart and another does not: on the latter, one file would stand for
 * both, and what was checked would not be what is read.
 */
function checkTwin(path: string, folded: Map<string, string>, where: string, findings: Findings): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const name = path.slice(0, end);
    const key = foldOf(name);
    const known = folded.get(key);
    // What is above a folder that was there before was there with it.
    if (known === name) return;
    if (known === undefined) folded.set(key, name);
    else findings.add('LIST_PATH_TWIN', where, `no name like ${known}`, name);
  }
}

function foldOf(name: string): string {
  return PLAIN.test(name) ? name : name.normalize('NFKC').toLowerCase();
}

/** Its own folded form. */
const PLAIN = /^[a-z0-9._@%/-]*$/;

const SAFE = /^(?!\.)[A-Za-z0-9._@%-]{1,255}(\/(?!\.)[A-Za-z0-9._@%-]{1,255})*$/;

/** The only paths an exporter writes: segments of a small alphabet, never hidden, never climbing. */
function isSafePath(path: string): boolean {
  return path.length <= PATH_CHARACTERS && SAFE.test(path);
}

function checkPresence(source: FileSource, files: ReadonlyMap<string, ListedFile>, findings: Findings): void {
  for (const file of files.values()) {
    if (!isSafePath(file.path)) continue;
    const found = digestFile(source, file.path);
    if (found === null) findings.add('FILE_MISSING', file.path, 'a regular file', 'none');
    else if (found.sizeBytes !== file.sizeBytes) {
      findings.add('FILE_SIZE', file.path, file.sizeBytes, found.sizeBytes);
    } else findings.same('FILE_DIGEST', file.path, file.sha256, found.sha256);
  }
}

function checkFound(
  found: readonly FoundFile[],
  files: ReadonlyMap<string, ListedFile>,
  findings: Findings,
): void {
  const folders = new Set<string>();
  for (const path of files.keys()) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  for (const { path, kind } of found) {
    if (kind === 'other') findings.add('FILE_NOT_REGULAR', path, 'a regular file', 'a link or special file');
    else if (kind === 'folder') {
      if (!folders.has(path)) findings.add('FOLDER_EXTRA', path, 'no folder without listed files', 'present');
    } else if (!files.has(path) && !OUTSIDE_LIST.includes(path)) {
      findings.add('FILE_EXTRA', path, 'no file that the index does not list', 'present');
    }
  }
}

/** SHA256SUMS must say what the index says, so that `sha256sum -c` alone checks the same list. */
function checkSums(source: FileSource, files: ReadonlyMap<string, ListedFile>, findings: Findings): void {
  const bytes = readBytes(source, SUMS);
  if (bytes === null) {
    findings.add('REQUIRED_FILE_MISSING', SUMS, 'a regular file', 'none');
    return;
  }
  const present = OUTSIDE_LIST.filter((path) => path !== SUMS && digestFile(source, path) !== null);
  const paths = [...files.keys(), ...present].sort(compareBytes);
  const expected = paths.map((path) => {
    const sha256 = files.get(path)?.sha256 ?? digestFile(source, path)?.sha256 ?? 'missing';
    return `${sha256}  ${path}\n`;
  });
  if (bytes.toString('utf8') !== expected.join('')) {
    findings.add('SUMS_MISMATCH', SUMS, 'one line for every file, in byte order', 'another text');
  }
}

/** The order of UTF-8 bytes, which is that of UTF-16 units below the surrogates. */
function compareBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === length) return one.length - other.length;
  const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
  if (left < SURROGATES && right < SURROGATES) return left - right;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const SURROGATES = 0xd800;
