import { Fault, type FaultDetails, type FaultKind } from '../../document/fault.ts';

export type SigningErrorCode =
  | 'KEY_EXISTS'
  | 'KEY_UNWRITABLE'
  | 'KEY_UNREADABLE'
  | 'KEY_EXPOSED'
  | 'KEY_NOT_ED25519'
  | 'EVIDENCE_REJECTED'
  | 'STATEMENT_UNREADABLE'
  | 'STATEMENT_CHANGED'
  | 'SUMS_UNREADABLE'
  | 'SIGNED_ALREADY'
  | 'SIGNATURE_UNWRITABLE';

const KINDS: Readonly<Record<SigningErrorCode, FaultKind>> = {
  KEY_EXISTS: 'usage',
  KEY_UNWRITABLE: 'usage',
  KEY_UNREADABLE: 'usage',
  KEY_EXPOSED: 'usage',
  KEY_NOT_ED25519: 'usage',
  EVIDENCE_REJECTED: 'evidence',
  STATEMENT_UNREADABLE: 'evidence',
  STATEMENT_CHANGED: 'evidence',
  SUMS_UNREADABLE: 'evidence',
  SIGNED_ALREADY: 'usage',
  SIGNATURE_UNWRITABLE: 'usage',
};

/** A key could not be made or used, or evidence could not be signed. The evidence is as it was before. */
export class SigningError extends Fault {
  readonly code: SigningErrorCode;

  constructor(code: SigningErrorCode, what: string, details: FaultDetails) {
    super(KINDS[code], what, details);
    this.code = code;
  }
}

/** The errno name of a system error, for `actual`. */
export function describeCause(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}
