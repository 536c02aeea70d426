import { readFile } from 'node:fs/promises';
import semver from 'semver';
import type { Platform } from '../boundary/boundary.ts';
import type { BaseArchive } from '../image/base-lock.ts';
import { ADDED_PACKAGES } from '../image/rootfs/additions.ts';
import { hasApt } from './apt.ts';
import { type BaseRequest, type FetchedBase, fetchBase } from './base.ts';
import { readPlatformBase } from './base-lock.ts';
import type { SealedBase } from './base-source.ts';
import type { ContextBlock, ContextDependency, ContextPackage } from './context-document.ts';
import { PrepareError } from './errors.ts';
import { fetchPackage, fetchPackages } from './fetch.ts';
import type { ArchiveDigest } from './integrity.ts';
import { type LockPackage, toUniverse } from './lock.ts';
import { readManifestFiles } from './manifest-files.ts';
import type { LockEntry, ResolvedTree } from './package-lock.ts';
import { inParallel } from './parallel.ts';
import { reportStage } from './progress.ts';
import type { PackageReference } from './registry.ts';
import type { LocalPackage } from './resolve.ts';
import { readNodeTable, selectRuntimes } from './runtime.ts';
import { pinnedNpm } from './tools-lock.ts';
import { findTree, type TimedTree } from './tree.ts';
import type { Workshop } from './workshop.ts';

/** Everything a run takes from outside, on the shelf. */
export interface Supply {
  readonly npm: ContextPackage;
  readonly runtimes: readonly ContextPackage[];
  readonly base: readonly FetchedBase[];
  /** Set when the platform is not this machine's: npm then runs on this one. */
  readonly installer: SuppliedInstaller | null;
  readonly dependencies: readonly ContextDependency[];
  readonly packageLock: Buffer | null;
  readonly resolvedAt: string | null;
  /** What `packproof.lock.json` pins of the tree; null when the tree could not be resolved. */
  readonly locked: readonly LockPackage[] | null;
  readonly blocked: ContextBlock | null;
}

export interface SuppliedInstaller {
  readonly platform: Platform;
  readonly runtime: ContextPackage;
  readonly base: readonly FetchedBase[];
}

export interface SupplyRequest {
  readonly candidate: LocalPackage;
  readonly siblings: readonly LocalPackage[];
  readonly nodes: readonly PackageReference[];
  readonly base: SealedBase;
}

/** Manifests are read from archives in memory, so not many at once. */
const SCAN_WIDTH = 4;

/**
 * Resolves the tree and puts npm, runtimes, base and every dependency on the shelf.
 *
 * A tree that cannot be resolved is the candidate's fault and comes back as `blocked`.
 * @throws {PrepareError} for everything that is not
 */
export async function supply(workshop: Workshop, request: SupplyRequest): Promise<Supply> {
  const { shelf } = workshop;
  const npm = pinnedNpm();
  const sources = { shelf, folder: workshop.folder, registry: workshop.registry };
  reportStage(workshop.report, 'fetch', `npm@${npm.version}`);
  const npmDigest = await fetchPackage(npm, sources);
  const tools = { npm: toPackage(npm, npmDigest) };
  reportStage(workshop.report, 'resolve', `${request.candidate.manifest.name}`);
  const resolved = await resolveOrBlock(workshop, request, npmDigest);
  const base = await fetchBase({
    ...(await baseRequest(workshop)),
    pinned: basePackages(workshop, request.base),
  });
  const runtimes = await fetchPackages(request.nodes, sources, workshop.report);
  const common = {
    ...tools,
    base,
    installer: await fetchInstaller(workshop),
    runtimes: request.nodes.map((node, index) => toPackage(node, digestAt(runtimes, index))),
  };
  if ('blocked' in resolved) {
    return {
      ...common,
      dependencies: [],
      packageLock: null,
      resolvedAt: null,
      locked: null,
      blocked: resolved.blocked,
    };
  }
  return {
    ...common,
    dependencies: await fetchTree(workshop, resolved.tree, request),
    packageLock: resolved.tree.bytes,
    resolvedAt: resolved.resolvedAt,
    locked: lockedPackages(resolved.tree, request),
    blocked: null,
  };
}

/** The platform that boxes of this machine have. */
function nativePlatform(): Platform {
  return process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
}

/**
 * What npm needs to run here for another platform: this machine's base, and the newest Node of the table.
 * Nothing of it gets into the image, so the lock does not pin it.
 */
async function fetchInstaller(workshop: Workshop): Promise<SuppliedInstaller | null> {
  const platform = nativePlatform();
  if (platform === workshop.options.platform) return null;
  const table = readNodeTable(platform);
  const [node] = await selectRuntimes([{ kind: 'default' }], {
    platform,
    engines: null,
    tables: [table],
    list: async () => table.archives,
  });
  if (node === undefined) throw new RangeError('an empty node table');
  const { shelf, folder, registry } = workshop;
  const digest = await fetchPackage(node, { shelf, folder, registry });
  const base = await fetchBase({ ...(await baseRequest(workshop)), platform, pinned: null });
  return { platform, runtime: toPackage(node, digest), base };
}

