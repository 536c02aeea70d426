import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ROOTFS_ARCHIVE_LIMIT_BYTES } from '../image/rootfs/limits.ts';
import { inspectRootfs, writeRootfs } from '../image/rootfs/rootfs-file.ts';
import type { ExportImage, ImageRequest } from './base-selection.ts';
import type { ContextArchive } from './context-document.ts';
import { openPrivateFolder, readSmallFile, writeFileAtomic } from './disk.ts';
import { errnoOf, PrepareError } from './errors.ts';
import { parseIntegrity } from './integrity.ts';
import type { LockBase } from './lock.ts';
import { reportStage } from './progress.ts';
import type { ArchiveExpectation } from './store.ts';
import type { Workshop } from './workshop.ts';

/** The base of a run, its root file system hashed, stored, looked through and on the shelf. */
export type SealedBase =
  | { readonly kind: 'debian' }
  | { readonly kind: 'rootfs'; readonly fileName: string; readonly rootfs: ContextArchive }
  | {
      readonly kind: 'image';
      readonly reference: string;
      readonly digest: string;
      readonly rootfs: ContextArchive;
    };

/**
 * Seals the base that was asked for; without a wish that of the lock, and without a lock packproof's own.
 *
 * A root file system is stored as it was handed in. Of an image its files are stored, in one form, so that
 * later runs need no engine that knows images: the store, the folder of archives or the lock lead to them.
 * @throws {PrepareError} BASE_*, ARCHIVE_*, DISK_FULL; {ImageError} ROOTFS_* for what cannot be a base
 */
export async function sealBase(workshop: Workshop, exportImage: ExportImage): Promise<SealedBase> {
  const { options, lock } = workshop;
  const pinned = lock === null ? null : lock.base;
  if (options.base === null) {
    if (pinned === null || pinned.kind === 'debian') return { kind: 'debian' };
    return pinned.kind === 'rootfs'
      ? { kind: 'rootfs', fileName: `${pinned.rootfs.sha256}.tar`, rootfs: await take(workshop, pinned) }
      : sealImage(workshop, exportImage, pinned);
  }
  switch (options.base.kind) {
    case 'debian':
      return { kind: 'debian' };
    case 'rootfs':
      return sealFile(workshop, options.base.path);
    case 'image':
      return sealImage(workshop, exportImage, options.base);
  }
}

async function sealFile(workshop: Workshop, path: string): Promise<SealedBase> {
  const { options, shelf, report } = workshop;
  const file = resolve(options.cwd, path);
  const fileName = basename(file);
  reportStage(report, 'seal', fileName);
  const rootfs = await shelf.add(await openBaseFile(file), { label: fileName });
  await inspectRootfs(shelf.path(rootfs.sha256), options.platform);
  return { kind: 'rootfs', fileName, rootfs };
}

/** Opened without waiting on a pipe; what is read is what was opened. */
async function openBaseFile(file: string): Promise<AsyncIterable<Uint8Array>> {
  const refuse = (
    code: 'BASE_FILE_MISSING' | 'BASE_FILE_NOT_REGULAR' | 'BASE_FILE_TOO_LARGE',
    details: { readonly expected: string; readonly actual: string; readonly cause?: unknown },
  ): PrepareError => new PrepareError('usage', code, 'base', { where: file, ...details });
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw refuse('BASE_FILE_MISSING', {
      expected: 'a readable tar or tar.gz',
      actual: errnoOf(cause) ?? 'an error',
      cause,
    });
  });
  const stat = await handle.stat();
  if (stat.isFile() && stat.size <= ROOTFS_ARCHIVE_LIMIT_BYTES) {
    return handle.createReadStream({ highWaterMark: 1 << 20 });
  }
  await handle.close();
  throw stat.isFile()
    ? refuse('BASE_FILE_TOO_LARGE', {
        expected: `at most ${ROOTFS_ARCHIVE_LIMIT_BYTES} bytes`,
        actual: `${stat.size} bytes`,
      })
    : refuse('BASE_FILE_NOT_REGULAR', { expected: 'a regular file', actual: 'another kind of file' });
}

