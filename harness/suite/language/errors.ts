import { Fault, quoteText } from '../../document/fault.ts';

export type SuiteTextErrorCode =
  | 'SUITE_TOO_LARGE'
  | 'SUITE_NOT_UTF8'
  | 'SUITE_TOO_DEEP'
  | 'SUITE_EMPTY'
  | 'SUITE_VERSION_UNSUPPORTED'
  | 'YAML_SYNTAX'
  | 'YAML_DUPLICATE_KEY'
  | 'YAML_ALIAS'
  | 'YAML_ANCHOR'
  | 'YAML_TAG'
  | 'YAML_MERGE_KEY'
  | 'YAML_DIRECTIVE'
  | 'YAML_SECOND_DOCUMENT'
  | 'YAML_KEY_NOT_TEXT'
  | 'KEY_UNKNOWN'
  | 'KEY_MISSING'
  | 'KEY_CONFLICT'
  | 'TYPE_WRONG'
  | 'VALUE_WRONG'
  | 'WORD_UNKNOWN'
  | 'LIST_EMPTY'
  | 'ARGV_NOT_LIST'
  | 'DURATION_WRONG'
  | 'SIZE_WRONG'
  | 'LIMIT_WRONG'
  | 'LIMITS_TOO_MANY'
  | 'MODE_WRONG'
  | 'BASE64_WRONG'
  | 'PATTERN_WRONG'
  | 'JSON_SCHEMA_WRONG'
  | 'PATH_WRONG'
  | 'ID_WRONG'
  | 'ID_REPEATED'
  | 'STEP_UNNAMED'
  | 'STEP_UNKNOWN'
  | 'CONTROL_ORDER'
  | 'CONTROL_ALONE'
  | 'REFERENCE_ORDER'
  | 'REFERENCE_GATES'
  | 'REFERENCE_ELSEWHERE'
  | 'ARCHIVE_UNKNOWN'
  | 'CASE_UNKNOWN'
  | 'CASE_NOT_EARLIER'
  | 'REASON_MISSING'
  | 'GLOB_WRONG'
  | 'EXCEPTION_STALE'
  | 'EXCEPTION_COUNT'
  | 'EXCEPTION_TWICE'
  | 'EXCLUDED_BUT_NEEDED'
  | 'PLACEHOLDER_UNKNOWN'
  | 'BIN_UNKNOWN'
  | 'BESIDE_UNREADABLE'
  | 'FIXTURE_UNREADABLE'
  | 'FIXTURE_LINK'
  | 'FIXTURE_KIND'
  | 'FIXTURE_NAME'
  | 'FIXTURE_TWINS'
  | 'FIXTURE_TOO_LARGE'
  | 'FIXTURE_PATH_UNKNOWN';

/** One wrong place of a suite file or of a fixture's; line and column count from 1, columns in UTF-16 units as editors do. */
export interface TextProblem {
  readonly file: string;
  readonly code: SuiteTextErrorCode;
  readonly line: number;
  readonly column: number;
  readonly expected: string;
  readonly actual: string;
}

/** A suite file says something that no suite can say. Its `code` is that of the first place; all are listed. */
export class SuiteTextError extends Fault {
  override readonly code: SuiteTextErrorCode;
  /** In the order of the file, those of the suite first; at least one. */
  readonly problems: readonly TextProblem[];

  constructor(first: TextProblem, problems: readonly TextProblem[]) {
    super('usage', 'suite', {
      where: `${first.file}:${first.line}:${first.column}`,
      expected: first.expected,
      actual: first.actual,
    });
    this.code = first.code;
    this.problems = problems;
    if (problems.length > 1) {
      const places = problems.map(describeProblem);
      this.message = `suite: ${problems.length} wrong places: ${places.join('; ')}`;
    }
  }

  /** The message for a terminal: a line for each place where there are several. */
  lines(): readonly string[] {
    if (this.problems.length === 1) return [`${this.message} [${this.code}]`];
    return [`suite: ${this.problems.length} wrong places`, ...this.problems.map(describeProblem)];
  }
}

/** `file:line:column: expected …, got … [CODE]`, safe to print. */
function describeProblem(problem: TextProblem): string {
  const { file, line, column, expected, actual, code } = problem;
  return `${quoteText(file)}:${line}:${column}: expected ${expected}, got ${quoteText(actual)} [${code}]`;
}
