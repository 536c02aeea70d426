import { Fault, type FaultDetails } from '../document/fault.ts';

export type EvidenceErrorCode = 'OUT_NOT_EMPTY' | 'PATH_TAKEN' | 'WRITE_FAILED';

/** Evidence could not be written. Nothing is left behind: the temporary sibling is removed. */
export class EvidenceError extends Fault {
  readonly code: EvidenceErrorCode;

  constructor(code: EvidenceErrorCode, what: string, details: FaultDetails) {
    super(code === 'OUT_NOT_EMPTY' ? 'usage' : 'infrastructure', what, details);
    this.code = code;
  }
}
