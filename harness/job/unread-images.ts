import type { CaseRun } from '../run/result.ts';
import { JobError } from './errors.ts';

/**
 * What cases came to whose images could not be read again after the run, because the engine was lost meanwhile: what
 * was seen of them is kept, and none of them is judged, since nobody can say that no box had changed its image.
 * `fault` is why. Null when it says that an image is another one: then nothing is to be kept.
 */
export function toUnjudged(cases: readonly CaseRun[], fault: unknown): readonly CaseRun[] | null {
  if (!(fault instanceof Error) || fault instanceof JobError) return null;
  return cases.map((run) => {
    const { outcome, reason } = run;
    // These say nothing of an image.
    if (outcome === 'unrun' || outcome === 'excluded' || outcome === 'error') return run;
    if (reason === 'no-node-version') return run;
    const detail = `the engine was lost before the image could be read again: ${fault.message}`;
    return { ...run, outcome: 'error', reason: 'image-unread', detail, checks: [] };
  });
}
