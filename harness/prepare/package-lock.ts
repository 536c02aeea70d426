import { toCanonicalBytes } from '../document/canonical.ts';
import { isRecord } from '../document/json-record.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';

/** One package of the resolved tree. */
export interface LockEntry {
  /** Path as npm writes it, such as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Null for a package that travels inside another's archive. */
  readonly integrity: Integrity | null;
  /** npm installs it only where it fits, and goes on without it. */
  readonly optional: boolean;
  /** False when its os, cpu or libc is not that of the platform; npm then leaves it out. */
  readonly fitsPlatform: boolean;
}

/** The resolved tree and the bytes that say it. */
export interface ResolvedTree {
  readonly entries: readonly LockEntry[];
  /** `package-lock.json`, RFC 8785, without addresses. */
  readonly bytes: Buffer;
}

export interface NpmPlatform {
  readonly os: string;
  readonly cpu: string;
  readonly libc: string;
}

/** Trees beyond this are not built by anyone; npm itself gives up near it. */
const TREE_LIMIT = 50_000;
const TREE_PATH = /^node_modules\/(?:@[^/@]+\/)?[^/@.][^/]*(?:\/node_modules\/(?:@[^/@]+\/)?[^/@.][^/]*)*$/u;

/** What a lock is read for. */
export interface LockReading {
  readonly platform: NpmPlatform;
  /** The true integrity of candidate and siblings, which npm knew by a stub, by `name@version`. */
  readonly local: ReadonlyMap<string, Integrity>;
  /** The registry that npm asked; null when the lock is one of ours, which has no addresses. */
  readonly registryUrl: string | null;
}

/**
 * Reads a lock as npm wrote it: every package by one full sha512, or travelling inside another.
 *
 * Links, git and remote sources are refused. Addresses are dropped: only digests name bytes.
 * @throws {PrepareError} TREE_INVALID, TREE_TOO_LARGE, DEPENDENCY_REFUSED, TREE_UNPINNED, INTEGRITY_*
 */
export function parsePackageLock(bytes: Buffer, reading: LockReading): ResolvedTree {
  const lock = parseLockObject(bytes);
  const packages = lock.packages as Readonly<Record<string, unknown>>;
  const paths = Object.keys(packages).sort();
  if (paths.length > TREE_LIMIT) {
    throw new PrepareError('candidate', 'TREE_TOO_LARGE', 'resolved tree', {
      where: 'package-lock.json',
      expected: `at most ${TREE_LIMIT} packages`,
      actual: String(paths.length),
    });
  }
  const entries: LockEntry[] = [];
  const written: Record<string, unknown> = {};
  for (const path of paths) {
    const value = packages[path];
    if (!isRecord(value)) throw invalid(path, 'an object', typeof value);
    if (path === '') {
      written[path] = value;
      continue;
    }
    const entry = parseEntry(path, value, reading);
    entries.push(entry);
    const { resolved: _address, ...kept } = value;
    written[path] = entry.integrity === null ? kept : { ...kept, integrity: entry.integrity };
  }
  return { entries, bytes: toCanonicalBytes({ ...lock, packages: written }) };
}

function parseLockObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown = null;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // Reported below, with everything else that is no lock.
  }
  if (!isRecord(value) || value.lockfileVersion !== 3 || !isRecord(value.packages)) {
    throw invalid('package-lock.json', 'lockfileVersion 3 with packages', 'something else');
  }
  return value;
}

function parseEntry(path: string, value: Readonly<Record<string, unknown>>, reading: LockReading): LockEntry {
  if (!TREE_PATH.test(path) || path.split('/').includes('..')) throw invalid(path, 'node_modules/…', path);
  if (value.link === true) throw refused(path, 'a link');
  const name = typeof value.name === 'string' ? value.name : nameOf(path);
  if (typeof value.version !== 'string') throw invalid(path, 'a version', typeof value.version);
  if (value.resolved !== undefined) requireRegistry(path, value.resolved, reading);
  const inBundle = value.inBundle === true;
  const own = reading.local.get(`${name}@${value.version}`);
  if (!inBundle && own === undefined && value.integrity === undefined) {
    throw new PrepareError('candidate', 'TREE_UNPINNED', 'resolved tree', {
      where: path,
      expected: 'an integrity',
      actual: 'none',
    });
  }
  return {
    path,
    name,
    version: value.version,
    integrity: inBundle ? null : (own ?? parseIntegrity(value.integrity, path)),
    optional: value.optional === true || value.devOptional === true,
    fitsPlatform: fits(value, reading.platform),
  };
}

function requireRegistry(path: string, resolved: unknown, { registryUrl }: LockReading): void {
  const own = registryUrl !== null && typeof resolved === 'string' && resolved.startsWith(registryUrl);
  if (!own) throw refused(path, String(resolved));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** npm's rule for os, cpu and libc: a list of names, `!` excludes, `any` fits (npm-install-checks). */
function fits(value: Readonly<Record<string, unknown>>, platform: NpmPlatform): boolean {
  return (
    matches(value.os, platform.os) && matches(value.cpu, platform.cpu) && matches(value.libc, platform.libc)
  );
}

function matches(list: unknown, actual: string): boolean {
  const names = typeof list === 'string' ? [list] : list;
  if (!Array.isArray(names) || names.length === 0) return true;
  if (names.length === 1 && names[0] === 'any') return true;
  if (names.includes(`!${actual}`)) return false;
  return names.includes(actual) || names.every((name) => typeof name === 'string' && name.startsWith('!'));
}

function invalid(where: string, expected: string, actual: string): PrepareError {
  return new PrepareError('candidate', 'TREE_INVALID', 'resolved tree', { where, expected, actual });
}

function refused(where: string, actual: string): PrepareError {
  return new PrepareError('candidate', 'DEPENDENCY_REFUSED', 'dependency', {
    where,
    expected: 'a registry package or a sibling',
    actual,
  });
}
