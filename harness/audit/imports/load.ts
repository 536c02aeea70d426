import type { ImportUse, Reach } from './module-scan.ts';

/** The lists of names that a package may load. */
export interface Declared {
  readonly name: string | null;
  readonly installed: ReadonlySet<string>;
  readonly development: ReadonlySet<string>;
}

/** One load, in the file that does it. */
export interface Load {
  readonly path: string;
  readonly lines: LineCounter;
  readonly use: ImportUse;
  /** How surely a run of the command comes here; never surer than `use.reach`. */
  readonly reach: Reach;
}

/** The load as a person finds it in the source. */
export function describeLoad({ use, lines }: Load): string {
  return `${use.via} ${JSON.stringify(use.specifier)} in line ${lines.lineAt(use.offset)}`;
}

/** Turns offsets that mostly grow into line numbers, reading the text once for all of them. */
export class LineCounter {
  readonly #source: string;
  #line = 1;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  lineAt(offset: number): number {
    if (offset < this.#at) {
      this.#at = 0;
      this.#line = 1;
    }
    for (;;) {
      const next = this.#source.indexOf('\n', this.#at);
      if (next < 0 || next >= offset) return this.#line;
      this.#at = next + 1;
      this.#line += 1;
    }
  }
}
