import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { sha256Hex } from '../document/digest.ts';
import { type ContextArchive, type ContextDocument, parseContext } from './context-document.ts';
import { hashFile } from './disk.ts';
import { type PrepareCode, PrepareError } from './errors.ts';
import { inParallel } from './parallel.ts';
import { parseSourcePath, type SuiteFile, sourcePath, suitePath } from './suite-path.ts';

/** A compiled suite, and what it was compiled from: nothing when it came compiled. */
export interface ContextSuite {
  readonly id: string;
  readonly bytes: Buffer;
  readonly sources: readonly SuiteFile[];
}

/** A context whose every byte was compared with its `context.json`. */
export interface PreparedContext {
  /** Absolute path of the folder. */
  readonly folder: string;
  readonly document: ContextDocument;
  /** sha256 of the bytes of `context.json`: names the whole context. */
  readonly sha256: string;
  /** `package-lock.json`; null when blocked before the tree was resolved. */
  readonly packageLock: Buffer | null;
  /** `audit.json`. */
  readonly audit: Buffer;
  /** The canonical bytes of each compiled suite, in the order of the document. */
  readonly suites: readonly ContextSuite[];
}

/** Documents are small; archives are streamed. */
const DOCUMENT_LIMIT_BYTES = 256 * 1024 ** 2;
/** A context of the largest trees has some thousands of archives. */
const ENTRY_LIMIT = 200_000;
const HASH_WIDTH = 4;

/**
 * Reads a context and compares everything in it: the closed list both ways, sizes, digests, and what its
 * documents say of each other.
 *
 * @throws {PrepareError} CONTEXT_* with the path in `where`
 */
export async function readContext(folder: string): Promise<PreparedContext> {
  const root = resolve(folder);
  const bytes = await readDocument(root, 'context.json', 'CONTEXT_MISSING');
  const document = parseContext(bytes);
  checkDocument(document);
  await checkEntries(root, document);
  const files = new Map<string, Buffer>();
  for (const file of document.files) {
    const content = await readDocument(root, file.path, 'CONTEXT_FILE_MISSING');
    compare('CONTEXT_FILE_SIZE', file.path, String(file.sizeBytes), String(content.length));
    compare('CONTEXT_FILE_DIGEST', file.path, file.sha256, sha256Hex(content));
    files.set(file.path, content);
  }
  await inParallel([...archivesOf(document).values()], HASH_WIDTH, (archive) => checkArchive(root, archive));
  return {
    folder: root,
    document,
    sha256: sha256Hex(bytes),
    packageLock: files.get('package-lock.json') ?? null,
    audit: requireFile(files, 'audit.json'),
    suites: document.suites.map(({ id }) => ({
      id,
      bytes: requireFile(files, suitePath(id)),
      sources: sourcesOf(id, files),
    })),
  };
}

function sourcesOf(id: string, files: ReadonlyMap<string, Buffer>): readonly SuiteFile[] {
  return [...files].flatMap(([path, bytes]) => {
    const source = parseSourcePath(path);
    return source?.id === id ? [{ path: source.path, bytes }] : [];
  });
}

/** Every archive that a context holds, by sha256. */
export function archivesOf(document: ContextDocument): ReadonlyMap<string, ContextArchive> {
  const all: readonly ContextArchive[] = [
    document.candidate,
    ...document.siblings,
    ...(document.npm === null ? [] : [document.npm]),
    ...document.runtimes,
    ...(document.base.kind === 'debian' ? [] : [document.base.rootfs]),
    ...document.base.packages,
    ...(document.installer === null ? [] : [document.installer.runtime, ...document.installer.base]),
    ...document.suiteArchives,
    ...document.dependencies,
  ];
  return new Map(all.map((archive) => [archive.sha256, archive]));
}

/** Absolute path of an archive of a context. */
export function archivePath(context: PreparedContext, archive: ContextArchive): string {
  return join(context.folder, 'archives', 'sha256', archive.sha256);
}

