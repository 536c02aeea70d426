import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

export type RunErrorCode =
  | 'NO_CASES_SELECTED'
  | 'PATTERN_MATCHES_NOTHING'
  | 'IMAGE_MISSING'
  | 'DUPLICATE_CASE'
  | 'TOO_MANY_BOUNDARIES'
  | 'PROBE_FAILED'
  | 'BOUNDARY_MISMATCH'
  | 'BOX_NOT_OPENED'
  | 'WATCHDOG_NOT_STARTED'
  | 'WATCHDOG_LOST'
  | 'SPOOL_FAILED';

const KINDS: Readonly<Record<RunErrorCode, FaultKind>> = {
  NO_CASES_SELECTED: 'usage',
  PATTERN_MATCHES_NOTHING: 'usage',
  IMAGE_MISSING: 'usage',
  DUPLICATE_CASE: 'usage',
  TOO_MANY_BOUNDARIES: 'usage',
  PROBE_FAILED: 'infrastructure',
  BOUNDARY_MISMATCH: 'infrastructure',
  BOX_NOT_OPENED: 'infrastructure',
  WATCHDOG_NOT_STARTED: 'infrastructure',
  WATCHDOG_LOST: 'infrastructure',
  SPOOL_FAILED: 'infrastructure',
};

/** The run cannot be done or cannot be believed. What a candidate does is an outcome and never this. */
export class RunError extends Fault {
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, what: string, details: FaultDetails) {
    super(KINDS[code], what, details);
    this.code = code;
  }
}
