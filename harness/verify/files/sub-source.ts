import type { Memory } from './memory.ts';
import type { FileSource, FoundEntry, OpenFile } from './source.ts';

/** A folder of a folder of evidence, as a folder of its own. */
export class SubSource implements FileSource {
  readonly #whole: FileSource;
  readonly #folder: string;

  constructor(whole: FileSource, folder: string) {
    this.#whole = whole;
    this.#folder = folder;
  }

  isFolder(): boolean | null {
    if (this.#whole.entries(this.#folder) !== null) return true;
    return this.#whole.has(this.#folder) ? false : null;
  }

  entries(path: string): Iterable<FoundEntry> | null {
    return this.#whole.entries(path === '' ? this.#folder : this.#inside(path));
  }

  open(path: string): OpenFile | null {
    return this.#whole.open(this.#inside(path));
  }

  has(path: string): boolean {
    return this.#whole.has(this.#inside(path));
  }

  identity(path: string): object | null {
    return this.#whole.identity(this.#inside(path));
  }

  memory(): Memory | null {
    return this.#whole.memory()?.below(this.#folder) ?? null;
  }

  #inside(path: string): string {
    return `${this.#folder}/${path}`;
  }
}
