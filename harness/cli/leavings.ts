import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * What a command puts into the user's folders on its way to a result. When there is none, `undo` takes it
 * back: the contexts that were made, and the folders that were absent before and are empty now.
 */
export class Leavings {
  readonly #absent: string[] = [];
  readonly #contexts: { readonly path: string; readonly wasThere: boolean }[] = [];

  /** Notes which folders of an absolute path are not there yet. To be called before anything makes them. */
  expect(folder: string): void {
    for (let path = folder; !existsSync(path); path = dirname(path)) this.#absent.push(path);
  }

  /** Where this command is about to make a context. What the user has there already is never ours to remove. */
  adopt(path: string): void {
    const wasThere = existsSync(path);
    if (wasThere && (!lstatSync(path).isDirectory() || readdirSync(path).length > 0)) return;
    this.#contexts.push({ path, wasThere });
  }

  async undo(): Promise<void> {
    for (const { path, wasThere } of this.#contexts) {
      await rm(path, { recursive: true, force: true });
      if (wasThere) await mkdir(path);
    }
    const deepestFirst = [...this.#absent].sort((a, b) => b.length - a.length);
    // Not empty, or never made: then it is not ours to remove.
    for (const folder of deepestFirst) await rmdir(folder).catch(() => undefined);
  }
}
