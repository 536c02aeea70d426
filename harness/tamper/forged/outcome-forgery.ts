import { type BaseBundle, STATEMENT } from '../base-bundle.ts';
import { editedBytes, encode, type Forgery } from '../forgery.ts';
import { replaceAt, valueAt } from '../places.ts';
import { type FoundReceipt, listAt, receiptsOf, recordOf } from './receipts.ts';

/** One receipt that was changed, and what report and statement would say of a run with it. */
export function forgeReceipts(
  bundle: BaseBundle,
  changed: ReadonlyMap<string, Readonly<Record<string, unknown>> | null>,
): Forgery {
  const receipts = receiptsOf(bundle).flatMap((one) => {
    const receipt = changed.get(one.path);
    if (receipt === null) return [];
    return [receipt === undefined ? one : { ...one, receipt, outcome: String(receipt['outcome']) }];
  });
  const files = new Map<string, Uint8Array | null>();
  for (const [path, receipt] of changed) {
    files.set(
      receipt === null ? path.replace(/\/receipt\.json$/, '') : path,
      receipt && encode(path, receipt),
    );
  }
  files.set(
    'report.json',
    editedBytes(bundle, 'report.json', (report) => retellReport(report, receipts)),
  );
  return {
    files,
    statements: { [STATEMENT]: (statement) => retellStatement(statement, receipts, exitOf(receipts)) },
  };
}

/** The exit code of a run with these receipts, as far as they decide it. */
export function exitOf(receipts: readonly FoundReceipt[]): number {
  const has = (...outcomes: readonly string[]): boolean =>
    receipts.some(({ outcome }) => outcomes.includes(outcome));
  if (has('error')) return 3;
  return has('fail', 'flaky') ? 1 : has('pass') ? 0 : 3;
}

function retellReport(report: unknown, receipts: readonly FoundReceipt[]): unknown {
  const exitCode = exitOf(receipts);
  const counts = Object.fromEntries(
    Object.keys(recordOf(valueAt(report, 'counts'))).map((outcome) => [
      outcome,
      receipts.filter((one) => one.outcome === outcome).length,
    ]),
  );
  const result = exitCode === 0 ? 'passed' : exitCode === 1 ? 'failed' : 'error';
  const executed = receipts.filter(({ receipt }) => listAt(receipt, 'attempts').length > 0).length;
  return { ...recordOf(report), counts, exitCode, result, declared: receipts.length, executed };
}

/** The statement of a run with these receipts, all its figures told again. */
export function retellStatement(
  statement: unknown,
  receipts: readonly FoundReceipt[],
  exitCode: number,
): unknown {
  const order = new Map(listOfTests(statement).map((id, index) => [id, index]));
  const sorted = [...receipts].sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  const ids = (...outcomes: readonly string[]): readonly string[] =>
    sorted.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id);
  const warned = sorted.filter(hasWarning).map(({ id }) => id);
  const predicate = {
    ...recordOf(valueAt(statement, 'predicate')),
    passedTests: ids('pass'),
    failedTests: ids('fail', 'flaky'),
    erroredTests: ids('error'),
    warnedTests: warned,
    skippedTests: sorted
      .filter(({ outcome }) => ['unrun', 'excluded', 'unsupported'].includes(outcome))
      .map(({ id, receipt, outcome }) => ({ id, reason: receipt['reason'] ?? outcome })),
    declaredTests: receipts.length,
    executedTests: receipts.filter(({ receipt }) => listAt(receipt, 'attempts').length > 0).length,
    result: exitCode === 0 ? (warned.length > 0 ? 'WARNED' : 'PASSED') : 'FAILED',
  };
  return replaceAt(statement, ['predicate'], predicate);
}

function listOfTests(statement: unknown): readonly string[] {
  const lists = ['passedTests', 'failedTests', 'erroredTests'];
  return lists.flatMap((name) => listAt(statement, 'predicate', name).map(String));
}

function hasWarning({ receipt, outcome }: FoundReceipt): boolean {
  return (
    outcome === 'pass' &&
    listAt(receipt, 'checks')
      .map(recordOf)
      .some(({ severity, result }) => severity === 'warn' && result === 'fail')
  );
}
