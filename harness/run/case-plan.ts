import type { LoadedImage } from '../engine/engine.ts';
import type { CompiledCase, Expectation } from '../suite/compiled.ts';

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

/** Ids of other cases whose bytes or terminations the checks of this case speak of. */
export function referencedCases(compiled: CompiledCase): readonly string[] {
  const ids = new Set<string>();
  for (const check of compiled.checks) {
    if (check.precondition !== null) collectReferences(check.precondition, ids);
    collectReferences(check.expect, ids);
  }
  ids.delete(compiled.id);
  return [...ids];
}

function collectReferences(expectation: Expectation, ids: Set<string>): void {
  switch (expectation.kind) {
    case 'all':
    case 'any':
      for (const part of expectation.of) collectReferences(part, ids);
      return;
    case 'not':
      collectReferences(expectation.of, ids);
      return;
    case 'termination':
    case 'classified':
      if (expectation.caseId !== null) ids.add(expectation.caseId);
      return;
    case 'file-not-longer':
      addStream(expectation.than, ids);
      return;
    case 'streams-equal':
      addStream(expectation.left, ids);
      addStream(expectation.right, ids);
      return;
    default:
      if ('of' in expectation && 'stream' in expectation.of) addStream(expectation.of, ids);
  }
}

function addStream(reference: { readonly caseId: string | null }, ids: Set<string>): void {
  if (reference.caseId !== null) ids.add(reference.caseId);
}
