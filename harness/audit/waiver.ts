import type { FindingCode } from './catalogue/catalogue.ts';

/** A decision to live with findings of one code until a day. */
export interface Waiver {
  readonly code: FindingCode;
  /** Exactly one path; null means all. */
  readonly path: string | null;
  readonly reason: string;
  /** `YYYY-MM-DD`, the last day (UTC) on which it holds. */
  readonly expires: string;
}

/** A waiver and what became of it; recorded in the audit. */
export interface AppliedWaiver extends Waiver {
  readonly state: 'used' | 'unused' | 'expired';
}
