import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import type { ImageLayer } from '../engine.ts';
import { type LayerItem, readLayer } from './layer-reader.ts';

const PIECE_BYTES = 1024 * 1024;

/**
 * Compares an unpacked layer with its tar, byte by byte, in one pass that also hashes the tar.
 *
 * Returns null when they agree, else what differs first: a type, mode, owner, time, target, size or content,
 * a missing entry, or one too many.
 * @throws {EngineError} IMAGE_MISMATCH, LAYER_FORBIDDEN when the tar itself is not the one that was built
 */
export async function checkUnpacked(layer: ImageLayer, root: string): Promise<string | null> {
  const expected = new Set<string>(['']);
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let difference: string | null = null;
  for await (const item of readLayer(layer)) {
    expected.add(item.path);
    // The tar is read to its end in any case, since its digest is part of the answer.
    difference ??= await compareItem(item, join(root, item.path), buffer);
  }
  return difference ?? findExtra(root, expected);
}

async function compareItem(item: LayerItem, path: string, buffer: Buffer): Promise<string | null> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const differs = stats === undefined ? 'missing' : compareHead(item, path, stats);
  if (differs !== null) {
    return `${item.path}: ${differs}`;
  }
  if (item.kind === 'file' && !(await hasContent(path, item.content, buffer))) {
    return `${item.path}: content`;
  }
  return null;
}

function compareHead(item: LayerItem, path: string, stats: Stats): string | null {
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'directory'
      : stats.isSymbolicLink()
        ? 'symlink'
        : '';
  if (kind !== item.kind) return 'kind';
  if (stats.uid !== item.uid || stats.gid !== item.gid) return 'owner';
  if (item.kind === 'symlink') return readlinkSync(path) === item.target ? null : 'target';
  if ((stats.mode & 0o7777) !== item.mode) return 'mode';
  if (item.kind === 'file' && stats.size !== item.sizeBytes) return 'size';
  return Math.floor(stats.mtimeMs / 1000) === Math.floor(item.mtime) ? null : 'time';
}

async function hasContent(path: string, content: AsyncIterable<Buffer>, buffer: Buffer): Promise<boolean> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let same = true;
  try {
    for await (const bytes of content) {
      for (let offset = 0; same && offset < bytes.length; ) {
        const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, bytes.length - offset), null);
        same = count > 0 && buffer.compare(bytes, offset, offset + count, 0, count) === 0;
        offset += count;
      }
    }
    return same;
  } finally {
    closeSync(descriptor);
  }
}

function findExtra(root: string, expected: ReadonlySet<string>): string | null {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!expected.has(path)) {
        return `${path}: not of this layer`;
      }
      if (entry.isDirectory()) {
        folders.push(path);
      }
    }
  }
  return null;
}
