import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Platform } from '../../boundary/boundary.ts';
import { planLayer } from '../layer-plan.ts';
import { type PinnedFile, readPinned } from '../pinned-file.ts';
import { Spool } from '../spool.ts';
import { writeLayer } from '../tar-writer.ts';
import { type KeepContent, readRootfs } from './read-rootfs.ts';
import { CHECKED_LIMIT_BYTES, checkRootfs, isChecked } from './requirements.ts';
import type { RootfsTree } from './tree.ts';

/** What a base layer may hold; what is wrong with it is wrong with what somebody brought. */
export const ROOTFS_RULES = { prefix: null, fault: 'usage' } as const;

/** Reads a pinned root file system with its contents in a spool. @throws {ImageError} ROOTFS_*, ARCHIVE_DIGEST_DIFFERS */
export function openRootfs(rootfs: PinnedFile, spool: Spool): Promise<RootfsTree> {
  return readRootfs(readPinned(rootfs, 'root file system'), (_path, content) => spool.add(content));
}

/**
 * Refuses a root file system that no base can be made of, without writing its contents anywhere.
 *
 * @throws {ImageError} ROOTFS_* and those of `planLayer`, kind `usage`
 */
export async function inspectRootfs(file: string, platform: Platform): Promise<void> {
  const tree = await readRootfs(createReadStream(file, { highWaterMark: READ_BYTES }), keepChecked);
  planLayer([...tree.values()], ROOTFS_RULES);
  await checkRootfs(tree, platform, null);
}

const READ_BYTES = 1024 ** 2;

/** Only what `checkRootfs` looks at is kept, up to its limit. */
const keepChecked: KeepContent = async (path, content) => {
  const kept: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of content) {
    sizeBytes += chunk.byteLength;
    if (isChecked(path) && sizeBytes <= CHECKED_LIMIT_BYTES) kept.push(chunk);
  }
  return { sizeBytes, content: Buffer.concat(kept) };
};

/**
 * Writes a root file system in the one form that the same files always have: uncompressed, sorted, owner 0,
 * time 0, hard links as files, and without what an engine puts into a container of its own.
 *
 * `file` must be absent; nothing is left there when it fails.
 * @throws {ImageError} ROOTFS_* and those of `planLayer`, kind `usage`; what `source` throws
 */
export async function writeRootfs(source: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const spool = await Spool.open(dirname(file));
  try {
    const tree = await readRootfs(source, (_path, content) => spool.add(content));
    await writeLayer(file, planLayer([...tree.values()], ROOTFS_RULES));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await spool.dispose();
  }
}
