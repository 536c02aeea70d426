import type { RunReport } from './report.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const TEST_RESULT_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';

export interface ResourceDescriptor {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

export interface StatementInput {
  readonly report: RunReport;
  readonly configuration: readonly ResourceDescriptor[];
  readonly passed: readonly string[];
  readonly warned: readonly string[];
  readonly failed: readonly string[];
  readonly errored: readonly string[];
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * The in-toto Statement v1 with a test-result v0.1 predicate: the candidate's digests as the subject, the
 * bundle bound by the digest of `bundle.json`.
 *
 * Extension fields (`declaredTests` …) only ever make a reader stricter, as in-toto's monotonic principle
 * asks. A run that was not complete is never PASSED: an unrun or errored case makes it FAILED.
 */
export function buildStatement(input: StatementInput): unknown {
  const { report } = input;
  return {
    _type: STATEMENT_TYPE,
    subject: [
      {
        name: toPurl(report.candidate.name, report.candidate.version),
        digest: { sha256: report.candidate.sha256, sha512: report.candidate.sha512 },
      },
    ],
    predicateType: TEST_RESULT_TYPE,
    predicate: {
      result: toResult(input),
      configuration: input.configuration,
      passedTests: input.passed,
      warnedTests: input.warned,
      failedTests: input.failed,
      erroredTests: input.errored,
      skippedTests: input.skipped,
      declaredTests: report.declared,
      executedTests: report.executed,
      scriptsExecuted: report.scripts === 'on',
      waivers: report.waivers,
      platform: report.platform,
      proves: report.suites.flatMap((suite) => suite.proves),
      doesNotProve: report.suites.flatMap((suite) => suite.doesNotProve),
    },
  };
}

function toResult(input: StatementInput): 'PASSED' | 'WARNED' | 'FAILED' {
  if (input.report.result !== 'passed') return 'FAILED';
  return input.warned.length > 0 ? 'WARNED' : 'PASSED';
}

/** The package URL of an npm package; a scope is a namespace, its `@` percent-encoded (purl spec, npm type). */
export function toPurl(name: string, version: string): string {
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:npm/${encoded}@${encodeURIComponent(version)}`;
}
