import type { ImageFile } from '../engine/engine.ts';
import type { InventoryFile } from './inventory.ts';

export type InventoryCode =
  | 'IMAGE_FILE_MISSING'
  | 'IMAGE_FILE_EXTRA'
  | 'IMAGE_FILE_REPEATED'
  | 'IMAGE_KIND_DIFFERS'
  | 'IMAGE_MODE_DIFFERS'
  | 'IMAGE_OWNER_DIFFERS'
  | 'IMAGE_SIZE_DIFFERS'
  | 'IMAGE_CONTENT_DIFFERS'
  | 'IMAGE_TARGET_DIFFERS'
  | 'IMAGE_NOTHING_COMPARED';

/** One way in which the image that an engine holds is not ours. `path` as in the inventory. */
export interface InventoryFinding {
  readonly code: InventoryCode;
  readonly path: string;
  readonly expected: string | null;
  readonly actual: string | null;
}

/**
 * What an engine lays into any image by itself: empty mount targets, each with its kind and link target.
 * Closed. Whether such an entry came from the image cannot be told, so it counts neither when it is there nor
 * when an engine's adapter leaves it out.
 */
const ENGINE_TARGETS: ReadonlyMap<
  string,
  { readonly kind: ImageFile['kind']; readonly target: string | null }
> = new Map([
  ['.dockerenv', { kind: 'file', target: null }],
  ['dev/console', { kind: 'file', target: null }],
  ['dev/pts', { kind: 'directory', target: null }],
  ['dev/shm', { kind: 'directory', target: null }],
  ['etc/hostname', { kind: 'file', target: null }],
  ['etc/hosts', { kind: 'file', target: null }],
  ['etc/mtab', { kind: 'symlink', target: '/proc/mounts' }],
  ['etc/resolv.conf', { kind: 'file', target: null }],
]);

/**
 * Matches the files of a loaded image with its inventory, both ways. No findings: they are the same.
 *
 * Every defect of a file has its own finding. Files that an engine adds are let pass only as the empty mount
 * targets listed above; a root entry (`` or `.`) is no file.
 */
export async function matchInventory(
  expected: readonly InventoryFile[],
  actual: AsyncIterable<ImageFile>,
): Promise<readonly InventoryFinding[]> {
  const wanted = new Map(expected.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const findings: InventoryFinding[] = [];
  for await (const file of actual) {
    if (file.path === '' || file.path === '.') continue;
    if (seen.has(file.path)) findings.push(toFinding('IMAGE_FILE_REPEATED', file.path, 'once', 'again'));
    seen.add(file.path);
    const known = wanted.get(file.path);
    if (known !== undefined) findings.push(...compareFile(known, file));
    else if (!isEngineTarget(file)) findings.push(toFinding('IMAGE_FILE_EXTRA', file.path, null, file.kind));
  }
  for (const [path, file] of wanted) {
    if (!seen.has(path) && !isEngineTarget(file))
      findings.push(toFinding('IMAGE_FILE_MISSING', path, file.kind, null));
  }
  if (wanted.size === 0) findings.push(toFinding('IMAGE_NOTHING_COMPARED', '', 'an inventory', 'no file'));
  return findings;
}

function isEngineTarget(file: InventoryFile): boolean {
  const target = ENGINE_TARGETS.get(file.path);
  return target?.kind === file.kind && target.target === file.target && file.sizeBytes === 0;
}

function compareFile(expected: InventoryFile, actual: ImageFile): readonly InventoryFinding[] {
  const { path, kind } = expected;
  if (kind !== actual.kind) return [toFinding('IMAGE_KIND_DIFFERS', path, kind, actual.kind)];
  const rows: readonly (readonly [InventoryCode, string, string])[] = [
    ['IMAGE_OWNER_DIFFERS', '0:0', `${actual.uid}:${actual.gid}`],
    ...(kind === 'symlink'
      ? [['IMAGE_TARGET_DIFFERS', String(expected.target), String(actual.target)] as const]
      : [['IMAGE_MODE_DIFFERS', expected.mode, actual.mode] as const]),
    ...(kind === 'file'
      ? [
          ['IMAGE_SIZE_DIFFERS', String(expected.sizeBytes), String(actual.sizeBytes)] as const,
          ['IMAGE_CONTENT_DIFFERS', String(expected.sha256), String(actual.sha256)] as const,
        ]
      : []),
  ];
  return rows
    .filter(([, wanted, got]) => wanted !== got)
    .map(([code, wanted, got]) => toFinding(code, path, wanted, got));
}

function toFinding(
  code: InventoryCode,
  path: string,
  expected: string | null,
  actual: string | null,
): InventoryFinding {
  return { code, path, expected, actual };
}
