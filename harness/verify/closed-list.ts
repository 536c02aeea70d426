import { type Finding, toFinding } from './finding.ts';
import { digestFile, listFiles, parseCanonical, readBytes } from './read.ts';
import { asCount, asList, asObject, asText, keyDifference } from './shape.ts';

const INDEX = 'bundle.json';
const INDEX_KEYS = ['formatVersion', 'runId', 'nonce', 'files'];
const FILE_KEYS = ['path', 'sizeBytes', 'sha256'];
/** Files that bind the index or are derived from it, and so cannot be listed in it. */
const OUTSIDE_LIST = new Set([INDEX, 'statement.json', 'statement.dsse.json', 'SHA256SUMS']);

export interface ListedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface ClosedList {
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: ReadonlyMap<string, ListedFile>;
  readonly indexSha256: string;
  readonly findings: readonly Finding[];
}

/** Reads `bundle.json` and holds the folder against it both ways: nothing missing, nothing extra, all bytes equal. */
export function checkClosedList(root: string): ClosedList | readonly Finding[] {
  const bytes = readBytes(root, INDEX);
  if (bytes === null) return [toFinding('INDEX_UNREADABLE', INDEX, 'a regular file', 'none')];
  const parsed = parseCanonical(INDEX, bytes);
  if (parsed.kind === 'rejected') return [parsed.finding];
  const index = asObject(parsed.value);
  const difference = index === undefined ? ['an object'] : keyDifference(index, INDEX_KEYS);
  if (index === undefined || difference.length > 0) {
    return [toFinding('DOCUMENT_SHAPE', INDEX, INDEX_KEYS.join(','), difference.join(','))];
  }
  if (index.formatVersion !== 1) {
    return [toFinding('FORMAT_UNKNOWN', `${INDEX}.formatVersion`, '1', JSON.stringify(index.formatVersion))];
  }
  const { files, findings } = parseList(asList(index.files) ?? []);
  const onDisk = listFiles(root);
  return {
    runId: asText(index.runId) ?? '',
    nonce: asText(index.nonce) ?? null,
    files,
    indexSha256: digestFile(root, INDEX)?.sha256 ?? '',
    findings: [
      ...findings,
      ...onDisk.findings,
      ...checkPresence(root, files),
      ...onDisk.files.flatMap((file) => checkFound(file.path, file.regular, files)),
      ...checkSums(root, files),
    ],
  };
}

function parseList(list: readonly unknown[]): { files: Map<string, ListedFile>; findings: Finding[] } {
  const files = new Map<string, ListedFile>();
  const findings: Finding[] = [];
  let previous: string | null = null;
  for (const [position, item] of list.entries()) {
    const where = `${INDEX}.files[${position}]`;
    const file = parseFile(item);
    if (file === undefined) {
      findings.push(toFinding('DOCUMENT_SHAPE', where, FILE_KEYS.join(','), JSON.stringify(item)));
      continue;
    }
    if (!isSafePath(file.path))
      findings.push(toFinding('LIST_PATH_UNSAFE', where, 'a plain relative path', file.path));
    if (OUTSIDE_LIST.has(file.path))
      findings.push(toFinding('LIST_SELF', where, 'a file other than the index', file.path));
    if (files.has(file.path))
      findings.push(toFinding('LIST_DUPLICATE', where, 'one entry a path', file.path));
    else if (previous !== null && Buffer.compare(Buffer.from(previous), Buffer.from(file.path)) > 0) {
      findings.push(toFinding('LIST_UNSORTED', where, `after ${previous}`, file.path));
    }
    previous = file.path;
    files.set(file.path, file);
  }
  return { files, findings };
}

function parseFile(item: unknown): ListedFile | undefined {
  const object = asObject(item as never);
  if (object === undefined || keyDifference(object, FILE_KEYS).length > 0) return undefined;
  const path = asText(object.path);
  const sizeBytes = asCount(object.sizeBytes);
  const sha256 = asText(object.sha256);
  if (path === undefined || sizeBytes === undefined || sha256 === undefined) return undefined;
  return /^[0-9a-f]{64}$/.test(sha256) ? { path, sizeBytes, sha256 } : undefined;
}

/** The only paths an exporter writes: lower-case segments of a small alphabet, never hidden, never climbing. */
function isSafePath(path: string): boolean {
  return (
    path.length <= 1024 && path.split('/').every((segment) => /^(?!\.)[A-Za-z0-9._@%-]{1,255}$/.test(segment))
  );
}

function checkPresence(root: string, files: ReadonlyMap<string, ListedFile>): readonly Finding[] {
  return [...files.values()].flatMap((file) => {
    if (!isSafePath(file.path)) return [];
    const found = digestFile(root, file.path);
    if (found === null) return [toFinding('FILE_MISSING', file.path, 'a regular file', 'none')];
    if (found.sizeBytes !== file.sizeBytes) {
      return [toFinding('FILE_SIZE', file.path, String(file.sizeBytes), String(found.sizeBytes))];
    }
    return found.sha256 === file.sha256
      ? []
      : [toFinding('FILE_DIGEST', file.path, file.sha256, found.sha256)];
  });
}

function checkFound(
  path: string,
  regular: boolean,
  files: ReadonlyMap<string, ListedFile>,
): readonly Finding[] {
  if (!regular) return [toFinding('FILE_NOT_REGULAR', path, 'a regular file', 'a link or special file')];
  if (files.has(path) || OUTSIDE_LIST.has(path)) return [];
  return [toFinding('FILE_EXTRA', path, 'no file that the index does not list', 'present')];
}

/** SHA256SUMS must say what the index says, so that `sha256sum -c` alone checks the same list. */
function checkSums(root: string, files: ReadonlyMap<string, ListedFile>): readonly Finding[] {
  const bytes = readBytes(root, 'SHA256SUMS');
  if (bytes === null) return [toFinding('REQUIRED_FILE_MISSING', 'SHA256SUMS', 'a regular file', 'none')];
  // Signing adds the envelope's line; unsigned evidence has neither the file nor the line.
  const absent = digestFile(root, 'statement.dsse.json') === null ? 'statement.dsse.json' : null;
  const outside = [...OUTSIDE_LIST].filter((path) => path !== 'SHA256SUMS' && path !== absent);
  const paths = [...files.keys(), ...outside].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const expected = paths.map((path) => {
    const sha256 = files.get(path)?.sha256 ?? digestFile(root, path)?.sha256 ?? 'missing';
    return `${sha256}  ${path}\n`;
  });
  return bytes.toString('utf8') === expected.join('')
    ? []
    : [
        toFinding(
          'SUMS_MISMATCH',
          'SHA256SUMS',
          'one line for every file of the bundle, in byte order',
          'another text',
        ),
      ];
}
