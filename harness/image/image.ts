import type { Boundary, Platform } from '../boundary/boundary.ts';
import { sha256Hex } from '../document/digest.ts';
import type { BuiltImage, Engine } from '../engine/engine.ts';
import { buildArchivesLayer } from './archives-layer.ts';
import { type BaseArchiveFile, buildBaseLayer } from './base-layer.ts';
import { buildCandidateLayer } from './candidate-layer.ts';
import { toImage } from './config.ts';
import { ImageError } from './errors.ts';
import { type ExpectedTree, expectedTree, type PackageInput, type Transform } from './expected-tree.ts';
import { type InstallResult, installCandidate } from './install.ts';
import { buildInstallLayer, type LockedArchive } from './install-layer.ts';
import type { InstalledTree } from './installed-tree.ts';
import { type InventoryFile, mergeInventories } from './inventory.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { type Lock, type LockPackage, parseLock } from './lock-file.ts';
import { matchTree, type TreeDifference } from './match-tree.ts';
import { type ReadArchive, readArchive } from './npm-archive.ts';
import type { PinnedFile } from './pinned-file.ts';
import { buildRuntimeLayer } from './runtime-layer.ts';
import type { SuiteArchive } from './suite-archive.ts';

/** What a box stands on: C libraries, holder, Node. */
export interface PlatformInputs {
  readonly platform: Platform;
  /** A root file system that somebody brought, or null for packproof's own base. */
  readonly rootfs: PinnedFile | null;
  readonly baseArchives: readonly BaseArchiveFile[];
  readonly nodeArchive: PinnedFile;
}

/** Everything that an image is made of, as a context holds it. */
export interface ImageInputs extends PlatformInputs {
  readonly holderSource: Uint8Array;
  readonly probeSource: Uint8Array;
  readonly npmArchive: PinnedFile;
  readonly candidate: { readonly name: string; readonly version: string; readonly archive: PinnedFile };
  /** The archive of every lock entry that has one, the candidate's included. */
  readonly packages: readonly LockedArchive[];
  readonly packageLock: Uint8Array;
  readonly suiteArchives: readonly SuiteArchive[];
  readonly withScripts: boolean;
  /** Where npm runs, when `platform` cannot run here. */
  readonly installer?: PlatformInputs;
}

export interface ImageTools {
  readonly store: LayerStore;
  /** Asked for only when the candidate layer is not in the cache. */
  readonly engine: () => Promise<Engine>;
  readonly boundary: Boundary;
  readonly runId: string;
  readonly installLimitMs?: number;
}

export interface ImageResult {
  readonly image: BuiltImage;
  /** Every file of the merged image, byte order of path. */
  readonly inventory: readonly InventoryFile[];
  /** What npm changed of the candidate; derived from its archive alone. */
  readonly transforms: readonly Transform[];
  /** npm's run, or null when the layer came from the cache. */
  readonly install: Pick<InstallResult, 'durationMs' | 'stdout' | 'stderr'> | null;
  /** What install scripts changed in the tree; empty without `withScripts`, and null from the cache. */
  readonly changedByScripts: readonly TreeDifference[] | null;
}

/**
 * Makes the image of a candidate: base, runtime, suite archives, candidate. The same inputs give the same
 * layers and config on every machine.
 *
 * @throws {ImageError} TREE_UNEXPLAINED when npm's tree is not what the archives explain, LAYER_SHADOWS,
 * SCRIPTS_NEED_NATIVE_PLATFORM, CANDIDATE_NOT_INSTALLED, and the codes of each layer and of the install.
 */
export async function buildImage(inputs: ImageInputs, tools: ImageTools): Promise<ImageResult> {
  const lock = parseLock(inputs.packageLock);
  const own = findCandidate(lock, inputs);
  const [base, runtime] = await platformLayers(inputs, inputs, tools.store);
  const archives =
    inputs.suiteArchives.length === 0 ? [] : [await buildArchivesLayer(tools.store, inputs.suiteArchives)];
  const installed = await candidateLayer(inputs, tools, { lock, own, below: [base, runtime] });
  const layers = [base, runtime, ...archives, installed.layer];
  return {
    image: toImage(
      inputs.platform,
      layers.map(({ layer }) => layer),
    ),
    inventory: mergeInventories(layers.map(({ inventory }) => inventory)),
    transforms: await candidateTransforms(inputs, lock, own),
    install: installed.install,
    changedByScripts: installed.changedByScripts,
  };
}

function platformLayers(
  platform: PlatformInputs,
  inputs: ImageInputs,
  store: LayerStore,
): Promise<readonly [StoredLayer, StoredLayer]> {
  const base = buildBaseLayer(store, {
    platform: platform.platform,
    rootfs: platform.rootfs,
    archives: platform.baseArchives,
    holderSource: inputs.holderSource,
    probeSource: inputs.probeSource,
  });
  return Promise.all([base, buildRuntimeLayer(store, platform.nodeArchive)]);
}

