import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BuiltImage, ImageFile } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { hashContent } from '../host/file-content.ts';
import { parseMountInfo } from '../host/mount-table.ts';
import type { TreeLimits } from '../host/tree-limits.ts';
import { walkTree } from '../host/tree-walk.ts';
import type { LayerStore } from './layer-store.ts';
import { runProgram } from './runc-command.ts';

/** An image is ours, so its limits only end a runaway: Node and a large dependency tree have 50 000 files. */
const IMAGE_LIMITS: TreeLimits = {
  entries: 2_000_000,
  depth: 512,
  fileBytes: Number.MAX_SAFE_INTEGER,
  totalBytes: Number.MAX_SAFE_INTEGER,
};

/** A file of an image that somebody still hashes keeps its mount busy for a moment. */
const BUSY_LIMIT_MS = 5_000;
const BUSY_PAUSE_MS = 50;

/** Where a mounted image is, as a folder of the host. */
const ROOT_FOLDER = 'rootfs';

/**
 * Images of one run: read-only overlays over unpacked layers, mounted below the run's folder.
 *
 * An overlay without an upper folder cannot be written to by anyone, root and runc included.
 */
export class ImageMounts {
  readonly #folder: string;
  readonly #layers: LayerStore;
  readonly #mounted = new Map<string, Promise<string>>();
  #closed = false;

  constructor(folder: string, layers: LayerStore) {
    this.#folder = folder;
    this.#layers = layers;
  }

  /** Mounts the image, proving each layer; returns its root folder. @throws {EngineError} ENGINE_CLOSED after `refuse` */
  ensure(image: BuiltImage): Promise<string> {
    const known = this.#mounted.get(image.configDigest);
    if (known !== undefined) {
      return known;
    }
    const made = this.#mount(image);
    this.#mounted.set(image.configDigest, made);
    made.catch(() => this.#mounted.delete(image.configDigest));
    return made;
  }

  /** From now on nothing is mounted, and what is being mounted ends before its next layer. */
  refuse(): void {
    this.#closed = true;
  }

  /**
   * Unmounts all, after `refuse` and what was being mounted then.
   * @throws {EngineError} ENGINE_FAILED when an image is still in use
   */
  async close(): Promise<void> {
    this.refuse();
    await Promise.allSettled(this.#mounted.values());
    this.#mounted.clear();
    const end = performance.now() + BUSY_LIMIT_MS;
    for (;;) {
      try {
        await unmountBelow(this.#folder);
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
      }
      await pause(BUSY_PAUSE_MS);
    }
  }

  /** @throws {EngineError} ENGINE_CLOSED */
  requireOpen(): void {
    if (!this.#closed) return;
    throw new EngineError('ENGINE_CLOSED', {
      where: 'image',
      expected: 'an engine in use',
      actual: 'its end',
    });
  }

  async #mount(image: BuiltImage): Promise<string> {
    for (const layer of image.layers) {
      this.requireOpen();
      await this.#layers.ensure(layer);
    }
    this.requireOpen();
    const folder = join(this.#folder, image.configDigest);
    const root = join(folder, ROOT_FOLDER);
    await mkdir(root, { recursive: true, mode: 0o700 });
    // Uppermost first. Relative names, because the kernel splits this list at colons and commas. An overlay
    // without an upper folder needs two lower ones, and naming one twice is refused.
    const names = [...image.layers].reverse().map((layer) => layer.diffId);
    const lower = [...names, ...(names.length === 1 ? [await this.#makeEmpty()] : [])].join(':');
    const options = `ro,nosuid,nodev,lowerdir=${lower}`;
    await runProgram('mount', ['-t', 'overlay', '-o', options, 'packproof', root], {
      cwd: this.#layers.folder,
    });
    return root;
  }

  async #makeEmpty(): Promise<string> {
    await mkdir(join(this.#layers.folder, 'empty'), { recursive: true, mode: 0o755 });
    return 'empty';
  }
}

/**
 * Every file of a mounted image, read from the mount and hashed, in byte order of path.
 * @throws {EngineError} EVIDENCE_UNREADABLE, IMAGE_MISMATCH (an entry of a kind that no image of ours has)
 */
export async function* readMountedImage(root: string): AsyncGenerator<ImageFile> {
  const { entries, truncated } = await walkTree(Buffer.from(root), '', IMAGE_LIMITS);
  if (truncated.length > 0) {
    throw new EngineError('EVIDENCE_UNREADABLE', {
      where: 'image',
      expected: 'all of it',
      actual: truncated.join('; '),
    });
  }
  for (const { entry, hostPath } of entries) {
    const { kind, mode, uid, gid, target } = entry;
    const path = entry.path.slice(1);
    if (kind !== 'file' && kind !== 'directory' && kind !== 'symlink') {
      throw new EngineError('IMAGE_MISMATCH', { where: path, expected: 'no special file', actual: kind });
    }
    const isFile = kind === 'file';
    const sizeBytes = isFile ? entry.sizeBytes : 0;
    const sha256 = isFile ? await hashContent(hostPath, sizeBytes) : null;
    yield { path, kind, mode, uid, gid, sizeBytes, sha256, target };
  }
}

/** Unmounts everything below a folder, innermost first; returns the mount points. @throws {EngineError} */
export async function unmountBelow(folder: string): Promise<readonly string[]> {
  const below = await listMountsBelow(folder);
  for (const path of below) {
    await runProgram('umount', ['--no-canonicalize', path]);
    await rmdir(path).catch(() => undefined);
  }
  return below;
}

async function listMountsBelow(folder: string): Promise<readonly string[]> {
  const mounts = parseMountInfo(await readFile('/proc/self/mountinfo', 'latin1'));
  return mounts
    .map((mount) => mount.path)
    .filter((path) => path.startsWith(`${folder}/`))
    .sort((one, other) => other.length - one.length);
}