/** What the lock pins, else packproof's own list; of a base that is not ours, only what is laid on it. */
function basePackages({ options, lock }: Workshop, base: SealedBase): readonly BaseArchive[] | null {
  // A lock of another base pins too little for ours.
  const locked =
    lock !== null && !options.refresh && (lock.base.kind === 'debian' || base.kind !== 'debian')
      ? lock.base.packages
      : null;
  if (base.kind === 'debian') return locked;
  const offered = locked ?? readPlatformBase(options.platform).packages;
  return offered.filter((item) => ADDED_PACKAGES.includes(item.package));
}

async function baseRequest(workshop: Workshop): Promise<Omit<BaseRequest, 'pinned'>> {
  const { options } = workshop;
  return {
    platform: options.platform,
    shelf: workshop.shelf,
    temporaryFolder: workshop.temporaryFolder,
    folder: workshop.folder,
    offline: workshop.folder !== null,
    frozen: options.frozen,
    debianMirror: options.debianMirror,
    apt: await hasApt(),
    download: workshop.download,
  };
}

async function resolveOrBlock(
  workshop: Workshop,
  request: SupplyRequest,
  npm: ArchiveDigest,
): Promise<TimedTree | { readonly blocked: ContextBlock }> {
  const { options, lock } = workshop;
  try {
    return await findTree({
      candidate: request.candidate,
      siblings: request.siblings,
      platform: options.platform,
      nodeVersion: semver.sort(request.nodes.map(({ version }) => version))[0] ?? '',
      npmArchiveFile: workshop.shelf.path(npm.sha256),
      npm: npm.integrity,
      upstream: workshop.registry,
      from: workshop.folder === null ? 'registry' : 'folder',
      temporaryFolder: workshop.temporaryFolder,
      store: workshop.store,
      refresh: options.refresh,
      locked: lock === null ? null : toUniverse(lock),
      frozen: options.frozen,
    });
  } catch (error) {
    if (!(error instanceof PrepareError) || error.kind !== 'candidate') throw error;
    if (workshop.folder !== null) requireComplete(error);
    const { code, where, expected, actual } = error;
    return { blocked: { stage: 'resolve', code, where, expected: expected ?? '', actual: actual ?? '' } };
  }
}

/** A name that a folder lacks says nothing of the candidate: the folder may not hold all of its tree. */
function requireComplete(error: PrepareError): void {
  if (error.code !== 'DEPENDENCY_NOT_FOUND' && error.code !== 'DEPENDENCY_NO_VERSION') return;
  throw new PrepareError('infrastructure', 'ARCHIVE_NOT_FOUND', 'folder of archives', {
    where: 'dependencies',
    expected: 'an archive of every package of the tree',
    actual: error.actual ?? error.code,
    cause: error,
  });
}

/** Fetches what the platform installs of a tree. Packages for another platform stay pinned and unfetched. */
async function fetchTree(
  workshop: Workshop,
  tree: ResolvedTree,
  request: SupplyRequest,
): Promise<readonly ContextDependency[]> {
  const local = new Set([request.candidate, ...request.siblings].map(({ integrity }) => String(integrity)));
  const wanted = tree.entries.filter(isInstalled);
  const references = wanted
    .filter(({ integrity }) => !local.has(integrity))
    .map(({ name, version, integrity }): PackageReference => ({ name, version, integrity }));
  const sources = { shelf: workshop.shelf, folder: workshop.folder, registry: workshop.registry };
  await fetchPackages(references, sources, workshop.report);
  return inParallel(wanted, SCAN_WIDTH, async (entry) => {
    const digest = await workshop.shelf.take({ integrity: entry.integrity, label: entry.path });
    if (digest === null) throw missing(entry);
    const scripts = await scanScripts(workshop, digest, entry);
    return { ...toPackage(entry, digest), path: entry.path, installScript: scripts };
  });
}

/** Read from the bytes that are installed, not from what a registry says of them. */
async function scanScripts(workshop: Workshop, digest: ArchiveDigest, entry: LockEntry): Promise<boolean> {
  const bytes = await readFile(workshop.shelf.path(digest.sha256));
  return (await readManifestFiles(bytes, entry.path)).hasInstallScript;
}

interface InstalledEntry extends LockEntry {
  readonly integrity: NonNullable<LockEntry['integrity']>;
}

function isInstalled(entry: LockEntry): entry is InstalledEntry {
  return entry.integrity !== null && (entry.fitsPlatform || !entry.optional);
}

function lockedPackages(tree: ResolvedTree, request: SupplyRequest): readonly LockPackage[] {
  const local = new Set([request.candidate, ...request.siblings].map(({ integrity }) => String(integrity)));
  const found = new Map<string, LockPackage>();
  for (const { name, version, integrity } of tree.entries) {
    if (integrity !== null && !local.has(integrity))
      found.set(`${name}@${version}`, { name, version, integrity });
  }
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, item]) => item);
}

function toPackage(
  reference: { readonly name: string; readonly version: string },
  digest: ArchiveDigest,
): ContextPackage {
  const { name, version } = reference;
  return { name, version, sha256: digest.sha256, integrity: digest.integrity, sizeBytes: digest.sizeBytes };
}

function digestAt(digests: readonly ArchiveDigest[], index: number): ArchiveDigest {
  const digest = digests[index];
  if (digest === undefined) throw new RangeError(`digest ${index} of ${digests.length}`);
  return digest;
}

function missing(entry: LockEntry): PrepareError {
  return new PrepareError('infrastructure', 'ARCHIVE_NOT_FOUND', 'archive', {
    where: entry.path,
    expected: entry.integrity ?? '',
    actual: 'nothing in the store',
  });
}
