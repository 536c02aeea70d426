import { readFileSync } from 'node:fs';
import { classify } from '../../suite/classify.ts';
import { evaluateCase } from '../../suite/evaluate/evaluator.ts';
import type { StreamBytes } from '../../suite/observation.ts';
import type { Judge, Observed } from '../evaluation.ts';

function bytesOf(observed: readonly Observed[]): StreamBytes {
  return (caseId, stepName, stream) => {
    const one = observed.find(({ observation }) => observation.caseId === caseId);
    const step = one?.spooled.find(({ name }) => name === stepName);
    if (step === undefined) return null;
    const file = step[stream];
    return file === null ? Buffer.alloc(0) : readFileSync(file);
  };
}

/** The real evaluator in this process; that it is killable is the evaluator child's own test. */
export const IN_PROCESS_JUDGE: Judge = {
  evaluate: async (compiled, observed) =>
    evaluateCase(
      compiled,
      observed.map(({ observation }) => observation),
      bytesOf(observed),
    ),
  classify: async (observed) => classify(observed.observation, bytesOf([observed])),
  close: () => Promise.resolve(),
};
