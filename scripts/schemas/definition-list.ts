import type { Definitions, JsonSchema } from '../../harness/verify/shape/schema.ts';

/** What `$defs` of one document holds. */
export class DefinitionList implements Definitions {
  readonly #schemas = new Map<string, JsonSchema | null>();

  /** A reference to the definition of this name, which is written when it is first referred to. */
  refer(name: string, write: () => JsonSchema): JsonSchema {
    if (!this.#schemas.has(name)) {
      // Before it is written: it may refer to itself.
      this.#schemas.set(name, null);
      this.#schemas.set(name, write());
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** By name, so that the order in which fields refer to them shows nowhere. */
  list(): JsonSchema {
    const entries = [...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries);
  }
}
