import type { Bundle } from '../bundle.ts';
import type { StoredReceipt } from '../cases/outcome.ts';
import { deriveHomes } from '../cases/selection.ts';
import { SubSource } from '../files/sub-source.ts';
import { Findings } from '../finding.ts';
import type { ReadBundle } from '../read-bundle.ts';
import type { RunOutcome } from '../run-record.ts';
import { type Report, reportShape } from '../shape/report.ts';
import { shardsShape } from '../shape/shards.ts';
import { firstDifference } from '../statements/difference.ts';
import { checkOneContext } from './context.ts';
import { deriveReport } from './report.ts';

export const SHARDS_FILE = 'shards.json';

/** Reads one bundle of a folder as if it stood alone; null when its list or its documents cannot be read. */
export type JudgeBundle = (source: SubSource, findings: Findings) => Promise<ReadBundle | null>;

/** A merged bundle whose shards could all be read. */
export interface MergedRun {
  readonly report: Report;
  readonly shards: readonly ReadBundle[];
  /** Of every declared execution the receipt of its home, in the order of the run. */
  readonly receipts: readonly StoredReceipt[];
  readonly outcome: RunOutcome;
}

/**
 * Reads a merged bundle: every shard is judged as the bundle that it is; then all must be of one context, each
 * of its number once, and what the merged report says is derived from the receipts that each case has in its
 * home. A classification that ran in other shards too must have come to the same there.
 */
export async function readMerged(bundle: Bundle, judge: JudgeBundle): Promise<MergedRun | null> {
  const { findings } = bundle;
  const listed = bundle.document(SHARDS_FILE, shardsShape);
  const told = bundle.document('report.json', reportShape);
  if (listed === null || told === null) return null;
  const shards: ReadBundle[] = [];
  for (const { index, runId, bundleSha256 } of listed.shards) {
    const folder = `shards/${index}`;
    const inner = new Findings();
    const read = await judge(new SubSource(bundle.source, folder), inner);
    for (const { code, path, expected, actual } of inner.list()) {
      findings.add(code, `${folder}/${path}`, expected, actual);
    }
    if (read === null) continue;
    findings.same('SHARD_IDENTITY', `${SHARDS_FILE} ${index}.runId`, read.report.runId, runId);
    const { indexSha256 } = read.bundle.list;
    findings.same('SHARD_IDENTITY', `${SHARDS_FILE} ${index}.bundleSha256`, indexSha256, bundleSha256);
    shards.push(read);
  }
  for (const path of bundle.list.files.keys()) {
    const index = /^shards\/([1-9][0-9]*)\//.exec(path)?.[1];
    if (listed.shards.some((shard) => String(shard.index) === index)) bundle.know(path);
  }
  const [first] = shards;
  if (first === undefined || shards.length !== listed.shards.length) return null;
  checkNumbers(
    shards,
    listed.shards.map(({ index }) => index),
    findings,
  );
  checkOneContext(shards, findings);
  if (findings.count > 0) return null;
  const receipts = receiptsAtHome(shards, findings);
  const { report, outcome } = deriveReport(told, shards, receipts);
  for (const [field, value] of Object.entries(report)) {
    const difference = firstDifference(value, Reflect.get(told, field), `report.json.${field}`);
    if (difference === null) continue;
    findings.add('MERGE_FACT', difference.at, difference.expected, difference.actual);
  }
  findings.same('RECEIPT_IDENTITY', 'report.json.runId', bundle.list.runId, told.runId);
  findings.same('RECEIPT_IDENTITY', 'report.json.nonce', bundle.list.nonce, told.nonce);
  for (const path of bundle.unknown()) {
    findings.add('FILE_UNKNOWN', path, 'a file that some document explains', 'none does');
  }
  return { report: told, shards, receipts, outcome };
}

/** Every number from 1 to their count once, in order, and all shards of as many. */
function checkNumbers(shards: readonly ReadBundle[], told: readonly number[], findings: Findings): void {
  for (const [position, { report }] of shards.entries()) {
    const { shard } = report.selection;
    const at = `shards/${told[position]}/report.json.selection.shard`;
    const expected = `${position + 1}/${shards.length}`;
    const actual = shard === null ? 'none' : `${shard.index}/${shard.count}`;
    findings.same('SHARD_NUMBER', at, expected, actual);
    findings.same('SHARD_NUMBER', `${SHARDS_FILE} ${position + 1}.index`, position + 1, told[position]);
  }
}

function receiptsAtHome(shards: readonly ReadBundle[], findings: Findings): readonly StoredReceipt[] {
  const [first] = shards;
  if (first === undefined) return [];
  const homes = deriveHomes(first.run.suites, first.report.selection, first.run.durations);
  const byFolder = shards.map(
    ({ receipts }) => new Map(receipts.map((receipt) => [receipt.execution.folder, receipt])),
  );
  return first.run.executions.flatMap(({ folder, declared }) => {
    const home = homes.get(declared.id) ?? 1;
    const own = byFolder[home - 1]?.get(folder);
    if (own === undefined) return [];
    for (const [position, receipts] of byFolder.entries()) {
      const other = receipts.get(folder);
      if (other === undefined || other === own || other.execution.standing.kind !== 'selected') continue;
      findings.same('SHARD_DISAGREES', `shards/${position + 1}/${other.path}`, wordOf(own), wordOf(other));
    }
    return [{ ...own, path: `shards/${home}/${own.path}` }];
  });
}

/** What a case came to, as far as it must be the same wherever it ran. */
function wordOf({ receipt }: StoredReceipt): string {
  const results = receipt.checks.map(({ id, result }) => `${id}=${result}`);
  return [receipt.outcome, receipt.reason ?? '', ...results].join(' ');
}
