import { join } from 'node:path';
import { toCanonicalBytes } from '../../../harness/document/canonical.ts';
import { exportEvidence } from '../../../harness/evidence/export.ts';
import { countOutcomes } from '../../../harness/evidence/report.ts';
import { sampleCase, sampleExport } from '../../../harness/evidence/testing/sample-evidence.ts';
import { guardedRun } from '../../../harness/evidence/testing/sample-guarded.ts';
import { mergeShards } from '../../../harness/merge/merge.ts';
import { compareBundles } from '../../../harness/replay/compare-bundles.ts';
import { readRecordedRun } from '../../../harness/replay/recorded-run.ts';
import { toReplayStatement } from '../../../harness/replay/replay-statement.ts';
import { StoredBundle } from '../../../harness/replay/stored-bundle.ts';
import type { CaseRun } from '../../../harness/run/result.ts';
import type { BinClass, CompiledSuite } from '../../../harness/suite/compiled.ts';

// What packproof makes of the sample run, from which the kit's bases are taken and with which they are compared.

const MERGED_RUN_ID = '20260102t030405z-0a0b2c';
/** Both shards of the run, in order. */
export const SHARD_INDEXES = [1, 2] as const;
/** Every class: whatever the first case turns out to be, the second runs. */
const CLASSES: readonly BinClass[] = [
  'cli',
  'reads-stdin',
  'server',
  'mcp-server',
  'needs-terminal',
  'broken',
  'unclear',
];

/** The sample's run: two cases, and one with controls where all pass. Returns its folder, as all of these do. */
export async function exportRun(
  folder: string,
  outcome: 'pass' | 'fail',
  runId: string | null = null,
): Promise<string> {
  const plain = await sampleCases(folder, outcome);
  // One base with it is enough: the failing one is there for its outcome.
  const more = outcome === 'pass' ? [await guardedRun(join(folder, 'spool'))] : [];
  const input = await sampleExport(folder, [...plain, ...more]);
  await exportEvidence({ ...input, report: { ...input.report, ...(runId === null ? {} : { runId }) } });
  return input.target;
}

/**
 * One of two shards. `version` is at home in the first and requires the class of `help`, whose home is the second:
 * so `help` runs in both.
 */
export async function exportShard(folder: string, index: (typeof SHARD_INDEXES)[number]): Promise<string> {
  const [help, version] = await sampleCases(folder, 'pass');
  const input = await sampleExport(folder, [help, version]);
  const cases = [help, index === 1 ? version : leftOut(version)];
  await exportEvidence({
    ...input,
    cases,
    suites: input.suites.map((suite) => ({ ...suite, bytes: withRequirement(suite.bytes) })),
    report: {
      ...input.report,
      runId: `20260102t030405z-0a0b${index}d`,
      selection: {
        only: [],
        shard: { index, count: SHARD_INDEXES.length, durationsSha256: null },
        shuffle: null,
      },
      counts: countOutcomes(cases.map((run) => run.outcome)),
      executed: cases.filter(({ attempts }) => attempts.length > 0).length,
    },
  });
  return input.target;
}

/** Both shards, merged. */
export async function exportMerged(folder: string, shards: readonly string[]): Promise<string> {
  const target = join(folder, 'merged');
  await mergeShards({ shards, target, runId: MERGED_RUN_ID });
  return target;
}

/** The statement of a replay in which a run of the sample came to the same. */
export async function stateReplay(recordedFolder: string, replayedFolder: string): Promise<unknown> {
  const recorded = await StoredBundle.open(recordedFolder);
  const replayed = await StoredBundle.open(replayedFolder);
  const run = await readRecordedRun(recorded);
  return toReplayStatement(await compareBundles({ run, recorded, replayed, durationMs: 5 }));
}

async function sampleCases(folder: string, outcome: 'pass' | 'fail'): Promise<[CaseRun, CaseRun]> {
  const spool = join(folder, 'spool');
  return [await sampleCase(spool, 'help', outcome), await sampleCase(spool, 'version', 'pass')];
}

function leftOut(run: CaseRun): CaseRun {
  return { ...run, attempts: [], checks: [], outcome: 'unrun', reason: 'selection', durationMs: 0 };
}

function withRequirement(bytes: Uint8Array): Uint8Array {
  const suite: CompiledSuite = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const cases = suite.cases.map((one) =>
    one.id === 'version' ? { ...one, requires: { classification: 'help', classes: CLASSES } } : one,
  );
  return toCanonicalBytes({ ...suite, cases });
}
