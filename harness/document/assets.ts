import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that travel in the package beside the code, by their path from the package's root. */
export type AssetName =
  | 'package.json'
  | 'docker/base.lock.json'
  | 'docker/node.lock.json'
  | 'docker/tools.lock.json'
  | 'docker/seccomp.json'
  | 'harness/engine/holder/holder.pl'
  | 'harness/boundary/probe.pl'
  | `evidence-schema/${string}.schema.json`;

let root: string | undefined;

/**
 * Absolute path of packproof's own package root: the nearest folder above this module with a
 * `package.json` and a `docker/seccomp.json`, so that it holds for compiled tests, the checkout and the
 * packed, bundled form alike.
 *
 * @throws {Error} when the package is incomplete; nothing can be claimed by a damaged installation.
 */
export function packageRoot(): string {
  if (root !== undefined) return root;
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'docker', 'seccomp.json')))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('installation: packproof: expected its package root, got none');
    folder = parent;
  }
  root = folder;
  return folder;
}

/** Bytes of an asset, read anew each time; an asset is small and read once per process. */
export function readAsset(name: AssetName): Buffer {
  return readFileSync(join(packageRoot(), name));
}
