import type { CompiledCase, Expectation } from './compiled.ts';

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

/** Ids of the cases without which this one cannot be run or judged: its classification and those it speaks of. */
export function needsOf(compiled: CompiledCase): readonly string[] {
  const references = referencedCases(compiled);
  return compiled.requires === null ? references : [compiled.requires.classification, ...references];
}
