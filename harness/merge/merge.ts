import { join } from 'node:path';
import { BundleFolder } from '../evidence/bundle-folder.ts';
import type { Receipt } from '../evidence/receipt.ts';
import { toReportedReferences } from '../evidence/references.ts';
import { countOutcomes, type RunReport } from '../evidence/report.ts';
import { buildTestResult } from '../evidence/statements/test-result.ts';
import { toExceptions } from '../job/exceptions.ts';
import { exitCodeOf, isInterruptingSignal, resultOf } from '../job/outcome.ts';
import { orderShards, requireOneContext } from './one-context.ts';
import { receiptsAtHome } from './receipts.ts';
import { readListed, readShard, type Shard } from './shard.ts';

/** Files of a shard that its own index does not list: the index, what binds it, who signed that, and the sums. */
const UNLISTED = [
  'bundle.json',
  'SHA256SUMS',
  'statement.json',
  'statement-boundary.json',
  'statement-image.json',
];

export interface MergeRequest {
  /** Absolute paths of bundles that the verifier accepted. */
  readonly shards: readonly string[];
  /** Absolute path; absent or an empty folder. */
  readonly target: string;
  readonly runId: string;
}

/**
 * Merges the shards of one run into one bundle, unsigned: each shard's bundle as it is, below
 * `shards/<index>/`, and a report and a statement of what all of them came to together.
 *
 * @throws {MergeError} when they are not all the shards of one run; {EvidenceError} when it cannot be written
 */
export async function mergeShards({ shards: folders, target, runId }: MergeRequest): Promise<RunReport> {
  const shards = orderShards(await Promise.all(folders.map(readShard)));
  await requireOneContext(shards);
  const receipts = await receiptsAtHome(shards);
  const report = await toMergedReport(shards, receipts, runId);
  const folder = await BundleFolder.create(target, runId);
  try {
    for (const shard of shards) await copyShard(folder, shard);
    await folder.writeDocument('shards.json', {
      formatVersion: 1,
      shards: shards.map(({ index, report: own, bundleSha256 }) => ({
        index,
        runId: own.runId,
        bundleSha256,
      })),
    });
    await folder.writeDocument('report.json', report);
    const { nonce } = report;
    const files = folder.files();
    const index = await folder.writeDocument('bundle.json', { formatVersion: 1, runId, nonce, files });
    const digests = new Map([index, ...files].map(({ path, sha256 }) => [path, sha256]));
    const describe = (name: string) => ({ name, digest: { sha256: digests.get(name) ?? '' } });
    const listed = files.map(({ path }) => path);
    await folder.writeDocument(
      'statement.json',
      buildTestResult({ report, cases: receipts, listed, describe }),
    );
    await folder.close();
  } catch (error) {
    await folder.abandon();
    throw error;
  }
  return report;
}

async function copyShard(folder: BundleFolder, shard: Shard): Promise<void> {
  for (const path of [...UNLISTED, ...shard.envelopes, ...shard.files.map((file) => file.path)]) {
    await folder.copyFrom(`shards/${shard.index}/${path}`, join(shard.folder, path));
  }
}

async function toMergedReport(
  shards: readonly Shard[],
  receipts: readonly Receipt[],
  runId: string,
): Promise<RunReport> {
  const [first] = shards;
  if (first === undefined) throw new Error('a merge of no shards');
  const reports = shards.map(({ report }) => report);
  const runs = receipts.map((receipt) => ({
    ...receipt,
    attempts: [],
    suiteId: receipt.suite,
    durationMs: 0,
  }));
  const exceptions = toExceptions(first.suites, runs);
  const interruptedBy = reports.find((one) => one.interruptedBy !== null)?.interruptedBy ?? null;
  const audit: { readonly findings: readonly { readonly severity: string; readonly waived: unknown }[] } =
    JSON.parse((await readListed(first, 'inputs/audit.json')).toString('utf8'));
  const exitCode = exitCodeOf({
    cases: runs,
    openGates: audit.findings.filter(({ severity, waived }) => severity === 'gate' && waived === null).length,
    blocked: false,
    stale: exceptions.staleExpectations.length > 0,
    interruptedBy: isInterruptingSignal(interruptedBy) ? interruptedBy : null,
  });
  const startedAt = reports.map((one) => one.startedAt).sort()[0] ?? '';
  const finishedAt =
    reports
      .map((one) => one.finishedAt)
      .sort()
      .at(-1) ?? '';
  return {
    ...first.report,
    ...exceptions,
    references: toReportedReferences(first.suites, receipts),
    runId,
    result: resultOf(exitCode),
    exitCode,
    startedAt,
    finishedAt,
    durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
    budget: {
      limitMs: Math.max(...reports.map(({ budget }) => budget.limitMs)),
      usedMs: Math.max(...reports.map(({ budget }) => budget.usedMs)),
      exhausted: receipts.some(({ outcome, reason }) => outcome === 'unrun' && reason === 'budget'),
    },
    limits: { ...first.report.limits, jobs: Math.max(...reports.map(({ limits }) => limits.jobs)) },
    selection: { only: first.report.selection.only, shard: null, shuffle: null },
    watchdog: null,
    timings: null,
    interruptedBy,
    counts: countOutcomes(receipts.map(({ outcome }) => outcome)),
    declared: receipts.length,
    executed: receipts.filter(({ attempts }) => attempts.length > 0).length,
  };
}
