import type { Catalogue } from './entry.ts';

const SOURCE = 'docs/audit-findings.md, waivers';

/** Codes about waivers that no longer fit. */
export const WAIVER_CODES = {
  WAIVER_EXPIRED: {
    severity: 'gate',
    unsafe: false,
    title: 'a waiver has expired',
    why: 'Its reason was accepted up to a date that is over.',
    advice: 'Mend the fault, or decide again and set a new date.',
    source: SOURCE,
  },
  WAIVER_UNUSED: {
    severity: 'warn',
    unsafe: false,
    title: 'a waiver matches no finding',
    why: 'Left in place it would hide the fault when it comes back.',
    advice: 'Remove it.',
    source: SOURCE,
  },
} as const satisfies Catalogue;