async function sealImage(
  workshop: Workshop,
  exportImage: ExportImage,
  image: Pick<ImageRequest, 'reference' | 'digest'>,
): Promise<SealedBase> {
  const { options, lock, shelf, report } = workshop;
  const { reference, digest } = image;
  const request: ImageRequest = { reference, digest, platform: options.platform };
  const pinned = lock?.base.kind === 'image' && lock.base.digest === digest ? lock.base : null;
  const known = pinned === null ? await recallImage(workshop, request) : toExpectation(pinned);
  const found = known === null ? null : await findLocal(workshop, known);
  if (found !== null) return { kind: 'image', reference, digest, rootfs: found };
  reportStage(report, 'fetch', `${reference}@sha256:${digest}`);
  const rootfs = await exportRootfs(workshop, request, {
    exportImage,
    expected: known ?? { label: `${reference}@sha256:${digest}` },
  });
  await inspectRootfs(shelf.path(rootfs.sha256), options.platform);
  await rememberImage(workshop, request, rootfs.sha256);
  return { kind: 'image', reference, digest, rootfs };
}

async function exportRootfs(
  workshop: Workshop,
  request: ImageRequest,
  wanted: { readonly exportImage: ExportImage; readonly expected: ArchiveExpectation },
): Promise<ContextArchive> {
  if (workshop.folder !== null) throw absent(wanted.expected);
  const file = join(workshop.temporaryFolder, randomUUID());
  try {
    await writeRootfs(wanted.exportImage(request), file);
    return await workshop.shelf.add(createReadStream(file, { highWaterMark: 1 << 20 }), wanted.expected);
  } finally {
    await rm(file, { force: true });
  }
}

type PinnedBase = Exclude<LockBase, { readonly kind: 'debian' }>;

async function take(workshop: Workshop, pinned: PinnedBase): Promise<ContextArchive> {
  const expected = toExpectation(pinned);
  const found = await findLocal(workshop, expected);
  if (found === null) throw absent(expected);
  await inspectRootfs(workshop.shelf.path(found.sha256), workshop.options.platform);
  return found;
}

function toExpectation({ kind, rootfs }: PinnedBase): ArchiveExpectation {
  const integrity = parseIntegrity(rootfs.integrity, kind);
  return { sha256: rootfs.sha256, integrity, label: `root file system of the lock (${kind})` };
}

async function findLocal(
  { shelf, folder }: Workshop,
  expected: ArchiveExpectation,
): Promise<ContextArchive | null> {
  const found = await shelf.take(expected);
  if (found !== null || expected.sha256 === undefined) return found;
  const bytes = folder?.read({ sha256: expected.sha256 }) ?? null;
  return bytes === null ? null : shelf.add(bytes, expected);
}

function absent(expected: ArchiveExpectation): PrepareError {
  return new PrepareError('infrastructure', 'ARCHIVE_NOT_FOUND', 'base', {
    where: expected.label,
    expected: `${expected.sha256 === undefined ? 'its files' : `sha256 ${expected.sha256}`} in the store or the folder of archives; or give --base`,
    actual: 'nothing there',
  });
}

/** A note in the cache folder: which archive the files of an image are. What it leads to is hashed when used. */
async function noteOf(workshop: Workshop, { digest, platform }: ImageRequest): Promise<string> {
  const folder = join(workshop.cacheFolder, 'bases');
  await openPrivateFolder(folder);
  return join(folder, `${digest}-${platform.replace('/', '-')}`);
}

async function rememberImage(workshop: Workshop, image: ImageRequest, sha256: string): Promise<void> {
  const note = await noteOf(workshop, image);
  await writeFileAtomic(note, Buffer.from(`${sha256}\n`), workshop.temporaryFolder);
}

async function recallImage(workshop: Workshop, image: ImageRequest): Promise<ArchiveExpectation | null> {
  const bytes = await readSmallFile(await noteOf(workshop, image));
  const sha256 = bytes?.toString('latin1').trim() ?? '';
  const label = `${image.reference}@sha256:${image.digest}`;
  return /^[0-9a-f]{64}$/u.test(sha256) ? { sha256, label } : null;
}
