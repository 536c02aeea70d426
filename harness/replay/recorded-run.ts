import type { InputArchive } from '../evidence/export-input.ts';
import { toPathSegment } from '../evidence/paths.ts';
import type { RunReport } from '../evidence/report.ts';
import { type Durations, toDurations } from '../run/durations.ts';
import type { Selection } from '../run/request.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { ReplayError } from './errors.ts';
import type { StoredBundle } from './stored-bundle.ts';

export type RecordedArchive = Omit<InputArchive, 'file'>;

export interface RecordedSuite {
  readonly id: string;
  readonly bytes: Buffer;
  readonly suite: CompiledSuite;
  /** What it was compiled from, as the bundle keeps it; it decides nothing. */
  readonly sources: readonly { readonly path: string; readonly bytes: Buffer }[];
}

/** The identity of one image, as the run read it back. */
export interface RecordedImage {
  readonly node: string;
  readonly configDigest: string;
  readonly diffIds: readonly string[];
}

/** What a bundle says of the run that is to be done again. */
export interface RecordedRun {
  readonly report: RunReport;
  /** What was asked to run, with the durations that balanced the shards. */
  readonly selection: Selection;
  /** The time that its cases had together. */
  readonly budgetMs: number;
  readonly archives: readonly RecordedArchive[];
  readonly packageLock: Buffer;
  readonly audit: Buffer;
  readonly suites: readonly RecordedSuite[];
  readonly images: readonly RecordedImage[];
}

/**
 * Reads what is needed for doing a run again. The suites pass the parser that every suite passes.
 *
 * @throws {ReplayError} NOTHING_RAN, EVIDENCE_UNREADABLE, EVIDENCE_CHANGED; {SuiteError} for a suite
 */
export async function readRecordedRun(bundle: StoredBundle): Promise<RecordedRun> {
  const report: RunReport = JSON.parse((await bundle.read('report.json')).toString('utf8'));
  if (report.blocked !== null || !bundle.files.has('image/readback.json')) {
    throw new ReplayError('NOTHING_RAN', 'evidence', {
      where: 'report.json',
      expected: 'a run with an image',
      actual: report.blocked?.code ?? 'no image',
    });
  }
  const manifest: { readonly archives: readonly RecordedArchive[] } = JSON.parse(
    (await bundle.read('inputs/manifest.json')).toString('utf8'),
  );
  return {
    report,
    selection: await readSelection(bundle, report.selection),
    budgetMs: report.budget.limitMs,
    archives: manifest.archives,
    packageLock: await bundle.read('inputs/package-lock.json'),
    audit: await bundle.read('inputs/audit.json'),
    suites: await Promise.all(report.suites.map(({ id }) => readSuite(bundle, id))),
    images: await Promise.all(
      report.nodeVersions.map((node, index) => readImage(bundle, index === 0 ? null : node)),
    ),
  };
}

async function readSelection(bundle: StoredBundle, recorded: RunReport['selection']): Promise<Selection> {
  const { only, shard, shuffle } = recorded;
  if (shard === null) return { only, shard, shuffle };
  const { index, count, durationsSha256 } = shard;
  if (durationsSha256 === null) return { only, shard: { index, count, durations: null }, shuffle };
  return { only, shard: { index, count, durations: await readDurations(bundle) }, shuffle };
}

/** What balanced the shards. */
export async function readDurations(bundle: StoredBundle): Promise<Durations> {
  const { cases }: { readonly cases: Readonly<Record<string, number>> } = JSON.parse(
    (await bundle.read('inputs/durations.json')).toString('utf8'),
  );
  return toDurations(new Map(Object.entries(cases)));
}

async function readSuite(bundle: StoredBundle, id: string): Promise<RecordedSuite> {
  const place = `inputs/suites/${toPathSegment(id)}/`;
  const bytes = await bundle.read(`${place}suite.json`);
  const others = [...bundle.files.keys()].filter(
    (path) => path.startsWith(place) && path !== `${place}suite.json`,
  );
  const sources = await Promise.all(
    others.map(async (path) => ({ path: path.slice(place.length), bytes: await bundle.read(path) })),
  );
  return { id, bytes, suite: parseCompiledSuiteBytes(bytes), sources };
}

/** The first Node version's image lies in `image/` itself. */
async function readImage(bundle: StoredBundle, node: string | null): Promise<RecordedImage> {
  const folder = node === null ? 'image' : `image/node-${toPathSegment(node)}`;
  return JSON.parse((await bundle.read(`${folder}/readback.json`)).toString('utf8'));
}
