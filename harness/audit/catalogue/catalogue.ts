import { BIN_CODES } from './bin-codes.ts';
import { DEPENDENCY_CODES } from './dependency-codes.ts';
import type { CatalogueEntry } from './entry.ts';
import { ENTRY_CODES } from './entry-codes.ts';
import { GZIP_CODES } from './gzip-codes.ts';
import { IMPORT_CODES } from './import-codes.ts';
import { MANIFEST_CODES } from './manifest-codes.ts';
import { TAR_CODES } from './tar-codes.ts';
import { WAIVER_CODES } from './waiver-codes.ts';

const CODES = {
  ...GZIP_CODES,
  ...TAR_CODES,
  ...ENTRY_CODES,
  ...MANIFEST_CODES,
  ...BIN_CODES,
  ...DEPENDENCY_CODES,
  ...IMPORT_CODES,
  ...WAIVER_CODES,
} as const;

/** Every code the audit can give; a closed list of the document's format version. */
export type FindingCode = keyof typeof CODES;

/** What each code means. The one place where severity and danger of a code are decided. */
export const CATALOGUE: Readonly<Record<FindingCode, CatalogueEntry>> = CODES;

export function isFindingCode(text: string): text is FindingCode {
  return Object.hasOwn(CODES, text);
}

/** All codes in byte order. */
export function listFindingCodes(): readonly FindingCode[] {
  return Object.keys(CODES).filter(isFindingCode).sort();
}
