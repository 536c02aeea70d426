import { stat } from 'node:fs/promises';
import { sha256Hex } from '../document/digest.ts';
import { ImageError } from './errors.ts';
import { fileOf, type LayerEntry } from './layer-entry.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { type InstallProject, type Lock, toInstallProject } from './lock-file.ts';
import { walkArchive } from './npm-archive.ts';
import { type PinnedFile, readPinned } from './pinned-file.ts';
import type { Spool } from './spool.ts';

/** Where the installer, its archives and the project lie in the install box. */
export const INSTALL_ROOT = '/.install';

/** An archive of the lock: which entry it is for, and where its bytes are. */
export interface LockedArchive extends PinnedFile {
  /** Lock path, such as `node_modules/a`. */
  readonly path: string;
  readonly integrity: string;
}

export interface InstallLayerInputs {
  readonly npmArchive: PinnedFile;
  readonly lock: Lock;
  /** Every archive that the install may need; entries without one are optional and of another platform. */
  readonly packages: readonly LockedArchive[];
}

/**
 * The layer of the install box: npm at `/.install/npm`, archives at `/.install/archives/<sha256>.tgz`, the
 * project, and two empty configuration files, so that npm's own defaults hold and nobody's settings.
 *
 * @throws {ImageError} LOCK_ARCHIVE_MISSING, LOCK_INTEGRITY_DIFFERS, ARCHIVE_INCOMPLETE,
 * ARCHIVE_DIGEST_DIFFERS, ARCHIVE_UNREADABLE.
 */
export async function buildInstallLayer(store: LayerStore, inputs: InstallLayerInputs): Promise<StoredLayer> {
  const project = toProject(inputs);
  return store.obtain({
    role: 'install',
    rules: { prefix: '.install', fault: 'infrastructure' },
    inputs: {
      npm: inputs.npmArchive.sha256,
      archives: archiveDigests(inputs.packages),
      packageJson: sha256Hex(project.packageJson),
      packageLock: sha256Hex(project.packageLock),
    },
    entries: async (spool) => [
      fileOf('.install/package.json', project.packageJson),
      fileOf('.install/package-lock.json', project.packageLock),
      fileOf('.install/user.npmrc', Buffer.alloc(0)),
      fileOf('.install/global.npmrc', Buffer.alloc(0)),
      ...(await archiveEntries(inputs.packages)),
      ...(await npmEntries(inputs.npmArchive, spool)),
    ],
  });
}

function toProject(inputs: InstallLayerInputs): InstallProject {
  const byPath = new Map(inputs.packages.map((archive) => [archive.path, archive]));
  for (const entry of inputs.lock.packages) {
    const archive = byPath.get(entry.path);
    if (archive === undefined && !entry.bundled && !entry.optional) {
      throw new ImageError('infrastructure', 'LOCK_ARCHIVE_MISSING', 'install', {
        where: entry.path,
        expected: 'an archive',
        actual: 'none',
      });
    }
    if (archive !== undefined && archive.integrity !== entry.integrity) {
      throw new ImageError('infrastructure', 'LOCK_INTEGRITY_DIFFERS', 'install', {
        where: entry.path,
        expected: entry.integrity ?? 'none, since it is bundled',
        actual: archive.integrity,
      });
    }
  }
  return toInstallProject(inputs.lock, (path) => {
    const archive = byPath.get(path);
    return archive === undefined ? null : `${INSTALL_ROOT}/archives/${archive.sha256}.tgz`;
  });
}

function archiveDigests(packages: readonly LockedArchive[]): readonly string[] {
  return [...new Set(packages.map(({ sha256 }) => sha256))].toSorted();
}

/** Several lock paths may share an archive. */
function archiveEntries(packages: readonly LockedArchive[]): Promise<readonly LayerEntry[]> {
  const bySha256 = new Map(packages.map((archive) => [archive.sha256, archive]));
  return Promise.all(
    [...bySha256.values()].map(
      async (archive): Promise<LayerEntry> => ({
        kind: 'file',
        path: `.install/archives/${archive.sha256}.tgz`,
        mode: 0o644,
        sizeBytes: (await stat(archive.file)).size,
        content: () => readPinned(archive, archive.path),
      }),
    ),
  );
}

async function npmEntries(npmArchive: PinnedFile, spool: Spool): Promise<readonly LayerEntry[]> {
  const entries: LayerEntry[] = [];
  await walkArchive(npmArchive, 'npm', async (entry) => {
    if (!entry.type.endsWith('File')) return;
    const path = entry.path.replace(/^[^/]+/u, '.install/npm');
    entries.push({ kind: 'file', path, mode: entry.mode ?? 0o644, ...(await spool.add(entry)) });
  });
  if (!entries.some(({ path }) => path === '.install/npm/bin/npm-cli.js')) {
    throw new ImageError('infrastructure', 'ARCHIVE_INCOMPLETE', 'archive', {
      where: 'npm',
      expected: 'bin/npm-cli.js',
      actual: 'no such entry',
    });
  }
  return entries;
}
