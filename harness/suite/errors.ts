import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

export type SuiteErrorCode =
  | 'SUITE_MALFORMED'
  | 'SUITE_NOT_CANONICAL'
  | 'EVALUATOR_TIMED_OUT'
  | 'EVALUATOR_LOST'
  | 'EVALUATOR_REQUEST_MALFORMED';

const WHAT: Readonly<Record<SuiteErrorCode, string>> = {
  SUITE_MALFORMED: 'compiled suite is malformed',
  SUITE_NOT_CANONICAL: 'compiled suite is not in its one byte form',
  EVALUATOR_TIMED_OUT: 'evaluation took too long',
  EVALUATOR_LOST: 'the evaluator process ended without an answer',
  EVALUATOR_REQUEST_MALFORMED: 'evaluation request is malformed',
};

/** One wrong place of a document, by JSON Pointer. */
export interface Problem {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

export class SuiteError extends Fault {
  override readonly code: SuiteErrorCode;
  /** All wrong places, for `SUITE_MALFORMED` and `EVALUATOR_REQUEST_MALFORMED`; empty for other codes. */
  readonly problems: readonly Problem[];

  constructor(
    code: SuiteErrorCode,
    kind: FaultKind,
    details: FaultDetails & { readonly problems?: readonly Problem[] },
  ) {
    super(kind, WHAT[code], details);
    this.code = code;
    this.problems = details.problems ?? [];
  }
}
