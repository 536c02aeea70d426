import type { Boundary } from './boundary.ts';
import type { BoundaryFindingCode } from './finding.ts';

/** One thing that the probe does in the box, and the outcomes that the boundary promises. */
export interface Trial {
  /** Unique; the name under which the outcome is stored. */
  readonly id: string;
  readonly operation: string;
  readonly arguments: readonly string[];
  /** Field of the boundary that it tests. */
  readonly field: keyof Boundary;
  /** What it means when the outcome is another. */
  readonly code: BoundaryFindingCode;
  /** Outcomes in the form of `Outcome`; every other one, and none at all, is a finding. */
  readonly accepts: readonly string[];
}
