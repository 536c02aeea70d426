import { listOf, matching, oneOf, recordOf, type Shape } from '../document/shape.ts';
import { CATALOGUE, type FindingCode, listFindingCodes } from './catalogue/catalogue.ts';

/** A waiver as people write it. */
export interface WrittenWaiver {
  readonly code: FindingCode;
  /** Left out: every path. */
  readonly path?: string;
  readonly reason: string;
  readonly expires: string;
}

/** What is unsafe protects the machine, and a waiver of waivers would never end. */
const WAIVABLE = listFindingCodes().filter((code) => !CATALOGUE[code].unsafe && !code.startsWith('WAIVER_'));

/** Not of white space alone. */
export const waiverText: Shape<string> = matching(/\S/u);

/** RFC 3339 full-date that exists in the calendar: months of 31 days, of 30, February, its leap day. */
const day = matching(
  /^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$/u,
);

/** Each field of a waiver, for the reader of the file and for its schema. */
export const waiverFields = {
  code: oneOf(...WAIVABLE),
  path: waiverText,
  reason: waiverText,
  expires: day,
} satisfies { readonly [K in keyof WrittenWaiver]-?: Shape<unknown> };

/** A waiver file. That each code and path stands once, only its reader sees. */
export const waiversShape: Shape<readonly WrittenWaiver[]> = listOf(
  recordOf<WrittenWaiver>(waiverFields, ['path']),
);
