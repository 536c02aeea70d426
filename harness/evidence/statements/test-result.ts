import type { CaseRun } from '../../run/result.ts';
import { toExecutionId } from '../paths.ts';
import type { RunReport } from '../report.ts';
import { type DescribeFile, type Statement, toCandidate, toStatement } from './statement.ts';

const TEST_RESULT_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';

type TestedCase = Pick<CaseRun, 'caseId' | 'node' | 'outcome' | 'reason' | 'detail' | 'checks'>;

export interface TestResultInput {
  readonly report: RunReport;
  readonly cases: readonly TestedCase[];
  /** Paths of the bundle's files, in the order of its index. */
  readonly listed: readonly string[];
  readonly describe: DescribeFile;
}

/**
 * What the cases came to, as an in-toto test-result v0.1 about the candidate's tarball.
 *
 * Extension fields (`declaredTests` …) only ever make a reader stricter, as in-toto's monotonic principle
 * asks: a partial run differs from a full one in `selectedTests`, `executedTests` and `skippedTests`, and a
 * run that was not complete is never PASSED: an unrun case makes it FAILED, also when the selection left it
 * out, so that nobody who reads the result alone takes a filtered run for a full one.
 */
export function buildTestResult(input: TestResultInput): Statement {
  const { report, cases, describe } = input;
  const ids = (outcomes: readonly string[]): readonly string[] =>
    cases.filter((run) => outcomes.includes(run.outcome)).map(idOf);
  const warned = cases.filter((run) => run.outcome === 'pass' && hasFailedWarning(run)).map(idOf);
  return toStatement({
    subject: [toCandidate(report)],
    predicateType: TEST_RESULT_TYPE,
    predicate: {
      result: toResult(input, warned),
      configuration: ['bundle.json', ...input.listed.filter(isConfiguration)].map(describe),
      passedTests: ids(['pass']),
      warnedTests: warned,
      failedTests: ids(['fail', 'flaky']),
      erroredTests: ids(['error']),
      skippedTests: cases
        .filter((run) => ['unrun', 'excluded', 'unsupported'].includes(run.outcome))
        .map((run) => ({ id: idOf(run), reason: run.reason ?? run.outcome })),
      excludedTests: cases
        .filter((run) => run.outcome === 'excluded')
        .map((run) => ({ id: idOf(run), reason: run.detail })),
      declaredTests: report.declared,
      selectedTests: cases.filter(({ reason }) => reason !== 'selection' && reason !== 'exclusion').length,
      executedTests: report.executed,
      selection: report.selection,
      scriptsExecuted: report.scripts === 'on',
      waivers: report.waivers,
      platform: report.platform,
      proves: report.suites.flatMap((suite) => suite.proves),
      doesNotProve: report.suites.flatMap((suite) => suite.doesNotProve),
      caseClaims: report.suites.flatMap((suite) => suite.caseClaims),
    },
  });
}

/** What a policy may want to pin apart from the bundle as a whole. */
function isConfiguration(path: string): boolean {
  return /^(inputs\/(manifest|package-lock|audit)\.json|inputs\/suites\/.*|boundary\/[^/]+\.json|image\/.*(config\.json|inventory\.ndjson))$/.test(
    path,
  );
}

function idOf(run: TestedCase): string {
  return toExecutionId(run.caseId, run.node);
}

function toResult(
  { report, cases }: TestResultInput,
  warned: readonly string[],
): 'PASSED' | 'WARNED' | 'FAILED' {
  const isComplete = cases.every(({ outcome }) => outcome !== 'unrun');
  if (report.result !== 'passed' || !isComplete) return 'FAILED';
  return warned.length > 0 ? 'WARNED' : 'PASSED';
}

function hasFailedWarning(run: TestedCase): boolean {
  return run.checks.some((check) => check.severity === 'warn' && check.result === 'fail');
}
