import { Parser } from 'tar';
import { isRecord } from '../document/json-record.ts';
import { PrepareError } from './errors.ts';

/** What npm's resolver reads of an archive: manifests and the two files whose presence changes a manifest. */
const MANIFEST_NAMES: ReadonlySet<string> = new Set(['package.json', 'npm-shrinkwrap.json', 'binding.gyp']);

/** A manifest beyond this is no manifest; npm's registry refuses far smaller ones. */
const MANIFEST_LIMIT_BYTES = 8 * 1024 ** 2;
/** Bundled trees hold thousands of manifests at most. */
const MANIFEST_LIMIT_COUNT = 20_000;
/** Unpacked bytes read of one archive; the audit has its own, stricter limits for the candidate. */
const UNPACKED_LIMIT_BYTES = 4 * 1024 ** 3;

/** A manifest file of an archive, by its path below the archive's root folder. */
export interface ManifestFile {
  readonly path: string;
  readonly content: Buffer;
}

/** What npm knows of a package without its other files. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly hasShrinkwrap: boolean;
  readonly hasInstallScript: boolean;
  /** In byte order of path; the last of two entries with one path, as npm takes it. */
  readonly files: readonly ManifestFile[];
}

/**
 * Reads the manifest files of a packed package, and nothing else of it, without writing anything.
 *
 * Paths are read as npm reads them: the first component is dropped. Entries that are no regular files, or
 * whose path could leave the root, are passed over; the audit reports them.
 * @throws {PrepareError} with `code`, kind `candidate`: TREE_INVALID when it is no package
 */
export async function readManifestFiles(archive: Buffer, where: string): Promise<PackageManifest> {
  const files = await collectFiles(archive, where);
  const own = files.get('package.json');
  const json = own === undefined ? null : parseObject(own);
  if (json === null || typeof json.name !== 'string' || typeof json.version !== 'string') {
    throw new PrepareError('candidate', 'TREE_INVALID', 'package', {
      where,
      expected: 'a package.json with name and version',
      actual: own === undefined ? 'no package.json' : 'something else',
    });
  }
  const hasGyp = files.has('binding.gyp');
  return {
    name: json.name,
    version: json.version,
    json,
    hasShrinkwrap: files.has('npm-shrinkwrap.json'),
    hasInstallScript: runsInstallScript(json, hasGyp),
    files: [...files]
      .map(([path, content]) => ({ path, content }))
      .sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path))),
  };
}

/**
 * Whether npm would run something of this package at install time.
 *
 * A `binding.gyp` without an install or preinstall script, unless `gypfile` is false, means
 * `node-gyp rebuild` (npm documentation, "scripts", "npm install").
 */
export function runsInstallScript(json: Readonly<Record<string, unknown>>, hasGyp: boolean): boolean {
  const scripts = isRecord(json.scripts) ? json.scripts : {};
  const has = (name: string): boolean => typeof scripts[name] === 'string' && scripts[name] !== '';
  if (has('preinstall') || has('install') || has('postinstall')) return true;
  return hasGyp && json.gypfile !== false;
}

async function collectFiles(archive: Buffer, where: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  let unpackedBytes = 0;
  await new Promise<void>((resolve, reject) => {
    const refuse = (expected: string): void => {
      const error = new PrepareError('candidate', 'TREE_TOO_LARGE', 'package', {
        where,
        expected,
        actual: 'more',
      });
      parser.abort(error);
      reject(error);
    };
    const parser = new Parser({ strict: false, maxMetaEntrySize: 1024 ** 2 });
    parser.on('entry', (entry) => {
      unpackedBytes += entry.size;
      if (unpackedBytes > UNPACKED_LIMIT_BYTES) refuse(`at most ${UNPACKED_LIMIT_BYTES} unpacked bytes`);
      const path = toManifestPath(entry.path, entry.type);
      if (path === null) {
        entry.resume();
        return;
      }
      if (entry.size > MANIFEST_LIMIT_BYTES) refuse(`manifests of at most ${MANIFEST_LIMIT_BYTES} bytes`);
      if (files.size >= MANIFEST_LIMIT_COUNT) refuse(`at most ${MANIFEST_LIMIT_COUNT} manifests`);
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => files.set(path, Buffer.concat(chunks)));
    });
    parser.on('end', resolve);
    parser.on('error', (error: unknown) => reject(toInvalid(error, where)));
    parser.end(archive);
  });
  return files;
}

function toInvalid(error: unknown, where: string): PrepareError {
  if (error instanceof PrepareError) return error;
  return new PrepareError('candidate', 'TREE_INVALID', 'package', {
    where,
    expected: 'a gzipped tar',
    actual: error instanceof Error ? error.message : 'something else',
  });
}

function toManifestPath(path: string, type: string): string | null {
  if (type !== 'File' && type !== 'OldFile' && type !== 'ContiguousFile') return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const below = parts.slice(1);
  const name = below.at(-1);
  if (name === undefined || !MANIFEST_NAMES.has(name)) return null;
  if (parts.includes('..') || path.startsWith('/') || /[\u0000\\]/u.test(path)) return null;
  return below.join('/');
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    // npm accepts a leading byte order mark.
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/u, ''));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
