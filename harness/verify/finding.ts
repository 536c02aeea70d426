/** Every defect has a code of its own; two inputs that need different fixes have different codes. */
export const FINDING_CODES = [
  // The folder and its closed list.
  'BUNDLE_MISSING',
  'BUNDLE_NOT_A_FOLDER',
  'INDEX_UNREADABLE',
  'LIST_DUPLICATE',
  'LIST_UNSORTED',
  'LIST_PATH_UNSAFE',
  'LIST_PATH_TWIN',
  'LIST_SELF',
  'FILE_MISSING',
  'FILE_EXTRA',
  'FILE_NOT_REGULAR',
  'FILE_SIZE',
  'FILE_DIGEST',
  'FILE_UNKNOWN',
  'FOLDER_EXTRA',
  'SUMS_MISMATCH',
  'REQUIRED_FILE_MISSING',
  'LIMIT_EXCEEDED',
  'FINDINGS_OMITTED',
  // The byte form and the fields of a document.
  'DOCUMENT_TOO_LARGE',
  'DOCUMENT_NOT_UTF8',
  'DOCUMENT_NOT_JSON',
  'DOCUMENT_DUPLICATE_KEY',
  'DOCUMENT_NOT_CANONICAL',
  'DOCUMENT_SHAPE',
  'LINE_ENDING',
  'FORMAT_UNKNOWN',
  // The statement and its signature.
  'STATEMENT_SHAPE',
  'STATEMENT_SUBJECT',
  'STATEMENT_BINDING',
  'STATEMENT_RESULT',
  'STATEMENT_TESTS',
  'STATEMENT_FACT',
  'STATEMENT_ATTRIBUTE',
  'STATEMENT_BUILD',
  'STATEMENT_UNFOUNDED',
  'SIGNATURE_KEY_UNUSABLE',
  'SIGNATURE_MISSING',
  'SIGNATURE_PARTIAL',
  'SIGNATURE_UNREADABLE',
  'SIGNATURE_ENVELOPE',
  'SIGNATURE_PAYLOAD_TYPE',
  'SIGNATURE_COUNT',
  'SIGNATURE_ENCODING',
  'SIGNATURE_PAYLOAD',
  'SIGNATURE_INVALID',
  'SIGNATURE_KEYID',
  // Suites.
  'NO_SUITES',
  'NO_CASES',
  'SUITE_FOLDER',
  'SUITE_SOURCE_UNKNOWN',
  'SUITE_PATTERN',
  'SUITE_RULE',
  'SUITE_CASE_DUPLICATE',
  'SUITE_EXCEPTION',
  'SUITE_ARCHIVE',
  // Receipts.
  'RECEIPT_MISSING',
  'RECEIPT_EXTRA',
  'RECEIPT_IDENTITY',
  'RECEIPT_CLAIM',
  'RECEIPT_CHECKS',
  'CHECK_RESULT',
  'RECEIPT_OUTCOME',
  'RECEIPT_REASON',
  'RECEIPT_DETAIL',
  'RECEIPT_NODE_VERSION',
  'RECEIPT_REQUIREMENT',
  'RECEIPT_NOT_OBSERVED',
  'ATTEMPT_ORDER',
  'ATTEMPT_COUNT',
  'ATTEMPT_BOX',
  'ATTEMPT_TIME',
  // Steps of an attempt.
  'STEP_ORDER',
  'STEP_ARGV',
  'STEP_MISSING',
  'STEP_TIME',
  'STEP_KILLED_BY',
  'STEP_OOM',
  'STEP_LIMIT',
  'RECEIPT_STREAM',
  'STREAM_ARITHMETIC',
  'TRANSCRIPT_STEP',
  'TRANSCRIPT_ORDER',
  'TRANSCRIPT_SUM',
  'TRANSCRIPT_ACTION',
  'TEARDOWN_ORDER',
  'TEARDOWN_COUNT',
  'FILES_ORDER',
  'FILES_BEFORE',
  'FILES_ENTRY',
  'FILES_NAME',
  'CONTROL_PROGRAM',
  // The run as a whole.
  'COUNTS_MISMATCH',
  'EXIT_CODE_MISMATCH',
  'REPORT_RESULT',
  'REPORT_FACT',
  'REPORT_TIME',
  'REPORT_BUDGET',
  'SELECTION_MISMATCH',
  'EXCEPTION_MISMATCH',
  'REFERENCE_MISMATCH',
  'ORDER_MISMATCH',
  // Shards that were merged.
  'SHARD_NUMBER',
  'SHARD_IDENTITY',
  'SHARD_CONTEXT',
  'SHARD_DISAGREES',
  'MERGE_FACT',
  // Inputs and image.
  'CANDIDATE_DIGEST',
  'MANIFEST_ENTRY',
  'MANIFEST_DUPLICATE',
  'MANIFEST_ARCHIVE',
  'LOCK_MISMATCH',
  'AUDIT_FACT',
  'AUDIT_WAIVER',
  'IMAGE_CONFIG',
  'IMAGE_READBACK',
  'IMAGE_FINDINGS',
  'INVENTORY_ORDER',
  'INVENTORY_ENTRY',
  'INVENTORY_CANDIDATE',
  'INVENTORY_TRANSFORM',
  'INVENTORY_ARCHIVE',
  // What archives from outside, or embedded ones, show of the image.
  'ARCHIVES_NONE',
  'ARCHIVE_FILE',
  'LAYER_DIGEST',
  // The boundary.
  'BOUNDARY_MISSING',
  'BOUNDARY_KINDS',
  'BOUNDARY_DECLARED',
  'BOUNDARY_SECCOMP',
  'OUTSIDE_VIEW_MISSING',
  'OUTSIDE_VIEW_UNUSED',
  'OUTSIDE_VIEW_DIGEST',
  'OUTSIDE_VIEW_KIND',
  'BOUNDARY_INSPECT',
  'BOUNDARY_STATUS',
  'BOUNDARY_MOUNTS',
  'BOUNDARY_NAMESPACE',
  'BOUNDARY_LIMITS',
  'BOUNDARY_MEASURED',
  'BOUNDARY_DEVICES',
  'BOUNDARY_TRIAL',
  'BOUNDARY_TRIAL_MISSING',
  // What must not stand in evidence.
  'SECRET_KEY',
  'SECRET_TOKEN',
  'HOST_PATH',
  // The replay document of an auditor.
  'REPLAY_MISSING',
  'REPLAY_UNSIGNED',
  'REPLAY_SIGNATURE',
  'REPLAY_SHAPE',
  'REPLAY_OTHER_BUNDLE',
  'REPLAY_CONTRADICTS',
  'REPLAY_DIFFERENT',
  // What was asked for from outside.
  'NONCE_MISMATCH',
  'SUITE_NOT_EXPECTED',
  'FINISHED_TOO_EARLY',
  'REQUIREMENT_UNMET',
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/** One defect: where it is, what should stand there, what does. `expected`/`actual` are text, cut at 200. */
export interface Finding {
  readonly code: FindingCode;
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

const TEXT_LIMIT = 200;
/** Findings that a verdict holds; a hostile bundle could cause millions, and the verdict must stay readable. */
const FINDINGS_LIMIT = 2000;

export function toFinding(code: FindingCode, path: string, expected: string, actual: string): Finding {
  return { code, path: cut(path), expected: cut(expected), actual: cut(actual) };
}

/** Values of which a finding shows the text. */
type Shown = string | number | boolean | null | undefined;

/**
 * Collects the findings of one bundle. They are collected rather than returned because their number is an
 * attacker's choice: beyond a limit they are only counted.
 */
export class Findings {
  readonly #kept: Finding[] = [];
  #omitted = 0;

  add(code: FindingCode, path: string, expected: Shown, actual: Shown): void {
    if (this.#kept.length < FINDINGS_LIMIT)
      this.#kept.push(toFinding(code, path, String(expected), String(actual)));
    else this.#omitted += 1;
  }

  /** A finding unless both are the same. */
  same(code: FindingCode, path: string, expected: Shown, actual: Shown): void {
    if (expected !== actual) this.add(code, path, expected, actual);
  }

  addAll(findings: readonly Finding[]): void {
    for (const { code, path, expected, actual } of findings) this.add(code, path, expected, actual);
  }

  get count(): number {
    return this.#kept.length + this.#omitted;
  }

  list(): readonly Finding[] {
    if (this.#omitted === 0) return this.#kept;
    const more = toFinding('FINDINGS_OMITTED', '', `at most ${FINDINGS_LIMIT}`, `${this.#omitted} more`);
    return [...this.#kept, more];
  }
}

/** Ends a judgement that has its answer. */
export class Decided extends Error {}

/** Ends the judgement with the first finding, for a caller that asks whether there is any. */
export class FirstFinding extends Findings {
  /** @throws {Decided} always; the finding is kept, so that nothing that catches it can turn it into none */
  override add(code: FindingCode, path: string, expected: Shown, actual: Shown): void {
    super.add(code, path, expected, actual);
    throw new Decided();
  }
}

function cut(text: string): string {
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}
