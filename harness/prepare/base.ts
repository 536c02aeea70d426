import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '../boundary/boundary.ts';
import type { BaseArchive } from '../image/base-lock.ts';
import { AptIndex, type DownloadResult, downloadWithApt } from './apt.ts';
import type { ArchivesFolder } from './archives-folder.ts';
import { type PlatformBase, readPlatformBase } from './base-lock.ts';
import { type DebianMirror, mirrorsOf, mirrorUris, readMirrors } from './debian-mirror.ts';
import { guardDisk } from './disk.ts';
import { PrepareError } from './errors.ts';
import type { ArchiveDigest } from './integrity.ts';
import { inParallel } from './parallel.ts';
import type { PlainAnswer } from './registry.ts';
import type { ArchiveShelf } from './shelf.ts';

/** Mirrors ask for few connections; the packages are small. */
const BASE_WIDTH = 4;

/** A base package that is on the shelf. */
export interface FetchedBase {
  readonly package: BaseArchive;
  readonly digest: ArchiveDigest;
  /** What the lock asked for, when the mirror no longer serves it and a newer one was taken. */
  readonly pinned: { readonly version: string; readonly sha256: string } | null;
}

export interface BaseRequest {
  readonly platform: Platform;
  readonly shelf: ArchiveShelf;
  /** An existing private folder for scratch. */
  readonly temporaryFolder: string;
  readonly folder: ArchivesFolder | null;
  /** Nothing outside may be asked. */
  readonly offline: boolean;
  /** A version that is no longer served is an error, not a drift. */
  readonly frozen: boolean;
  /** Address of a Debian mirror; null takes the machine's own apt configuration. */
  readonly debianMirror: string | null;
  /** Whether apt's own downloader and signed index are used. */
  readonly apt: boolean;
  /** Fetches a plain address where apt is missing. */
  readonly download: (uri: string) => Promise<PlainAnswer>;
  /** Packages to take instead of the lock's, by name: what an earlier run had drifted to and pinned. */
  readonly pinned: readonly BaseArchive[] | null;
  /** Replaces `docker/base.lock.json`. */
  readonly lock?: PlatformBase;
}

/**
 * Puts every Debian package of the base on the shelf, from the store, a folder, or a mirror.
 *
 * A pinned version that its mirror no longer serves: with `frozen` BASE_NOT_SERVED; else the newest version
 * of the mirror's signed index is taken and `pinned` says what it stands for.
 * @throws {PrepareError} BASE_*, OFFLINE, ARCHIVE_NOT_FOUND, ARCHIVE_MISMATCH, DISK_FULL
 */
