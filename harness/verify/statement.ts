import type { StoredReceipt } from './cases/outcome.ts';
import type { ClosedList } from './closed-list.ts';
import type { FileSource } from './files/source.ts';
import type { Findings } from './finding.ts';
import { parseCanonical, readBytes } from './read.ts';
import type { Report } from './shape/report.ts';
import { asList, asObject, asText, type JsonObject } from './shape.ts';

const PATH = 'statement.json';
const PREDICATE = `${PATH}.predicate`;
/** Files that a policy may pin apart from the bundle as a whole, and that the statement names therefore. */
const CONFIGURATION =
  /^(inputs\/(manifest|package-lock|audit)\.json|inputs\/suites\/.*|boundary\/declared\.json|image\/.*config\.json)$/;

/**
 * The statement must be about the embedded candidate, bind this very index, and say what the receipts say.
 * Fields that it has beside ours are ignored, as in-toto asks.
 */
export function checkStatement(
  source: FileSource,
  parts: {
    readonly list: ClosedList;
    readonly report: Report;
    readonly receipts: readonly StoredReceipt[];
    readonly exitCode: number;
  },
  findings: Findings,
): void {
  const bytes = readBytes(source, PATH);
  if (bytes === null) {
    findings.add('REQUIRED_FILE_MISSING', PATH, 'a regular file', 'none');
    return;
  }
  const parsed = parseCanonical(PATH, bytes);
  if (parsed.kind === 'rejected') {
    findings.addAll([parsed.finding]);
    return;
  }
  const statement = asObject(parsed.value) ?? {};
  const predicate = asObject(statement.predicate) ?? {};
  const { list, report, receipts, exitCode } = parts;
  checkConstant(statement, '_type', 'https://in-toto.io/Statement/v1', findings);
  checkConstant(statement, 'predicateType', 'https://in-toto.io/attestation/test-result/v0.1', findings);
  checkSubject(statement, report, findings);
  checkBinding(predicate, list, findings);
  checkTests(predicate, receipts, findings);
  checkResult(predicate, { receipts, exitCode }, findings);
  checkFacts(predicate, report, findings);
}

function checkConstant(statement: JsonObject, key: string, expected: string, findings: Findings): void {
  if (statement[key] !== expected)
    findings.add('STATEMENT_SHAPE', `${PATH}.${key}`, expected, show(statement[key]));
}

/** The candidate's digests were compared with the embedded archive before; here it is one subject, by both. */
function checkSubject(statement: JsonObject, { candidate }: Report, findings: Findings): void {
  const { name, version, sha256, sha512 } = candidate;
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  const expected = JSON.stringify([
    { digest: { sha256, sha512 }, name: `pkg:npm/${encoded}@${encodeURIComponent(version)}` },
  ]);
  findings.same('STATEMENT_SUBJECT', `${PATH}.subject`, expected, show(statement.subject));
}

function checkBinding(predicate: JsonObject, list: ClosedList, findings: Findings): void {
  const at = `${PREDICATE}.configuration`;
  const named = new Set<string>();
  for (const item of asList(predicate.configuration) ?? []) {
    const descriptor = asObject(item) ?? {};
    const name = asText(descriptor.name) ?? '';
    const sha256 = name === 'bundle.json' ? list.indexSha256 : list.files.get(name)?.sha256;
    if (named.has(name) || sha256 === undefined || asObject(descriptor.digest)?.sha256 !== sha256) {
      findings.add('STATEMENT_BINDING', at, `${name} ${sha256 ?? 'unlisted'}, once`, show(item));
    }
    named.add(name);
  }
  const wanted = [...list.files.keys()].filter((path) => CONFIGURATION.test(path));
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
  const idOf = ({ receipt }: StoredReceipt): string => `${receipt.caseId}@${receipt.node}`;
  const check = (field: string, expected: unknown): void =>
    findings.same(
      'STATEMENT_TESTS',
      `${PREDICATE}.${field}`,
      JSON.stringify(expected),
      show(predicate[field]),
    );
  for (const [field, outcomes] of Object.entries(LISTS)) {
    check(field, receipts.filter(({ receipt }) => outcomes.includes(receipt.outcome)).map(idOf));
  }
  check('warnedTests', receipts.filter(hasWarning).map(idOf));
  const skipped = receipts.filter(({ receipt }) =>
    ['unrun', 'excluded', 'unsupported'].includes(receipt.outcome),
  );
  check(
    'skippedTests',
    skipped.map((one) => ({ id: idOf(one), reason: one.receipt.reason ?? one.receipt.outcome })),
  );
  check('declaredTests', receipts.length);
  check('executedTests', receipts.filter(({ receipt }) => receipt.attempts.length > 0).length);
}

function hasWarning({ receipt }: StoredReceipt): boolean {
  const failed = receipt.checks.some(({ severity, result }) => severity === 'warn' && result === 'fail');
  return receipt.outcome === 'pass' && failed;
}

/** A run that was not complete is never PASSED. */
function checkResult(
  predicate: JsonObject,
  { receipts, exitCode }: { readonly receipts: readonly StoredReceipt[]; readonly exitCode: number },
  findings: Findings,
): void {
  const good = receipts.some(hasWarning) ? 'WARNED' : 'PASSED';
  findings.same(
    'STATEMENT_RESULT',
    `${PREDICATE}.result`,
    exitCode === 0 ? good : 'FAILED',
    show(predicate.result, true),
  );
}

function checkFacts(predicate: JsonObject, report: Report, findings: Findings): void {
  const facts: Readonly<Record<string, unknown>> = {
    scriptsExecuted: report.scripts === 'on',
    waivers: report.waivers,
    platform: report.platform,
    proves: report.suites.flatMap(({ proves }) => proves),
    doesNotProve: report.suites.flatMap(({ doesNotProve }) => doesNotProve),
  };
  for (const [field, expected] of Object.entries(facts)) {
    findings.same(
      'STATEMENT_FACT',
      `${PREDICATE}.${field}`,
      JSON.stringify(expected),
      show(predicate[field]),
    );
  }
}

/** Members of a canonical document stand in one order, so that equal values have equal text. */
function show(value: unknown, plain = false): string {
  if (plain && typeof value === 'string') return value;
  return JSON.stringify(value) ?? 'nothing';
}
