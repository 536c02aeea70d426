import type { AuditOptions } from '../audit.ts';
import type { FindingCode } from '../catalogue/catalogue.ts';

/** An archive with one fault, and the one finding it must give. */
export interface BrokenInput {
  readonly code: FindingCode;
  /** Path of the finding. */
  readonly path: string;
  /** What was done to a good package. */
  readonly defect: string;
  readonly bytes: Buffer;
  readonly options?: AuditOptions;
  /** Other codes that the same defect cannot help to give. */
  readonly also?: readonly FindingCode[];
}
