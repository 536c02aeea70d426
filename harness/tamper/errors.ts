import { Fault, type FaultDetails, type FaultKind } from '../document/fault.ts';

export type TamperErrorCode =
  | 'EVIDENCE_REJECTED'
  | 'EVIDENCE_UNREADABLE'
  | 'EVIDENCE_CHANGED'
  | 'KIND_UNKNOWN'
  | 'KEY_UNREADABLE'
  | 'NOTHING_MUTATED'
  | 'NOTHING_TRIED'
  | 'VERIFIER_FAILED';

const KINDS: Readonly<Record<TamperErrorCode, FaultKind>> = {
  EVIDENCE_REJECTED: 'evidence',
  EVIDENCE_UNREADABLE: 'evidence',
  EVIDENCE_CHANGED: 'evidence',
  KIND_UNKNOWN: 'usage',
  KEY_UNREADABLE: 'usage',
  NOTHING_MUTATED: 'infrastructure',
  NOTHING_TRIED: 'infrastructure',
  VERIFIER_FAILED: 'infrastructure',
};

/** Tampering could not be tried. A verifier that accepts what it must not is no error but a result. */
export class TamperError extends Fault {
  readonly code: TamperErrorCode;

  constructor(code: TamperErrorCode, what: string, details: FaultDetails) {
    super(KINDS[code], what, details);
    this.code = code;
  }
}