export async function fetchBase(request: BaseRequest): Promise<readonly FetchedBase[]> {
  const lock = request.lock ?? readPlatformBase(request.platform);
  const packages = request.pinned ?? lock.packages;
  const scratch = await guardDisk(request.temporaryFolder, () =>
    mkdtemp(join(request.temporaryFolder, 'base-')),
  );
  const session = new MirrorSession(request, lock.codename, scratch);
  try {
    const fetched = await inParallel(packages, BASE_WIDTH, async (item) => {
      const digest = await findLocal(item, request);
      return digest ?? (await session.fetchPinned(item));
    });
    const results: FetchedBase[] = [];
    for (const [index, item] of packages.entries()) {
      const digest = fetched[index] ?? null;
      results.push(
        digest === null ? await session.fetchDrift(item) : { package: item, digest, pinned: null },
      );
    }
    return results;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function expectationOf(item: BaseArchive) {
  return { sha256: item.sha256, label: `${item.package} ${item.version}`, limitBytes: item.sizeBytes };
}

async function findLocal(item: BaseArchive, request: BaseRequest): Promise<ArchiveDigest | null> {
  const expected = expectationOf(item);
  const found = await request.shelf.take(expected);
  if (found !== null) return found;
  const bytes = request.folder?.read({ sha256: item.sha256 }) ?? null;
  if (bytes !== null) return request.shelf.add(bytes, expected);
  if (!request.offline) return null;
  throw new PrepareError(
    'infrastructure',
    request.folder === null ? 'OFFLINE' : 'ARCHIVE_NOT_FOUND',
    'archive',
    {
      where: expected.label,
      expected: `sha256 ${item.sha256} in the store or the folder of archives`,
      actual: 'nothing there, and the network is not to be used',
    },
  );
}

/** The mirrors of one prepare: found once, their index fetched at most once. */
class MirrorSession {
  readonly #request: BaseRequest;
  readonly #codename: string;
  readonly #scratch: string;
  #mirrors: Promise<readonly DebianMirror[]> | null = null;
  #index: Promise<AptIndex | null> | null = null;

  constructor(request: BaseRequest, codename: string, scratch: string) {
    this.#request = request;
    this.#codename = codename;
    this.#scratch = scratch;
  }

  /** Null when every mirror says that it does not have exactly this. */
  async fetchPinned(item: BaseArchive): Promise<ArchiveDigest | null> {
    const answers: DownloadResult[] = [];
    for (const uri of mirrorUris(await this.#findMirrors(), item.archive)) {
      const answer = await this.#fetchFrom(`${uri}/${item.poolPath}`, item);
      if (typeof answer === 'object') return answer;
      answers.push(answer);
    }
    if (answers.includes('unreachable')) {
      throw new PrepareError('infrastructure', 'BASE_UNREACHABLE', 'Debian mirror', {
        where: `${item.package} ${item.version}`,
        expected: 'an answer',
        actual: answers.join(', '),
      });
    }
    return null;
  }

  /** @throws {PrepareError} BASE_NOT_SERVED, BASE_DRIFT_UNSIGNED */
  async fetchDrift(item: BaseArchive): Promise<FetchedBase> {
    const where = `${item.package} ${item.version}`;
    const expected = `sha256 ${item.sha256}`;
    if (this.#request.frozen) {
      throw new PrepareError('infrastructure', 'BASE_NOT_SERVED', 'base package', {
        where,
        expected,
        actual: 'no longer served by the mirror',
      });
    }
    const newest = await (await this.#openIndex(item.architecture))?.newest(item.package);
    if (newest === null || newest === undefined) {
      throw new PrepareError('infrastructure', 'BASE_DRIFT_UNSIGNED', 'base package', {
        where,
        expected: `${expected}, or a signed index that names a newer version`,
        actual: 'neither; give a mirror that still serves it, or --archives',
      });
    }
    const taken: BaseArchive = { ...item, ...newest };
    const found = await findLocal(taken, this.#request);
    const digest = found ?? (await this.fetchPinned(taken));
    if (digest === null) {
      throw new PrepareError('infrastructure', 'BASE_NOT_SERVED', 'base package', {
        where: `${taken.package} ${taken.version}`,
        expected: `sha256 ${taken.sha256}, as the mirror's index says`,
        actual: 'not served',
      });
    }
    return { package: taken, digest, pinned: { version: item.version, sha256: item.sha256 } };
  }

  async #fetchFrom(uri: string, item: BaseArchive): Promise<ArchiveDigest | DownloadResult> {
    const expected = expectationOf(item);
    if (!this.#request.apt) {
      const answer = await this.#request.download(uri);
      if (typeof answer === 'string') return answer;
      return this.#request.shelf.add(answer, expected).catch(otherBytes);
    }
    const target = join(this.#scratch, randomUUID());
    const answer = await downloadWithApt(uri, target, item.sha256, this.#scratch);
    return answer === 'done' ? this.#request.shelf.add(createReadStream(target), expected) : answer;
  }

  #findMirrors(): Promise<readonly DebianMirror[]> {
    this.#mirrors ??= this.#readMirrors();
    return this.#mirrors;
  }

  async #readMirrors(): Promise<readonly DebianMirror[]> {
    const address = this.#request.debianMirror;
    const mirrors = address === null ? await readMirrors(this.#codename) : mirrorsOf(address, this.#codename);
    if (mirrors.length > 0) return mirrors;
    throw new PrepareError('infrastructure', 'BASE_MIRROR_UNKNOWN', 'Debian mirror', {
      where: '--debian-mirror',
      expected: `the address of a mirror with ${this.#codename}: this machine's apt names none`,
      actual: 'nothing',
    });
  }

  async #openIndex(architecture: string): Promise<AptIndex | null> {
    if (!this.#request.apt) return null;
    this.#index ??= this.#findMirrors().then((mirrors) =>
      AptIndex.open(mirrors, architecture, join(this.#scratch, 'apt')),
    );
    return this.#index;
  }
}

function otherBytes(error: unknown): 'other-bytes' {
  const known =
    error instanceof PrepareError && ['ARCHIVE_MISMATCH', 'ARCHIVE_TOO_LARGE'].includes(error.code);
  if (!known) throw error;
  return 'other-bytes';
}
