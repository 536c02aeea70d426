import type { CompiledCase, CompiledCheck, Expectation, StreamReference } from '../compiled.ts';

/** Whether a check speaks of a control of its own case, in its statement or its condition. */
export function speaksOfControl({ expect, precondition }: CompiledCheck, own: CompiledCase): boolean {
  if (own.controls.length === 0) return false;
  const spoken = [...stepsOf(expect), ...(precondition === null ? [] : stepsOf(precondition))];
  return spoken.some(
    ({ caseId, step }) =>
      (caseId === null || caseId === own.id) && own.controls.some((control) => control.step === step),
  );
}

type StepReference = Pick<StreamReference, 'caseId' | 'step'>;

function stepsOf(expectation: Expectation): readonly StepReference[] {
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
