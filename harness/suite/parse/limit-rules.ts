import { type BoundaryLimit, GRANTED_LIMITS, LIMIT_BOUNDS } from '../../boundary/kind.ts';
import type { Report } from './report.ts';

/** Limits of a case in their one form: each once, in the order of names, and each tighter than what is granted. */
export function checkLimits(limits: readonly BoundaryLimit[], path: string, report: Report): void {
  limits.forEach(({ name, value }, index) => {
    const before = limits[index - 1]?.name;
    if (before !== undefined && before >= name) {
      report.add(`${path}/${index}/name`, 'a name of its own, in the order of names', name);
    }
    if (!isTighter({ name, value })) {
      report.add(`${path}/${index}/value`, describeRange(name), value);
    }
  });
}

/** Whether a limit makes a box tighter, by values that a box can have. */
export function isTighter({ name, value }: BoundaryLimit): boolean {
  const { least, step } = LIMIT_BOUNDS[name];
  return value >= least && value < GRANTED_LIMITS[name] && value % step === 0;
}

export function describeRange(name: BoundaryLimit['name']): string {
  const { least, step } = LIMIT_BOUNDS[name];
  const steps = step === 1 ? '' : `, a multiple of ${step}`;
  return `${least} to less than ${GRANTED_LIMITS[name]}${steps}`;
}
