import type { LoadedImage } from '../engine/engine.ts';
import type { CompiledCase } from '../suite/compiled.ts';

/** One case on one Node version: the unit that is scheduled, run and evaluated. */
export interface CasePlan {
  readonly suiteId: string;
  readonly case: CompiledCase;
  readonly node: string;
  readonly image: LoadedImage;
  /** Position over the whole run, which is the order of the result. */
  readonly order: number;
}

/** Identifies a plan in maps; neither part holds a line break. */
export function planKey(caseId: string, node: string): string {
  return `${caseId}\n${node}`;
}