function findCandidate(lock: Lock, inputs: ImageInputs): LockPackage {
  const { name, version } = inputs.candidate;
  const path = `node_modules/${name}`;
  const own = lock.packages.find((entry) => entry.path === path);
  if (own?.version === version) return own;
  throw new ImageError('infrastructure', 'CANDIDATE_NOT_INSTALLED', 'lock', {
    where: path,
    expected: version,
    actual: own?.version ?? 'no entry',
  });
}

interface CandidateContext {
  readonly lock: Lock;
  readonly own: LockPackage;
  readonly below: readonly StoredLayer[];
}

interface CandidateOutcome {
  readonly layer: StoredLayer;
  readonly install: InstallResult | null;
  readonly changedByScripts: readonly TreeDifference[] | null;
}

async function candidateLayer(
  inputs: ImageInputs,
  tools: ImageTools,
  context: CandidateContext,
): Promise<CandidateOutcome> {
  let install: InstallResult | null = null;
  let changedByScripts: readonly TreeDifference[] | null = null;
  const layer = await buildCandidateLayer(tools.store, {
    name: inputs.candidate.name,
    bins: context.own.bins,
    key: candidateKey(inputs, context.below),
    install: async (spool) => {
      const engine = await tools.engine();
      const image = await installImage(inputs, tools.store, context);
      const labels = { runId: tools.runId, boxName: 'install' };
      const { platform: target, withScripts } = inputs;
      const limit = tools.installLimitMs === undefined ? {} : { limitMs: tools.installLimitMs };
      const request = { image, boundary: tools.boundary, labels, target, withScripts, ...limit };
      install = await installCandidate(engine, request, spool);
      changedByScripts = await explainTree(inputs, context.lock, install.tree);
      return install.tree;
    },
  });
  return { layer, install, changedByScripts };
}

/** Without scripts the tree depends on archives, lock, npm and platform; with them on all that they see. */
function candidateKey(inputs: ImageInputs, below: readonly StoredLayer[]): unknown {
  return {
    npm: inputs.npmArchive.sha256,
    packageLock: sha256Hex(inputs.packageLock),
    packages: inputs.packages.map(({ path, sha256 }) => ({ path, sha256 })),
    platform: inputs.platform,
    scripts: inputs.withScripts ? below.map(({ layer }) => layer.diffId) : null,
  };
}

async function installImage(
  inputs: ImageInputs,
  store: LayerStore,
  context: CandidateContext,
): Promise<BuiltImage> {
  const installer = inputs.installer ?? inputs;
  if (inputs.withScripts && installer.platform !== inputs.platform) {
    throw new ImageError('infrastructure', 'SCRIPTS_NEED_NATIVE_PLATFORM', 'install', {
      where: inputs.platform,
      expected: 'the platform of the installer',
      actual: installer.platform,
    });
  }
  const { npmArchive, packages } = inputs;
  const install = await buildInstallLayer(store, { npmArchive, lock: context.lock, packages });
  const below = installer === inputs ? context.below : await platformLayers(installer, inputs, store);
  return toImage(
    installer.platform,
    [...below, install].map(({ layer }) => layer),
  );
}

/** Compares npm's tree with what the archives explain; returns what scripts changed, if they ran. */
async function explainTree(
  inputs: ImageInputs,
  lock: Lock,
  tree: InstalledTree,
): Promise<readonly TreeDifference[]> {
  const paths = [...tree.entries.keys()];
  const present = lock.packages.filter(
    (entry) => !entry.optional || paths.some((path) => path.startsWith(`${entry.path}/`)),
  );
  const expected = await expect(inputs, present);
  const differences = matchTree(expected.entries, tree.entries);
  const [first] = differences;
  if (first === undefined || inputs.withScripts) return differences;
  throw new ImageError('candidate', 'TREE_UNEXPLAINED', 'install', {
    where: first.path,
    expected: first.expected ?? 'nothing',
    actual: `${first.actual ?? 'nothing'} (and ${differences.length - 1} more)`,
  });
}

/**
 * Other packages count only by the bin names that they claim; what their archives hold changes nothing of the
 * candidate, so that the result follows from its own archive and the lock.
 */
async function candidateTransforms(
  inputs: ImageInputs,
  lock: Lock,
  own: LockPackage,
): Promise<readonly Transform[]> {
  const present = new Set(inputs.packages.map(({ path }) => path));
  const packages = lock.packages.filter(({ path, bundled }) => bundled || present.has(path));
  const archive = inputs.packages.filter(({ path }) => path === own.path);
  return (await expect({ ...inputs, packages: archive }, packages)).transforms;
}

async function expect(inputs: ImageInputs, packages: readonly LockPackage[]): Promise<ExpectedTree> {
  const byPath = new Map(inputs.packages.map((archive) => [archive.path, archive]));
  const read: PackageInput[] = [];
  for (const { path, bins } of packages) {
    const pinned = byPath.get(path);
    const archive: ReadArchive | null = pinned === undefined ? null : await readArchive(pinned, path);
    read.push({ path, archive, bins });
  }
  return expectedTree(read);
}
