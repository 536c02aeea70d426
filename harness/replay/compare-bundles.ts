import { posix } from 'node:path';
import { toCanonicalBytes } from '../document/canonical.ts';
import type { RunReport } from '../evidence/report.ts';
import { assertedStreams, undecisiveParts } from './asserted.ts';
import { compareCase } from './compare-case.ts';
import { type ReplayResult, resultOf, strongestResult } from './difference.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { ReplayDocument, ReplaySide } from './replay-document.ts';
import type { StoredBundle } from './stored-bundle.ts';
import { volatileParts } from './volatile.ts';

/** One of a run; of merged evidence one a shard, with the kinds of boxes of its cases. */
const BOUNDARY = /^(?:shards\/[0-9]+\/)?boundary\/declared\.json$/;

export interface Comparison {
  readonly run: RecordedRun;
  readonly recorded: StoredBundle;
  readonly replayed: StoredBundle;
  /** Of the replay, in milliseconds. */
  readonly durationMs: number;
}

/**
 * Compares every case of two bundles of the same suites. Cases are those of either bundle.
 *
 * @throws {ReplayError} EVIDENCE_UNREADABLE, EVIDENCE_CHANGED
 */
export async function compareBundles(input: Comparison): Promise<ReplayDocument> {
  const { run, recorded, replayed, durationMs } = input;
  const report: RunReport = JSON.parse((await replayed.read('report.json')).toString('utf8'));
  const compiled = run.suites.flatMap(({ suite }) => suite.cases);
  const [asserted, undecisive] = [assertedStreams(compiled), undecisiveParts(compiled)];
  const volatile = volatileParts(compiled);
  const cases: ReplayDocument['cases'][number][] = [];
  for (const folder of caseFolders([recorded, replayed])) {
    const differences = await compareCase(folder, { recorded, replayed, asserted, undecisive, volatile });
    const id = posix.basename(folder);
    cases.push({ id, result: resultOf(differences), differences });
  }
  const [left, right] = [await readDeclared(recorded), await readDeclared(replayed)];
  const sameBoundary = left.join('\n') === right.join('\n');
  // Nothing compared is nothing shown: without a case there is no identity to speak of.
  const held = sameBoundary && cases.length > 0;
  const result = held ? strongestResult(cases.map((one) => one.result)) : 'different';
  return {
    formatVersion: 1,
    result,
    exitCode: result === 'different' ? 1 : 0,
    candidate: report.candidate,
    recorded: toSide(run.report, recorded),
    replayed: toSide(report, replayed),
    images: run.images.map(({ node, configDigest, diffIds }) => ({ node, configDigest, diffIds })),
    sameBoundary,
    counts: countResults(cases.map((one) => one.result)),
    cases,
    durationMs,
  };
}

/** Every declared kind of box, with the system calls it allows, once. */
async function readDeclared(bundle: StoredBundle): Promise<readonly string[]> {
  const kinds = new Set<string>();
  for (const path of [...bundle.files.keys()].filter((one) => BOUNDARY.test(one))) {
    const { boundaries, ...rest }: { readonly boundaries: readonly unknown[] } = JSON.parse(
      (await bundle.read(path)).toString('utf8'),
    );
    for (const boundary of boundaries) kinds.add(toCanonicalBytes({ boundary, rest }).toString('utf8'));
  }
  return [...kinds].sort();
}

function caseFolders(bundles: readonly StoredBundle[]): readonly string[] {
  const folders = bundles.flatMap(({ files }) =>
    [...files.keys()].filter((path) => /^cases\/[^/]+\/receipt\.json$/.test(path)).map(posix.dirname),
  );
  return [...new Set(folders)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function toSide(report: RunReport, bundle: StoredBundle): ReplaySide {
  const { runId, engine, exitCode, harness } = report;
  return {
    runId,
    bundleSha256: bundle.sha256,
    engine: engine === null ? null : { name: engine.name, version: engine.version },
    exitCode,
    harness: { version: harness.version, distSha256: harness.distSha256 },
  };
}

function countResults(results: readonly ReplayResult[]): ReplayDocument['counts'] {
  const count = (wanted: ReplayResult): number => results.filter((result) => result === wanted).length;
  return {
    identical: count('identical'),
    equivalent: count('equivalent'),
    different: count('different'),
  };
}
