import { Fault, type FaultDetails } from '../document/fault.ts';

export type AuditErrorCode =
  | 'WAIVER_FILE_TOO_LARGE'
  | 'WAIVER_FILE_INVALID'
  | 'WAIVER_CODE_UNKNOWN'
  | 'WAIVER_CODE_UNSAFE'
  | 'WAIVER_REPEATED'
  | 'ENTRY_NOT_FOUND'
  | 'ENTRY_NOT_A_FILE';

const WHAT: Readonly<Record<AuditErrorCode, string>> = {
  WAIVER_FILE_TOO_LARGE: 'waiver file is too large',
  WAIVER_FILE_INVALID: 'waiver file is not valid',
  WAIVER_CODE_UNKNOWN: 'waiver names a code that does not exist',
  WAIVER_CODE_UNSAFE: 'waiver names a code that cannot be waived',
  WAIVER_REPEATED: 'waiver is given twice',
  ENTRY_NOT_FOUND: 'archive has no such entry',
  ENTRY_NOT_A_FILE: 'archive entry has no content',
};

/**
 * A misuse of the audit: a waiver file its user must mend, or a question about an entry that is not there.
 * A fault of the candidate is never an exception here; it is a finding.
 */
export class AuditError extends Fault {
  readonly code: AuditErrorCode;

  constructor(code: AuditErrorCode, details: FaultDetails) {
    super('usage', WHAT[code], details);
    this.code = code;
  }
}
