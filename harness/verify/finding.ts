/** Every defect has a code of its own; two inputs that need different fixes have different codes. */
export type FindingCode =
  | 'BUNDLE_MISSING'
  | 'BUNDLE_NOT_A_FOLDER'
  | 'INDEX_UNREADABLE'
  | 'DOCUMENT_NOT_JSON'
  | 'DOCUMENT_NOT_CANONICAL'
  | 'DOCUMENT_SHAPE'
  | 'FORMAT_UNKNOWN'
  | 'LIST_DUPLICATE'
  | 'LIST_UNSORTED'
  | 'LIST_PATH_UNSAFE'
  | 'LIST_SELF'
  | 'FILE_MISSING'
  | 'FILE_EXTRA'
  | 'FILE_NOT_REGULAR'
  | 'FILE_SIZE'
  | 'FILE_DIGEST'
  | 'SUMS_MISMATCH'
  | 'REQUIRED_FILE_MISSING'
  | 'STATEMENT_SHAPE'
  | 'STATEMENT_SUBJECT'
  | 'STATEMENT_BINDING'
  | 'STATEMENT_RESULT'
  | 'CANDIDATE_DIGEST'
  | 'NO_CASES'
  | 'RECEIPT_MISSING'
  | 'RECEIPT_EXTRA'
  | 'RECEIPT_IDENTITY'
  | 'RECEIPT_OUTCOME'
  | 'RECEIPT_STREAM'
  | 'COUNTS_MISMATCH'
  | 'EXIT_CODE_MISMATCH'
  | 'BOUNDARY_DISAGREES'
  | 'LIMIT_EXCEEDED'
  | 'SIGNATURE_KEY_UNUSABLE'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_UNREADABLE'
  | 'SIGNATURE_ENVELOPE'
  | 'SIGNATURE_PAYLOAD_TYPE'
  | 'SIGNATURE_COUNT'
  | 'SIGNATURE_ENCODING'
  | 'SIGNATURE_PAYLOAD'
  | 'SIGNATURE_INVALID'
  | 'SIGNATURE_KEYID';

/** One defect: where it is, what should stand there, what does. `expected`/`actual` are text, cut at 200. */
export interface Finding {
  readonly code: FindingCode;
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

const TEXT_LIMIT = 200;

export function toFinding(code: FindingCode, path: string, expected: string, actual: string): Finding {
  return { code, path: cut(path), expected: cut(expected), actual: cut(actual) };
}

function cut(text: string): string {
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}
