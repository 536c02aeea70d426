export { buildArchivesLayer, type SuiteArchive } from './archives-layer.ts';
export { type BaseArchiveFile, type BaseInputs, buildBaseLayer } from './base-layer.ts';
export { type BaseArchive, type BaseLock, type Inclusion, parseBaseLock } from './base-lock.ts';
export { type BinMap, binMapOf } from './bin-map.ts';
export { buildCandidateLayer, CANDIDATE_PREFIX } from './candidate-layer.ts';
export { toImage } from './config.ts';
export { type ImageCode, ImageError } from './errors.ts';
export {
  type ExpectedTree,
  expectedTree,
  type PackageInput,
  type Transform,
  type TransformKind,
  type TreeEntry,
} from './expected-tree.ts';
export {
  buildImage,
  type ImageInputs,
  type ImageResult,
  type ImageTools,
  type PlatformInputs,
} from './image.ts';
export { type InstallRequest, type InstallResult, installCandidate, toInstallBoundary } from './install.ts';
export { buildInstallLayer, type LockedArchive } from './install-layer.ts';
export { type InventoryFile, mergeInventories, toNdjson } from './inventory.ts';
export { scanLayer } from './layer-scan.ts';
export { LayerStore, type StoredLayer } from './layer-store.ts';
export { type InventoryCode, type InventoryFinding, matchInventory } from './match-inventory.ts';
export { matchTree, type TreeDifference } from './match-tree.ts';
export { type ArchiveEntry, type ReadArchive, readArchive } from './npm-archive.ts';
export type { PinnedFile } from './pinned-file.ts';
export { buildRuntimeLayer } from './runtime-layer.ts';
