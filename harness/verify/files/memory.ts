/**
 * What a verifier that judges many changes of one bundle keeps between its verdicts. An ordinary run has none.
 *
 * Nothing in here is believed: who looks something up proves that all it was worked out of is still the same.
 */
export class Memory {
  readonly #kept = new Map<string, unknown>();
  readonly #folders = new Map<string, Memory>();

  get(key: string): unknown {
    return this.#kept.get(key);
  }

  /** The first one stays: changes of a bundle come and go, and what they have in common is the bundle. */
  keep(key: string, value: unknown): void {
    if (!this.#kept.has(key)) this.#kept.set(key, value);
  }

  /** The memory of a folder that is judged as a bundle of its own. */
  below(folder: string): Memory {
    const known = this.#folders.get(folder) ?? new Memory();
    this.#folders.set(folder, known);
    return known;
  }
}
