import { Fault, type FaultDetails } from '../document/fault.ts';

export type BoundaryErrorCode =
  | 'BOUNDARY_MALFORMED'
  | 'POLICY_MALFORMED'
  | 'POLICY_CONTRADICTS_ITSELF'
  | 'MEASUREMENT_MALFORMED'
  | 'MEASUREMENT_TOO_LARGE'
  | 'MEASUREMENT_UNFINISHED';

/** A document of this folder cannot be read, so nothing can be said about the boundary. */
export class BoundaryError extends Fault {
  readonly code: BoundaryErrorCode;

  constructor(code: BoundaryErrorCode, what: string, details: FaultDetails) {
    super('infrastructure', what, details);
    this.code = code;
  }
}
