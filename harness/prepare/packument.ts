import { isRecord } from '../document/json-record.ts';
import { PrepareError } from './errors.ts';
import { type Integrity, parseIntegrity } from './integrity.ts';

/** The fields that decide a resolution; the rest of a document (read-mes, people) can be large. */
const MANIFEST_FIELDS: readonly string[] = [
  'name',
  'version',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundleDependencies',
  'bundledDependencies',
  'bin',
  'directories',
  'engines',
  'os',
  'cpu',
  'libc',
  'scripts',
  'gypfile',
  'hasInstallScript',
  '_hasShrinkwrap',
  'deprecated',
  'dist',
];

/** A package's document as a registry gives it; unknown but for what is read here. */
export interface Packument {
  readonly distTags: Readonly<Record<string, string>>;
  readonly versions: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** An answer that is not what a registry gives. The answer itself is not shown: it may carry a password. */
export function invalidAnswer(where: string, expected: string, actual: string): PrepareError {
  return new PrepareError('infrastructure', 'REGISTRY_ANSWER_INVALID', 'registry answer', {
    where,
    expected,
    actual,
  });
}

/**
 * Reads what decides a resolution of a package's document, and drops the rest.
 *
 * @throws {PrepareError} REGISTRY_ANSWER_INVALID
 */
export function parsePackument(bytes: Buffer, name: string): Packument {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidAnswer(name, 'JSON', 'something else');
  }
  const versions = isRecord(value) ? value.versions : undefined;
  const tags = isRecord(value) ? value['dist-tags'] : undefined;
  if (!isRecord(versions) || !isRecord(tags)) throw invalidAnswer(name, 'versions and dist-tags', 'neither');
  const parsed = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [version, manifest] of Object.entries(versions)) {
    if (isRecord(manifest)) parsed.set(version, pickManifest(manifest));
  }
  const distTags: Record<string, string> = {};
  for (const [tag, version] of Object.entries(tags)) {
    if (typeof version === 'string') distTags[tag] = version;
  }
  return { distTags, versions: parsed };
}

/** The part of a version's manifest that decides how a tree is resolved. */
export function pickManifest(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    MANIFEST_FIELDS.filter((field) => field in manifest).map((field) => [field, manifest[field]]),
  );
}

/**
 * Address and integrity of a version's archive.
 *
 * @throws {PrepareError} REGISTRY_ANSWER_INVALID, INTEGRITY_*
 */
export function readDist(
  manifest: Readonly<Record<string, unknown>>,
  where: string,
): { readonly tarball: string; readonly integrity: Integrity } {
  const dist = manifest.dist;
  if (!isRecord(dist) || typeof dist.tarball !== 'string') {
    throw invalidAnswer(where, 'dist.tarball', 'nothing');
  }
  return { tarball: dist.tarball, integrity: parseIntegrity(dist.integrity, where) };
}
