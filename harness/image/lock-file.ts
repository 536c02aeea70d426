import { toCanonicalBytes } from '../document/canonical.ts';
import { type BinMap, normaliseBins } from './bin-map.ts';
import { ImageError } from './errors.ts';

/** One entry of a lock, as far as an install needs it. */
export interface LockPackage {
  /** Path from the project, such as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly version: string;
  /** Null for what lies in its parent's archive. */
  readonly integrity: string | null;
  readonly bundled: boolean;
  readonly optional: boolean;
  readonly bins: BinMap;
}

/** A parsed `package-lock.json`; `packages` in the document's order, without the project itself. */
export interface Lock {
  readonly packages: readonly LockPackage[];
  /** The document, for the copy that the box gets. */
  readonly document: ReadonlyMap<string, unknown>;
}

/** Bytes handed to npm inside the box. */
export interface InstallProject {
  readonly packageJson: Buffer;
  readonly packageLock: Buffer;
}

/** npm writes two and three; version one has no `packages`. */
const LOCK_VERSIONS: readonly unknown[] = [2, 3];
/** Plain parts below node_modules: `path` becomes a folder of the image. */
const PACKAGE_PATH = /^(?:node_modules\/(?:@[^/@]+\/)?[^/@.][^/]*(?:\/(?!$)|$))+$/u;

/**
 * Reads the lock of a context.
 *
 * @throws {ImageError} LOCK_MALFORMED with the entry's path: links and workspaces are refused too, since what
 * is installed comes from archives only.
 */
export function parseLock(bytes: Uint8Array): Lock {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new ImageError('infrastructure', 'LOCK_MALFORMED', 'lock', { where: 'document', cause });
  }
  const document = toMap(value, 'document');
  if (!LOCK_VERSIONS.includes(document.get('lockfileVersion'))) {
    malformed('lockfileVersion', '2 or 3', String(document.get('lockfileVersion')));
  }
  const packages = [...toMap(document.get('packages'), 'packages')]
    .filter(([path]) => path !== '')
    .map(([path, entry]) => toPackage(path, toMap(entry, path)));
  return { packages, document };
}

function toPackage(path: string, entry: ReadonlyMap<string, unknown>): LockPackage {
  if (!PACKAGE_PATH.test(path)) malformed(path, 'a path below node_modules', path);
  if (entry.get('link') === true) malformed(path, 'an archive', 'a link');
  const [version, integrity] = [entry.get('version'), entry.get('integrity')];
  const bundled = entry.get('inBundle') === true;
  if (typeof version !== 'string') malformed(path, 'a version', typeof version);
  if (!bundled && typeof integrity !== 'string') malformed(path, 'an integrity', typeof integrity);
  return {
    path,
    version,
    integrity: typeof integrity === 'string' ? integrity : null,
    bundled,
    optional: entry.get('optional') === true || entry.get('devOptional') === true,
    bins: normaliseBins(entry.get('bin'), entry.get('name') ?? packageName(path)),
  };
}

/** The name of the package that a lock path installs: its last one or two parts. */
export function packageName(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * The project that npm installs offline: the lock with `resolved` pointing at archives in the box, and the
 * `package.json` that goes with it.
 *
 * npm then takes a tarball straight from its `file:` path and checks its integrity; with a registry URL, or
 * no `resolved` at all, it would first ask for a packument and stop with ENOTCACHED, whatever its cache
 * holds (npm/cli#7781). Entries without an archive keep no `resolved`: those are optional packages of
 * another platform, which npm never fetches. `hasShrinkwrap` goes too: npm would read a package's own
 * shrinkwrap after unpacking and ask the addresses in it, though the lock already says what it resolved to.
 * The project's own dependencies become exact versions, so that
 * they are satisfied by the entries as they stand.
 */
export function toInstallProject(lock: Lock, archiveOf: (path: string) => string | null): InstallProject {
  const packages = toMap(lock.document.get('packages'), 'packages');
  const versions = new Map(lock.packages.map(({ path, version }) => [path, version]));
  const root = toRoot(toMap(packages.get('') ?? {}, 'packages[""]'), versions);
  const copies: Record<string, unknown> = { '': root };
  for (const { path } of lock.packages) {
    const { resolved: _, hasShrinkwrap: __, ...entry } = Object.fromEntries(toMap(packages.get(path), path));
    const archive = archiveOf(path);
    const own = withoutUnpublished(entry, path, versions);
    copies[path] = archive === null ? own : { ...own, resolved: `file:${archive}` };
  }
  const head = { name: 'packproof-install', version: '0.0.0' };
  return {
    packageJson: toCanonicalBytes({ ...root, ...head, private: true }),
    packageLock: toCanonicalBytes({ ...head, lockfileVersion: 3, requires: true, packages: copies }),
  };
}

/**
 * The entry without optional dependencies that the lock holds nowhere above it: names that no registry has,
 * which npm passes over when it resolves, but would look for again here and stop at with EUSAGE.
 */
function withoutUnpublished(
  entry: Readonly<Record<string, unknown>>,
  path: string,
  versions: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  if (entry.optionalDependencies === undefined) return entry;
  const wanted = [...toMap(entry.optionalDependencies, `${path}.optionalDependencies`)];
  const held = wanted.filter(([name]) => lookupPaths(path, name).some((place) => versions.has(place)));
  return { ...entry, optionalDependencies: Object.fromEntries(held) };
}

/** Where Node looks for a package from within another one, nearest first. */
function lookupPaths(path: string, name: string): readonly string[] {
  const parts = path.split('/node_modules/');
  const levels = parts.map((_, index) => parts.slice(0, parts.length - index).join('/node_modules/'));
  return [...levels.map((level) => `${level}/node_modules/${name}`), `node_modules/${name}`];
}

function toRoot(
  root: ReadonlyMap<string, unknown>,
  versions: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const field of ['dependencies', 'optionalDependencies']) {
    if (!root.has(field)) continue;
    const exact: Record<string, string> = {};
    for (const name of toMap(root.get(field), field).keys()) {
      const version = versions.get(`node_modules/${name}`);
      if (version === undefined) malformed(`packages[""].${field}.${name}`, 'an entry of the lock', 'none');
      exact[name] = version;
    }
    kept[field] = exact;
  }
  return kept;
}

function toMap(value: unknown, where: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    malformed(where, 'an object', Array.isArray(value) ? 'a list' : typeof value);
  }
  return new Map(Object.entries(value));
}

function malformed(where: string, expected: string, actual: string): never {
  throw new ImageError('infrastructure', 'LOCK_MALFORMED', 'lock', { where, expected, actual });
}
