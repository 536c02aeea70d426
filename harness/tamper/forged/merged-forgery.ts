import { type BaseBundle, STATEMENT } from '../base-bundle.ts';
import { encode, type Forgery } from '../forgery.ts';
import { valueAt } from '../places.ts';
import { exitOf, retellStatement } from './outcome-forgery.ts';
import { type FoundReceipt, listAt, receiptOf, receiptsOf, recordOf } from './receipts.ts';

const REPORT = 'report.json';
type Files = ReadonlyMap<string, Uint8Array | null>;

/**
 * What a merged bundle would say of a shard that was changed: its report and its statement follow from those of the
 * shards, so that no figure of the whole gives the forgery away. `files` are those of the shard, by its own paths.
 */
export function retellMerged(bundle: BaseBundle, folder: string, files: Files): Forgery {
  if (![...files.keys()].some((path) => path === REPORT || path.endsWith('/receipt.json'))) return {};
  const told = bundle.shards().map((one) => {
    const changed = one.folder === folder ? files : new Map<string, Uint8Array | null>();
    return { report: reportOf(one.shard, changed), receipts: receiptsAfter(one.shard, changed) };
  });
  const receipts = atHome(told.map((one) => one.receipts));
  const before = recordOf(bundle.document(REPORT));
  const report = {
    ...before,
    ...mergedFacts(
      before,
      told.map((one) => one.report),
      receipts,
    ),
  };
  return {
    files: new Map([[REPORT, encode(REPORT, report)]]),
    statements: {
      [STATEMENT]: (statement) => retellStatement(statement, receipts, Number(report['exitCode'])),
    },
  };
}

function reportOf(shard: BaseBundle, files: Files): Readonly<Record<string, unknown>> {
  const bytes = files.get(REPORT);
  if (bytes === undefined || bytes === null) return recordOf(shard.document(REPORT));
  return recordOf(parsed(bytes));
}

function receiptsAfter(shard: BaseBundle, files: Files): readonly FoundReceipt[] {
  const kept = receiptsOf(shard).filter(({ path, folder }) => !files.has(path) && files.get(folder) !== null);
  const changed = [...files].flatMap(([path, bytes]) =>
    bytes === null ? [] : (receiptOf(path, () => parsed(bytes)) ?? []),
  );
  return [...kept, ...changed];
}

/** Some forgeries are no document any more: nothing follows from them. */
function parsed(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    // A lone surrogate has no byte form in which it could be told again.
    return JSON.stringify(value).includes('\\ud') ? null : value;
  } catch {
    return null;
  }
}

/** Of each case the receipt of the shard that did not leave it to another. */
function atHome(shards: readonly (readonly FoundReceipt[])[]): readonly FoundReceipt[] {
  const home = new Map<string, FoundReceipt>();
  for (const one of shards.flat()) {
    const known = home.get(one.folder);
    if (known === undefined || known.receipt['reason'] === 'selection') home.set(one.folder, one);
  }
  return [...home.values()];
}

/** Members that follow from those of the shards; what all shards have alike follows from the first. */
function mergedFacts(
  before: Readonly<Record<string, unknown>>,
  reports: readonly Readonly<Record<string, unknown>>[],
  receipts: readonly FoundReceipt[],
): Readonly<Record<string, unknown>> {
  const texts = (name: string): readonly string[] => reports.map((one) => String(one[name])).sort();
  /** As it was where a shard has no number there any more. */
  const ifNumber = (value: number, ...place: readonly string[]): unknown =>
    Number.isFinite(value) ? value : valueAt(before, ...place);
  const largest = (...place: readonly string[]): unknown =>
    ifNumber(Math.max(...reports.map((one) => Number(valueAt(one, ...place)))), ...place);
  const [startedAt, finishedAt] = [texts('startedAt')[0] ?? '', texts('finishedAt').at(-1) ?? ''];
  const exitCode = exitOf(receipts);
  const own = ['runId', 'nonce', 'selection', 'watchdog', 'timings'];
  const alike = Object.entries(reports[0] ?? {}).filter(([name]) => !own.includes(name));
  const isCutOff = receipts.some(
    ({ outcome, receipt }) => outcome === 'unrun' && receipt['reason'] === 'budget',
  );
  return {
    ...Object.fromEntries(alike),
    startedAt,
    finishedAt,
    durationMs: ifNumber(Date.parse(finishedAt) - Date.parse(startedAt), 'durationMs'),
    budget: {
      limitMs: largest('budget', 'limitMs'),
      usedMs: largest('budget', 'usedMs'),
      exhausted: isCutOff,
    },
    limits: { ...recordOf(valueAt(reports[0], 'limits')), jobs: largest('limits', 'jobs') },
    counts: Object.fromEntries(
      Object.keys(recordOf(before['counts'])).map((outcome) => [
        outcome,
        receipts.filter((one) => one.outcome === outcome).length,
      ]),
    ),
    exitCode,
    result: exitCode === 0 ? 'passed' : exitCode === 1 ? 'failed' : 'error',
    declared: receipts.length,
    executed: receipts.filter(({ receipt }) => listAt(receipt, 'attempts').length > 0).length,
  };
}