function checkDocument(document: ContextDocument): void {
  const { blocked, npm, nodes, runtimes, files, suites } = document;
  const paths = files.map((file) => file.path);
  const sorted = [...new Set(paths)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  contradict(paths.join('\n') !== sorted.join('\n'), 'files', 'each path once, in byte order');
  contradict(
    paths.includes('context.json') || paths.some((path) => path.startsWith('archives/')),
    'files',
    'documents',
  );
  contradict(!paths.includes('audit.json'), 'files', 'audit.json');
  const archives = document.suiteArchives.map(({ name }) => name);
  contradict(new Set(archives).size !== archives.length, 'suiteArchives', 'each name once');
  contradict(new Set(nodes).size !== nodes.length || nodes.length === 0, 'nodes', 'each version once');
  for (const { id, sha256 } of suites) {
    const file = files.find(({ path }) => path === suitePath(id));
    contradict(file?.sha256 !== sha256, `suites.${id}`, 'the digest of its file');
  }
  for (const path of paths) {
    if (!path.startsWith('suites/') || suites.some(({ id }) => path === suitePath(id))) continue;
    const source = parseSourcePath(path);
    const known = source !== null && suites.some(({ id }) => id === source.id);
    // Without the text that read them, files say nothing.
    const read = known && paths.includes(sourcePath(source.id, 'suite.yaml'));
    contradict(!read, path, 'a compiled suite, or what it was compiled from');
  }
  const sameNodes = nodes.join() === runtimes.map(({ version }) => version).join();
  const complete =
    npm !== null && sameNodes && document.resolvedAt !== null && paths.includes('package-lock.json');
  contradict(blocked === null && !complete, 'blocked', 'a reason, or everything that a run needs');
}

function contradict(wrong: boolean, where: string, expected: string): void {
  if (!wrong) return;
  throw new PrepareError('usage', 'CONTEXT_CONTRADICTS', 'context', {
    where,
    expected,
    actual: 'something else',
  });
}

/** Refuses entries that the document does not name, and anything but folders and regular files. */
async function checkEntries(root: string, document: ContextDocument): Promise<void> {
  const expected = new Set([
    'context.json',
    ...document.files.map((file) => file.path),
    ...[...archivesOf(document).keys()].map((sha256) => `archives/sha256/${sha256}`),
  ]);
  const pending = [''];
  let seen = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      seen += 1;
      if (seen > ENTRY_LIMIT) refuse('CONTEXT_FILE_EXTRA', path, `at most ${ENTRY_LIMIT} entries`, 'more');
      if (entry.isDirectory()) pending.push(path);
      else if (!entry.isFile()) refuse('CONTEXT_FILE_TYPE', path, 'a regular file', 'another kind of file');
      else if (!expected.has(path))
        refuse('CONTEXT_FILE_EXTRA', path, 'a file that context.json names', 'an unknown one');
    }
  }
}

async function checkArchive(root: string, archive: ContextArchive): Promise<void> {
  const path = `archives/sha256/${archive.sha256}`;
  const digest = await hashFile(join(root, path));
  if (digest === null) refuse('CONTEXT_FILE_MISSING', path, 'a regular file', 'none');
  compare('CONTEXT_FILE_SIZE', path, String(archive.sizeBytes), String(digest.sizeBytes));
  compare('CONTEXT_FILE_DIGEST', path, archive.sha256, digest.sha256);
  compare('CONTEXT_FILE_DIGEST', path, archive.integrity, digest.integrity);
}

async function readDocument(root: string, path: string, missing: PrepareCode): Promise<Buffer> {
  const target = join(root, path);
  const stat = await lstat(target).catch(() => null);
  if (stat === null) refuse(missing, path, 'a regular file', 'none');
  if (!stat.isFile()) refuse('CONTEXT_FILE_TYPE', path, 'a regular file', 'another kind of file');
  if (stat.size > DOCUMENT_LIMIT_BYTES)
    refuse('CONTEXT_FILE_SIZE', path, `at most ${DOCUMENT_LIMIT_BYTES}`, 'more');
  const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function requireFile(files: ReadonlyMap<string, Buffer>, path: string): Buffer {
  return files.get(path) ?? refuse('CONTEXT_FILE_MISSING', path, 'a file that context.json names', 'none');
}

function compare(code: PrepareCode, where: string, expected: string, actual: string): void {
  if (expected !== actual) refuse(code, where, expected, actual);
}

function refuse(code: PrepareCode, where: string, expected: string, actual: string): never {
  throw new PrepareError('usage', code, 'context', { where, expected, actual });
}
