import type { CompiledCase, CompiledCheck } from '../compiled.ts';
import { isUndoOfReference, referencesOf } from '../references.ts';
import { stepsOfCheck } from '../spoken-steps.ts';

/**
 * Whether a check speaks of what we did ourselves: of a control of its own case, in its statement or its condition,
 * or of the undo of a reference. What speaks of a reference otherwise gates nothing, whatever else it speaks of.
 */
export function speaksOfControl(check: CompiledCheck, own: CompiledCase): boolean {
  if (isUndoOfReference(check, own)) return true;
  if (own.controls.length === 0 || referencesOf(check, own).length > 0) return false;
  const spoken = stepsOfCheck(check);
  return spoken.some(
    ({ caseId, step }) =>
      (caseId === null || caseId === own.id) && own.controls.some((control) => control.step === step),
  );
}
