import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '../boundary/boundary.ts';
import { isRecord } from '../document/json-record.ts';
import { guardDisk } from './disk.ts';
import { errnoOf, type PrepareCode, PrepareError } from './errors.ts';
import type { Integrity } from './integrity.ts';
import type { PackageManifest } from './manifest-files.ts';
import { type NpmResult, runNpmLock, unpackNpm } from './npm-run.ts';
import { type NpmPlatform, parsePackageLock, type ResolvedTree } from './package-lock.ts';
import type { Registry } from './registry.ts';
import { ResolverRegistry, type Universe } from './resolver-registry.ts';

/** A package whose bytes were handed in: the candidate or a sibling. */
export interface LocalPackage {
  readonly manifest: PackageManifest;
  readonly integrity: Integrity;
}

export interface ResolveRequest {
  readonly candidate: LocalPackage;
  readonly siblings: readonly LocalPackage[];
  readonly platform: Platform;
  /** The lowest Node version of the run: the tree must suit all of them. */
  readonly nodeVersion: string;
  /** The pinned npm archive; its bytes were compared. */
  readonly npmArchiveFile: string;
  readonly upstream: Registry;
  readonly universe: Universe | null;
  /** An existing private folder for scratch. */
  readonly temporaryFolder: string;
}

/** npm's words for our platforms; the base is glibc. */
export function toNpmPlatform(platform: Platform): NpmPlatform {
  return { os: 'linux', cpu: platform === 'linux/amd64' ? 'x64' : 'arm64', libc: 'glibc' };
}

/**
 * Resolves the tree of a candidate installed as the one dependency of an empty project.
 *
 * npm sees manifests only (`buildStub`), through a registry of our own on loopback. A name that was handed in
 * is answered from what was handed in; only when a version of it is missing is the registry asked for it.
 * @throws {PrepareError} the registry's own failure when it had one; DEPENDENCY_* and TREE_*, kind
 *   `candidate`, when the tree cannot be resolved; NPM_FAILED, NPM_TIMED_OUT, DISK_FULL
 */
export async function resolveTree(request: ResolveRequest): Promise<ResolvedTree> {
  try {
    return await resolveOnce(request, false);
  } catch (error) {
    const retry = error instanceof PrepareError && MISSING_VERSION.has(error.code);
    if (!retry) throw error;
    return resolveOnce(request, true);
  }
}

/** What it looks like when another version of something that was handed in is wanted. */
const MISSING_VERSION: ReadonlySet<PrepareCode> = new Set(['DEPENDENCY_NO_VERSION', 'DEPENDENCY_CONFLICT']);

async function resolveOnce(request: ResolveRequest, mergeLocal: boolean): Promise<ResolvedTree> {
  const folder = await guardDisk(request.temporaryFolder, () =>
    mkdtemp(join(request.temporaryFolder, 'resolve-')),
  );
  const registry = await ResolverRegistry.start({
    local: [request.candidate, ...request.siblings].map((item) => item.manifest),
    upstream: request.upstream,
    universe: request.universe,
    mergeLocal,
  });
  try {
    const result = await guardDisk(request.temporaryFolder, () => runInFolder(request, registry, folder));
    const failure = registry.failures[0];
    if (failure !== undefined) throw failure;
    if (result.exitCode !== 0) throw toResolveError(result, registry);
    const bytes = await readFile(join(folder, 'project', 'package-lock.json'));
    return parsePackageLock(bytes, {
      platform: toNpmPlatform(request.platform),
      local: localIntegrities(request),
      registryUrl: registry.url,
    });
  } finally {
    await registry.close();
    // What was being unpacked when the disk was full may still be writing: then the folder fills again.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The true integrity of every package that was handed in, by `name@version`. */
export function localIntegrities(
  request: Pick<ResolveRequest, 'candidate' | 'siblings'>,
): ReadonlyMap<string, Integrity> {
  const local = [request.candidate, ...request.siblings];
  return new Map(local.map(({ manifest, integrity }) => [`${manifest.name}@${manifest.version}`, integrity]));
}

async function runInFolder(
  request: ResolveRequest,
  registry: ResolverRegistry,
  folder: string,
): Promise<NpmResult> {
  const { name, version } = request.candidate.manifest;
  await mkdir(join(folder, 'project'), { mode: 0o700 });
  const project = {
    name: 'packproof-context',
    version: '0.0.0',
    private: true,
    dependencies: { [name]: version },
  };
  await writeFile(join(folder, 'project', 'package.json'), JSON.stringify(project));
  const npmFolder = await unpackNpm(request.npmArchiveFile, join(folder, 'npm'));
  return runNpmLock({
    folder,
    npmFolder,
    registryUrl: registry.url,
    proxyUrl: registry.origin,
    nodeVersion: request.nodeVersion,
    ...toNpmPlatform(request.platform),
  });
}

/** npm's error codes for trees that cannot be had, whoever asks. */
const RESOLVE_CODES: Readonly<Record<string, PrepareCode>> = {
  E404: 'DEPENDENCY_NOT_FOUND',
  ETARGET: 'DEPENDENCY_NO_VERSION',
  ENOVERSIONS: 'DEPENDENCY_NO_VERSION',
  EUNSUPPORTEDPROTOCOL: 'DEPENDENCY_PROTOCOL',
  EINVALIDPACKAGENAME: 'DEPENDENCY_PROTOCOL',
  EINVALIDTAGNAME: 'DEPENDENCY_PROTOCOL',
  ERESOLVE: 'DEPENDENCY_CONFLICT',
  EALLOWGIT: 'DEPENDENCY_REFUSED',
  EALLOWREMOTE: 'DEPENDENCY_REFUSED',
  EALLOWFILE: 'DEPENDENCY_REFUSED',
  EALLOWDIRECTORY: 'DEPENDENCY_REFUSED',
};

/** npm's codes that speak of this machine and not of the tree. */
const MACHINE_CODES: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENOMEM',
  'EROFS',
  'EIO',
]);

function toResolveError(result: NpmResult, registry: ResolverRegistry): PrepareError {
  const error = parseNpmError(result.stdout);
  const [host] = registry.refused;
  if (host !== undefined) {
    return new PrepareError('candidate', 'DEPENDENCY_REFUSED', 'dependencies', {
      where: 'package.json',
      expected: 'registry packages and siblings only',
      actual: host,
    });
  }
  const said = `${error.code} ${error.summary}`.replaceAll(registry.url, '').trim();
  if (MACHINE_CODES.has(error.code)) {
    return new PrepareError('infrastructure', 'NPM_FAILED', 'npm', {
      where: 'resolution',
      expected: 'a resolved tree',
      actual: said,
    });
  }
  return new PrepareError('candidate', RESOLVE_CODES[error.code] ?? 'TREE_INVALID', 'dependencies', {
    where: 'package.json',
    expected: 'a tree that npm can resolve',
    actual: said,
  });
}

function parseNpmError(stdout: string): { readonly code: string; readonly summary: string } {
  try {
    const value: unknown = JSON.parse(stdout);
    const error = isRecord(value) ? value.error : null;
    if (isRecord(error)) {
      return {
        code: typeof error.code === 'string' ? error.code : 'unknown',
        summary: typeof error.summary === 'string' ? error.summary : '',
      };
    }
  } catch (error) {
    return { code: 'unknown', summary: errnoOf(error) ?? 'no JSON result' };
  }
  return { code: 'unknown', summary: 'no error in the JSON result' };
}
