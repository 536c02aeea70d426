import type { BinClass, CompiledCase } from '../compiled.ts';
import { localLink } from '../layout.ts';

/** One declared bin with what its cases need to know. */
export interface SmokeBin {
  readonly name: string;
  /** Unique among the bins; `[a-z0-9-]`. */
  readonly idPart: string;
  readonly version: string;
  /** The package says that it is an MCP server, which buys it a longer wait and a warning if it is none. */
  readonly mcpHint: boolean;
}

/** Classes whose programs are asked for help and version as a person would. */
export const ASKABLE: readonly BinClass[] = ['cli', 'reads-stdin', 'needs-terminal', 'unclear'];

export function caseId(bin: SmokeBin, topic: string): string {
  return `bin.${bin.idPart}.${topic}`;
}

/** Arguments that start the bin by the link that npm made, never `node file`. */
export function run(bin: SmokeBin, ...args: readonly string[]): readonly string[] {
  return [localLink(bin.name), ...args];
}

export function requiring(bin: SmokeBin, classes: readonly BinClass[]): CompiledCase['requires'] {
  return { classification: caseId(bin, 'classify'), classes };
}
