import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { extract, type Extract as TarExtract } from 'tar-stream';
import type { ImageLayer } from '../engine.ts';
import { EngineError } from '../errors.ts';

/** An entry of a layer, with a path that is safe to join to a folder of the host. */
export type LayerItem = LayerItemHead &
  (
    | { readonly kind: 'directory' }
    | { readonly kind: 'symlink'; readonly target: string }
    | { readonly kind: 'file'; readonly sizeBytes: number; readonly content: AsyncIterable<Buffer> }
  );

type TarEntry = TarExtract extends AsyncIterable<infer E> ? E : never;

interface LayerItemHead {
  /** Relative, without a trailing slash; empty for the root folder. */
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds. */
  readonly mtime: number;
}

const READ_BYTES = 1024 * 1024;

/**
 * Reads a layer tar and hashes all of it on the way.
 *
 * The names in it are partly a candidate's choice. Every path is relative, has no `..` and no parent that
 * is a link of the same layer; a file's content must be consumed before the next entry is asked for.
 * Entries that mean something else to another engine (whiteouts, devices, hard links) are refused.
 * @throws {EngineError} LAYER_FORBIDDEN (the path), IMAGE_MISMATCH (the tar is not the one of the diff id)
 */
export async function* readLayer(layer: ImageLayer): AsyncGenerator<LayerItem> {
  const hash = createHash('sha256');
  const source = createReadStream(layer.file, { highWaterMark: READ_BYTES });
  const tar = extract();
  const meter = toMeter(hash);
  source.on('error', (cause) => tar.destroy(cause));
  meter.on('error', (cause) => tar.destroy(cause));
  const hashed = new Promise<void>((resolve) => meter.once('end', resolve));
  source.pipe(meter).pipe(tar);
  const links = new Set<string>();
  const folders = new Set<string>(['']);
  try {
    for await (const entry of tar) {
      const item = toItem(layer, entry);
      refuseThroughLink(layer, item.path, links);
      yield* toMissingParents(item.path, folders);
      if (item.kind === 'symlink') {
        links.add(item.path);
      } else if (item.kind === 'directory') {
        folders.add(item.path);
      }
      yield item;
      entry.resume();
    }
  } catch (cause) {
    throw cause instanceof EngineError ? cause : mismatch(layer, 'no readable tar', cause);
  } finally {
    source.destroy();
  }
  await hashed;
  const actual = hash.digest('hex');
  if (actual !== layer.diffId) {
    throw mismatch(layer, actual, undefined);
  }
}

function toMeter(hash: Hash): Transform {
  return new Transform({
    writableHighWaterMark: READ_BYTES,
    readableHighWaterMark: READ_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

function toItem(layer: ImageLayer, entry: TarEntry): LayerItem {
  const { name, type, linkname, size } = entry.header;
  const path = name.replace(/^\.?\/+/, '').replace(/\/+$/, '');
  refusePath(layer, path);
  const head = {
    path,
    mode: entry.header.mode & 0o7777,
    uid: entry.header.uid,
    gid: entry.header.gid,
    mtime: entry.header.mtime.getTime() / 1000,
  };
  if (type === 'directory') {
    return { ...head, kind: 'directory' };
  }
  if (type === 'symlink' && path !== '') {
    return { ...head, kind: 'symlink', target: linkname };
  }
  if (type === 'file' && path !== '') {
    return { ...head, kind: 'file', sizeBytes: size, content: toBuffers(layer, entry) };
  }
  throw forbidden(layer, path, 'a directory, file or symlink', type);
}

async function* toBuffers(layer: ImageLayer, entry: TarEntry): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of entry) {
      if (Buffer.isBuffer(bytes)) {
        yield bytes;
      }
    }
  } catch (cause) {
    throw mismatch(layer, 'no readable tar', cause);
  }
}

function refusePath(layer: ImageLayer, path: string): void {
  const parts = path === '' ? [] : path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..') || path.includes('\0')) {
    throw forbidden(layer, path, 'a plain relative path', path);
  }
  // Docker would read it as an order to delete a file of a lower layer.
  if (parts.some((part) => part.startsWith('.wh.'))) {
    throw forbidden(layer, path, 'no whiteout name', path);
  }
}

function refuseThroughLink(layer: ImageLayer, path: string, links: ReadonlySet<string>): void {
  if (links.size === 0) {
    return;
  }
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    if (links.has(path.slice(0, slash))) {
      throw forbidden(layer, path, 'no link among its parents', path.slice(0, slash));
    }
  }
}

/** A layer may leave out folders that a lower one has; engines then make them so. Outermost first. */
function* toMissingParents(path: string, folders: Set<string>): Generator<LayerItem> {
  for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const parent = path.slice(0, slash);
    if (!folders.has(parent)) {
      folders.add(parent);
      yield { kind: 'directory', path: parent, mode: 0o755, uid: 0, gid: 0, mtime: 0 };
    }
  }
}

function forbidden(layer: ImageLayer, path: string, expected: string, actual: string): EngineError {
  return new EngineError('LAYER_FORBIDDEN', { where: `${layer.role}: ${path}`, expected, actual });
}

function mismatch(layer: ImageLayer, actual: string, cause: unknown): EngineError {
  return new EngineError('IMAGE_MISMATCH', {
    where: `layer ${layer.role}`,
    expected: layer.diffId,
    actual,
    cause,
  });
}
