import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, futimesSync, openSync, writeSync } from 'node:fs';
import { chmod, lstat, lutimes, mkdir, readdir, rename, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../../document/system-error.ts';
import type { ImageLayer } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { checkUnpacked } from './layer-check.ts';
import { type LayerItem, readLayer } from './layer-reader.ts';
import { ensurePrivateFolder } from './private-folder.ts';

/** An unpacking takes seconds; what is this old was left by a crash. */
const STALE_UNPACK_MS = 3_600_000;
const UNPACK_PREFIX = '.new-';

/**
 * Unpacked layers, one folder a diff id, below a folder that only this user can enter.
 *
 * A folder is made under another name and renamed when whole. Each one is used at most once per run without
 * a look: a reused one is compared with its tar, entry by entry and byte by byte, while the tar is hashed.
 */
export class LayerStore {
  readonly folder: string;
  readonly #ready = new Map<string, Promise<string>>();

  constructor(cacheDir: string) {
    this.folder = join(cacheDir, 'unpacked');
  }

  /**
   * The folder of a layer, proven for this run. One that differs from its tar is replaced.
   * @throws {EngineError} IMAGE_MISMATCH, LAYER_FORBIDDEN, STATE_UNSAFE
   */
  ensure(layer: ImageLayer): Promise<string> {
    const known = this.#ready.get(layer.diffId);
    if (known !== undefined) {
      return known;
    }
    const made = this.#make(layer);
    this.#ready.set(layer.diffId, made);
    made.catch(() => this.#ready.delete(layer.diffId));
    return made;
  }

  /** Removes half-made folders of crashed runs; returns their names. */
  async removeStale(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch(() => []);
    const removed: string[] = [];
    for (const name of names.filter((candidate) => candidate.startsWith(UNPACK_PREFIX))) {
      const stats = await lstat(join(this.folder, name)).catch(() => null);
      if (stats !== null && Date.now() - stats.ctimeMs > STALE_UNPACK_MS) {
        await rm(join(this.folder, name), { recursive: true, force: true });
        removed.push(name);
      }
    }
    return removed;
  }

  async #make(layer: ImageLayer): Promise<string> {
    await ensurePrivateFolder(this.folder);
    const folder = join(this.folder, layer.diffId);
    if (await exists(folder)) {
      const difference = await checkUnpacked(layer, folder);
      if (difference === null) {
        return folder;
      }
      // Out of the way in one step; another run that has it mounted keeps what it has.
      const aside = join(this.folder, `${UNPACK_PREFIX}${randomBytes(8).toString('hex')}`);
      await rename(folder, aside);
      await rm(aside, { recursive: true, force: true });
    }
    await this.#unpack(layer, folder);
    return folder;
  }

  async #unpack(layer: ImageLayer, folder: string): Promise<void> {
    const building = join(this.folder, `${UNPACK_PREFIX}${randomBytes(8).toString('hex')}`);
    await mkdir(building, { mode: 0o755 });
    try {
      await unpackLayer(layer, building);
      await rename(building, folder);
    } catch (error) {
      await rm(building, { recursive: true, force: true });
      if (isDiskFull(error)) {
        const details = {
          where: this.folder,
          expected: 'room for a layer',
          actual: 'a full disk',
          cause: error,
        };
        throw new EngineError('DISK_FULL', details);
      }
      if (!(await isDone(error, layer, folder))) {
        throw error;
      }
    }
  }
}

/** Another run may have made the same folder meanwhile: then the rename fails, and theirs is checked. */
async function isDone(error: unknown, layer: ImageLayer, folder: string): Promise<boolean> {
  const collided =
    error instanceof Error && 'code' in error && /^(ENOTEMPTY|EEXIST)$/.test(String(error.code));
  return collided && (await checkUnpacked(layer, folder)) === null;
}

async function unpackLayer(layer: ImageLayer, root: string): Promise<void> {
  const folders: LayerItem[] = [];
  // The root of the tree is seen by the box's user, whatever the umask of this process.
  await chmod(root, 0o755);
  for await (const item of readLayer(layer)) {
    await unpackItem(item, join(root, item.path));
    if (item.kind === 'directory') {
      folders.push(item);
    }
  }
  // After their contents, which would touch the times, and children first, so that no mode locks us out.
  for (const { path, mode, mtime } of folders.reverse()) {
    await chmod(join(root, path), mode);
    await utimes(join(root, path), mtime, mtime);
  }
}

async function unpackItem(item: LayerItem, path: string): Promise<void> {
  if (item.uid !== 0 || item.gid !== 0) {
    throw new EngineError('LAYER_FORBIDDEN', {
      where: item.path,
      expected: 'owner 0:0',
      actual: `${item.uid}:${item.gid}`,
    });
  }
  switch (item.kind) {
    case 'directory':
      if (item.path !== '') {
        await mkdir(path, { mode: 0o700 });
      }
      return;
    case 'symlink':
      await symlink(item.target, path);
      return lutimes(path, item.mtime, item.mtime);
    case 'file':
      return unpackFile(item, path);
    default:
      item satisfies never;
  }
}

async function unpackFile(item: Extract<LayerItem, { kind: 'file' }>, path: string): Promise<void> {
  // `wx`: a second entry of the same name is an error and no file is written through a link.
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    for await (const bytes of item.content) {
      for (let offset = 0; offset < bytes.length; ) {
        offset += writeSync(descriptor, bytes, offset);
      }
    }
    fchmodSync(descriptor, item.mode);
    futimesSync(descriptor, item.mtime, item.mtime);
  } finally {
    closeSync(descriptor);
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
