import type { StoredReceipt } from '../cases/outcome.ts';
import type { ClosedList } from '../closed-list.ts';
import type { FileSource } from '../files/source.ts';
import type { Findings } from '../finding.ts';
import { filesLike } from '../list/listed-files.ts';
import type { Report } from '../shape/report.ts';
import { asList, asObject, asText, type JsonObject } from '../shape.ts';
import { candidateSubject, checkMember, readStatement, type StatementParts } from './statement.ts';

const PATH = 'statement.json';
const PREDICATE = `${PATH}.predicate`;
const TEST_RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
/** Files that a policy may pin apart from the bundle as a whole, and that the statement names therefore. */
const CONFIGURATION =
  /^(inputs\/(manifest|package-lock|audit)\.json|inputs\/suites\/.*|boundary\/[^/]+\.json|image\/.*(config\.json|inventory\.ndjson))$/;

export type TestResultParts = Pick<StatementParts, 'findings' | 'list' | 'report' | 'receipts' | 'exitCode'>;

/** The statement is about the embedded candidate, binds this very index, and says what the receipts say. */
export function checkTestResult(source: FileSource, parts: TestResultParts): void {
  const { findings, list, report, receipts, exitCode } = parts;
  const read = readStatement(source, PATH, TEST_RESULT, findings);
  if (read === null) return;
  const { statement, predicate } = read;
  const subject = candidateSubject(report);
  checkMember('STATEMENT_SUBJECT', { path: PATH, member: 'subject' }, [subject, statement], findings);
  checkBinding(predicate, list, findings);
  checkTests(predicate, receipts, findings);
  checkResult(predicate, { receipts, exitCode }, findings);
  checkFacts(predicate, report, findings);
}

function checkBinding(predicate: JsonObject, list: ClosedList, findings: Findings): void {
  const at = `${PREDICATE}.configuration`;
  const named = new Set<string>();
  for (const item of asList(predicate.configuration) ?? []) {
    const descriptor = asObject(item) ?? {};
    const name = asText(descriptor.name) ?? '';
    const sha256 = name === 'bundle.json' ? list.indexSha256 : list.files.get(name)?.sha256;
    if (named.has(name) || sha256 === undefined || asObject(descriptor.digest)?.sha256 !== sha256) {
      findings.add('STATEMENT_BINDING', at, `${name} ${sha256 ?? 'unlisted'}, once`, JSON.stringify(item));
    }
    named.add(name);
  }
  const wanted = filesLike(list.files, CONFIGURATION).map(({ path }) => path);
  for (const path of ['bundle.json', ...wanted]) {
    if (!named.has(path)) findings.add('STATEMENT_BINDING', at, path, 'absent');
  }
}

const LISTS: Readonly<Record<string, readonly string[]>> = {
  passedTests: ['pass'],
  failedTests: ['fail', 'flaky'],
  erroredTests: ['error'],
};

/** Which cases did what, in the order of the run, is what their receipts say. */
function checkTests(predicate: JsonObject, receipts: readonly StoredReceipt[], findings: Findings): void {
  const skipped = receipts.filter(({ receipt }) =>
    ['unrun', 'excluded', 'unsupported'].includes(receipt.outcome),
  );
  const ofOutcome = Object.entries(LISTS).map(([field, outcomes]) => [
    field,
    receipts.filter(({ receipt }) => outcomes.includes(receipt.outcome)).map(idOf),
  ]);
  const tests: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(ofOutcome),
    warnedTests: receipts.filter(hasWarning).map(idOf),
    skippedTests: skipped.map((one) => ({
      id: idOf(one),
      reason: one.receipt.reason ?? one.receipt.outcome,
    })),
    excludedTests: receipts
      .filter(({ receipt }) => receipt.outcome === 'excluded')
      .map((one) => ({ id: idOf(one), reason: one.receipt.detail })),
    declaredTests: receipts.length,
    selectedTests: receipts.filter(
      ({ receipt: { reason } }) => reason !== 'selection' && reason !== 'exclusion',
    ).length,
    executedTests: receipts.filter(({ receipt }) => receipt.attempts.length > 0).length,
  };
  for (const [member, expected] of Object.entries(tests)) {
    checkMember('STATEMENT_TESTS', { path: PREDICATE, member }, [expected, predicate], findings);
  }
}

function idOf({ receipt }: StoredReceipt): string {
  return `${receipt.caseId}@${receipt.node}`;
}

function hasWarning({ receipt }: StoredReceipt): boolean {
  const failed = receipt.checks.some(({ severity, result }) => severity === 'warn' && result === 'fail');
  return receipt.outcome === 'pass' && failed;
}

/** A run that was not complete is never PASSED, whatever the reason. */
function checkResult(
  predicate: JsonObject,
  { receipts, exitCode }: { readonly receipts: readonly StoredReceipt[]; readonly exitCode: number },
  findings: Findings,
): void {
  const good = receipts.some(hasWarning) ? 'WARNED' : 'PASSED';
  const isComplete = receipts.every(({ receipt }) => receipt.outcome !== 'unrun');
  const expected = exitCode === 0 && isComplete ? good : 'FAILED';
  checkMember('STATEMENT_RESULT', { path: PREDICATE, member: 'result' }, [expected, predicate], findings);
}

function checkFacts(predicate: JsonObject, report: Report, findings: Findings): void {
  const facts: Readonly<Record<string, unknown>> = {
    selection: report.selection,
    scriptsExecuted: report.scripts === 'on',
    waivers: report.waivers,
    platform: report.platform,
    proves: report.suites.flatMap(({ proves }) => proves),
    doesNotProve: report.suites.flatMap(({ doesNotProve }) => doesNotProve),
    caseClaims: report.suites.flatMap(({ caseClaims }) => caseClaims),
  };
  for (const [member, expected] of Object.entries(facts)) {
    checkMember('STATEMENT_FACT', { path: PREDICATE, member }, [expected, predicate], findings);
  }
}
