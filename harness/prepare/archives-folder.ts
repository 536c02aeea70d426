import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { hashFile } from './disk.ts';
import { PrepareError } from './errors.ts';
import type { ArchiveDigest, Integrity } from './integrity.ts';
import { type PackageManifest, readManifestFiles } from './manifest-files.ts';
import { type Packument, pickManifest } from './packument.ts';
import { inParallel } from './parallel.ts';
import type { Registry } from './registry.ts';

/** Hashing is bound by the disk. */
const HASH_WIDTH = 4;
/** Archives up to this size can be npm packages whose manifest is worth reading. */
const PACKAGE_LIMIT_BYTES = 256 * 1024 ** 2;

interface FolderArchive {
  readonly path: string;
  readonly digest: ArchiveDigest;
}

/**
 * A folder of archives for machines without a network: any file names, found by digest only.
 *
 * It is a registry too: the packages that lie in it are the ones that exist.
 */
export class ArchivesFolder implements Registry {
  readonly #bySha256 = new Map<string, FolderArchive>();
  readonly #byIntegrity = new Map<string, FolderArchive>();
  #packages: Promise<ReadonlyMap<string, readonly FolderPackage[]>> | null = null;

  private constructor(archives: readonly FolderArchive[]) {
    for (const archive of archives) {
      this.#bySha256.set(archive.digest.sha256, archive);
      this.#byIntegrity.set(archive.digest.integrity, archive);
    }
  }

  /**
   * Hashes every regular file below `folder`; links are not followed.
   *
   * @throws {PrepareError} ARCHIVES_FOLDER_MISSING
   */
  static async open(folder: string): Promise<ArchivesFolder> {
    const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
      throw new PrepareError('usage', 'ARCHIVES_FOLDER_MISSING', 'archives', {
        where: folder,
        expected: 'a readable folder',
        actual: 'none',
        cause: error,
      });
    });
    const archives = await inParallel(names.sort(), HASH_WIDTH, async (name) => {
      const path = join(folder, name);
      const digest = await hashFile(path);
      return digest === null ? null : { path, digest };
    });
    return new ArchivesFolder(archives.filter((archive) => archive !== null));
  }

  /** The bytes of an archive, or null when the folder does not hold it. The reader compares the digest. */
  read(wanted: { readonly sha256?: string; readonly integrity?: Integrity }): AsyncIterable<Buffer> | null {
    const found =
      wanted.integrity !== undefined
        ? this.#byIntegrity.get(wanted.integrity)
        : this.#bySha256.get(wanted.sha256 ?? '');
    return found === undefined ? null : createReadStream(found.path, { highWaterMark: 1 << 20 });
  }

  async packument(name: string): Promise<Packument | null> {
    this.#packages ??= readPackages([...this.#byIntegrity.values()]);
    const packages = (await this.#packages).get(name) ?? [];
    if (packages.length === 0) return null;
    const versions = packages.map(({ manifest, integrity }): [string, Readonly<Record<string, unknown>>] => [
      manifest.version,
      {
        ...pickManifest(manifest.json),
        hasInstallScript: manifest.hasInstallScript,
        _hasShrinkwrap: manifest.hasShrinkwrap,
        // Never asked for: npm's own requests go to our registry, which reads by digest.
        dist: { integrity, tarball: 'http://127.0.0.1/' },
      },
    ]);
    const latest = semver.rsort(
      packages.map(({ manifest }) => manifest.version).filter((item) => semver.valid(item)),
    )[0];
    return { distTags: latest === undefined ? {} : { latest }, versions: new Map(versions) };
  }

  async tarball(reference: {
    readonly name: string;
    readonly integrity: Integrity;
  }): Promise<AsyncIterable<Buffer>> {
    const bytes = this.read(reference);
    if (bytes !== null) return bytes;
    throw new PrepareError('infrastructure', 'ARCHIVE_NOT_FOUND', 'folder of archives', {
      where: reference.name,
      expected: reference.integrity,
      actual: 'no file with this digest',
    });
  }
}

interface FolderPackage {
  readonly manifest: PackageManifest;
  readonly integrity: Integrity;
}

/** Files that are no npm packages (Debian packages, notes) are passed over: they are found by digest. */
async function readPackages(
  archives: readonly FolderArchive[],
): Promise<ReadonlyMap<string, readonly FolderPackage[]>> {
  const packages = new Map<string, FolderPackage[]>();
  for (const { path, digest } of archives) {
    const manifest = await readPackage(path);
    if (manifest === null) continue;
    const list = packages.get(manifest.name) ?? [];
    list.push({ manifest, integrity: digest.integrity });
    packages.set(manifest.name, list);
  }
  return packages;
}

async function readPackage(path: string): Promise<PackageManifest | null> {
  if ((await lstat(path)).size > PACKAGE_LIMIT_BYTES) return null;
  try {
    return await readManifestFiles(await readFile(path), path);
  } catch (error) {
    if (error instanceof PrepareError) return null;
    throw error;
  }
}
