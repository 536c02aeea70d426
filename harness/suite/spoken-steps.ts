import type { CompiledCheck, Expectation, StreamReference } from './compiled.ts';

/** The steps that statement and condition of a check speak of. */
export function stepsOfCheck({ expect, precondition }: CompiledCheck): readonly StepReference[] {
  return [...stepsOf(expect), ...(precondition === null ? [] : stepsOf(precondition))];
}

type StepReference = Pick<StreamReference, 'caseId' | 'step'>;

/** The steps that a statement speaks of, by case and name. */
export function stepsOf(expectation: Expectation): readonly StepReference[] {
  switch (expectation.kind) {
    case 'all':
    case 'any':
      return expectation.of.flatMap(stepsOf);
    case 'not':
      return stepsOf(expectation.of);
    case 'path-changed':
    case 'path-absent':
    case 'file-is':
    case 'control-undone':
      return expectation.control === null ? [] : [{ caseId: null, step: expectation.control }];
    case 'termination':
      return [expectation];
    case 'duration':
    case 'exit-lag':
    case 'ended-after-signal':
    case 'action-absent':
      return [{ caseId: null, step: expectation.step }];
    case 'streams-equal':
      return [expectation.left, expectation.right];
    case 'file-not-longer':
      return [expectation.than];
    case 'classified':
    case 'no-leftovers':
    case 'no-oom-kill':
    case 'no-files-created':
    case 'files-unchanged':
    case 'no-canaries':
      return [];
    default:
      return [expectation.of];
  }
}
