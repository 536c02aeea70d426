export type UsageErrorCode =
  | 'FLAG_UNKNOWN'
  | 'FLAG_VALUE'
  | 'ARGUMENT_MISSING'
  | 'ARGUMENT_EXTRA'
  | 'EVIDENCE_MISSING'
  | 'REQUEST_INVALID';

export interface UsageDetails {
  readonly where: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * The verifier was called wrongly and has judged nothing.
 *
 * Stands alone instead of extending the harness's base error: the verifier shares no code with the rest.
 */
export class UsageError extends Error {
  readonly code: UsageErrorCode;
  readonly what: string;
  readonly details: UsageDetails;

  constructor(code: UsageErrorCode, what: string, details: UsageDetails) {
    super(`${what}: ${details.where}: expected ${details.expected}, got ${details.actual}`);
    this.name = 'UsageError';
    this.code = code;
    this.what = what;
    this.details = details;
  }
}
