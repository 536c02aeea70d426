import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { digestDocument } from '../document/canonical.ts';
import { isDiskFull } from '../document/system-error.ts';
import type { ImageLayer } from '../engine/engine.ts';
import { errnoOf, ImageError } from './errors.ts';
import type { InventoryFile } from './inventory.ts';
import type { LayerEntry } from './layer-entry.ts';
import { type LayerRules, planLayer } from './layer-plan.ts';
import { scanLayer } from './layer-scan.ts';
import { Spool } from './spool.ts';
import { type WrittenLayer, writeLayer } from './tar-writer.ts';

/** Part of every key: raise it when the same inputs would give other bytes than before. */
const LAYER_FORMAT = 1;

/** A writer that is still alive is younger than this; what is older was left by a killed process. */
const PARTIAL_MAX_AGE_MS = 24 * 3_600_000;

/** A layer in the store, with the list of what it holds. */
export interface StoredLayer {
  readonly layer: ImageLayer;
  readonly inventory: readonly InventoryFile[];
}

/** What a layer is made of, and how, for when it is not there yet. */
export interface LayerRecipe {
  readonly role: ImageLayer['role'];
  /** JSON value that names every input by digest: the same value must mean the same layer. */
  readonly inputs: unknown;
  readonly rules: LayerRules;
  /** Called only when the layer must be made; the spool lives until the layer is written. */
  readonly entries: (spool: Spool) => Promise<readonly LayerEntry[]>;
  /** Runs over what was written, before it counts; throws to refuse it. */
  readonly check?: (written: WrittenLayer) => void;
}

/**
 * The cache of layers: `layers/<diff id>.tar` and `layers/keys/<digest of inputs>` below one private folder.
 *
 * A layer is read whole and hashed each time it is used, since a disk can rot and a run can be killed. One
 * that no longer matches its name is removed and made anew.
 */
export class LayerStore {
  /** Absolute path of the folder that holds the tars. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Opens or makes the store below `root` (`$XDG_CACHE_HOME/packproof`).
   *
   * @throws {ImageError} CACHE_NOT_FOLDER, CACHE_NOT_OWNED, CACHE_NOT_PRIVATE: whoever else could write
   * there could choose what runs.
   */
  static async open(root: string): Promise<LayerStore> {
    const folder = join(root, 'layers');
    for (const path of [root, folder, join(folder, 'keys')]) await openPrivateFolder(path);
    const store = new LayerStore(folder);
    await store.#removeOlder(PARTIAL_MAX_AGE_MS, (name) => name.endsWith('.part'));
    return store;
  }

  /**
   * Removes layers that no run used for this long; returns their names. A key without its layer is harmless:
   * the layer is made anew.
   */
  removeStale(olderThanMs: number): Promise<readonly string[]> {
    return this.#removeOlder(olderThanMs, (name) => name.endsWith('.tar'));
  }

  /** The layer of a recipe, from the cache when its bytes still match, else made. @throws {ImageError} DISK_FULL */
  async obtain(recipe: LayerRecipe): Promise<StoredLayer> {
    const { role, inputs } = recipe;
    const key = digestDocument({ format: LAYER_FORMAT, inputs, role });
    const known = await this.#find(key);
    const written = known ?? (await this.#make(key, recipe));
    const { diffId, sizeBytes, inventory } = written;
    return { layer: { role, diffId, sizeBytes, file: this.#tarOf(diffId) }, inventory };
  }

  async #find(key: string): Promise<WrittenLayer | null> {
    const diffId = await readFile(this.#keyOf(key), 'latin1').catch(() => '');
    if (!/^[0-9a-f]{64}$/u.test(diffId)) return null;
    const file = this.#tarOf(diffId);
    try {
      const found = await scanLayer(file);
      if (found.diffId === diffId) {
        const now = new Date();
        await utimes(file, now, now);
        return found;
      }
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      if (!(error instanceof ImageError)) throw error;
    }
    await rm(file, { force: true });
    return null;
  }

  async #make(key: string, recipe: LayerRecipe): Promise<WrittenLayer> {
    const temporary = join(this.folder, `${randomUUID()}.part`);
    const spool = await Spool.open(this.folder);
    try {
      const entries = planLayer(await recipe.entries(spool), recipe.rules);
      const written = await writeLayer(temporary, entries);
      recipe.check?.(written);
      await rename(temporary, this.#tarOf(written.diffId));
      await this.#remember(key, written.diffId);
      return written;
    } catch (cause) {
      if (!isDiskFull(cause)) throw cause;
      const details = { where: this.folder, expected: 'room for a layer', actual: 'a full disk', cause };
      throw new ImageError('infrastructure', 'DISK_FULL', 'no space left', details);
    } finally {
      await spool.dispose();
      await rm(temporary, { force: true });
    }
  }

  /** Written aside and renamed, so that a killed run leaves the old key or the new one. */
  async #remember(key: string, diffId: string): Promise<void> {
    const temporary = join(this.folder, `${randomUUID()}.part`);
    const handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(diffId, 'latin1').finally(() => handle.close());
    await rename(temporary, this.#keyOf(key));
  }

  async #removeOlder(ageMs: number, matches: (name: string) => boolean): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const name of await readdir(this.folder)) {
      const file = join(this.folder, name);
      const stat = matches(name) ? await lstat(file).catch(() => null) : null;
      if (stat === null || Date.now() - stat.mtimeMs < ageMs) continue;
      await rm(file, { force: true });
      removed.push(name);
    }
    return removed;
  }

  #tarOf(diffId: string): string {
    return join(this.folder, `${diffId}.tar`);
  }

  #keyOf(key: string): string {
    return join(this.folder, 'keys', key);
  }
}

async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stat = await lstat(path);
  const refuse = (
    code: 'CACHE_NOT_FOLDER' | 'CACHE_NOT_OWNED' | 'CACHE_NOT_PRIVATE',
    actual: string,
  ): never => {
    throw new ImageError('infrastructure', code, 'layer cache', {
      where: path,
      expected: 'a folder of the user who runs, mode 0700',
      actual,
    });
  };
  if (!stat.isDirectory()) refuse('CACHE_NOT_FOLDER', 'something else');
  if (stat.uid !== process.getuid?.()) refuse('CACHE_NOT_OWNED', `uid ${stat.uid}`);
  if ((stat.mode & 0o077) !== 0) refuse('CACHE_NOT_PRIVATE', `mode 0${(stat.mode & 0o777).toString(8)}`);
}
