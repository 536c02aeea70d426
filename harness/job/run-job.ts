import { join } from 'node:path';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import { nameKind } from '../boundary/kind.ts';
import { readSeccompPolicy } from '../boundary/seccomp-policy.ts';
import type { Engine } from '../engine/engine.ts';
import { partialOf } from '../evidence/bundle-folder.ts';
import { exportEvidence } from '../evidence/export.ts';
import type { BoundaryRecord } from '../evidence/export-input.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import { requireFewBoundaries } from '../run/boundary-kinds.ts';
import type { CaseRun, RunResult } from '../run/result.ts';
import { runSuites } from '../run/run-suites.ts';
import { selectCases } from '../run/select.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { summariseAudit } from './audit-summary.ts';
import { unrunCases } from './blocked.ts';
import { hostPlatform } from './engines.ts';
import { JobError } from './errors.ts';
import { toExceptions } from './exceptions.ts';
import { type ReadyImage, readyImages, recheckImages, toImageRecords } from './images.ts';
import { toInputArchives } from './input-archives.ts';
import type { JobOutcome, RunJob } from './job.ts';
import { exitCodeOf } from './outcome.ts';
import { Scratch } from './scratch.ts';
import { toReport } from './to-report.ts';
import { toUnjudged } from './unread-images.ts';

/**
 * Runs the suites of a context and writes the evidence: images built, loaded and read back; boundary
 * measured; cases run; images hashed again; bundle closed. Where they cannot be, because the engine is gone, what was
 * seen is kept and every case is in `error`. A context that the audit blocked gives a bundle
 * whose cases are all `unrun`, without an engine.
 *
 * @throws {Fault} of every stage; nothing is left at `target` then
 */
export async function runJob(job: RunJob): Promise<JobOutcome> {
  const scratch = await Scratch.open(job.stateDir, job.runId);
  try {
    const blocked = job.context.document.blocked !== null;
    const seen = blocked ? runNothing(job) : await runCases(job, scratch.folder);
    await scratch.announce(partialOf(job.target, job.runId));
    return await exportJob(job, seen, scratch.folder);
  } finally {
    await scratch.close();
  }
}

/** What was seen, whether or not anything ran. */
interface Seen {
  readonly cases: readonly CaseRun[];
  readonly images: readonly ReadyImage[];
  readonly result: RunResult | null;
}

async function runCases(job: RunJob, spool: string): Promise<Seen> {
  const { document } = job.context;
  if (document.platform !== hostPlatform()) {
    throw new JobError('PLATFORM_NOT_RUNNABLE', 'platform', {
      where: document.platform,
      expected: hostPlatform(),
      actual: document.platform,
    });
  }
  const suites = compiledSuites(job.context);
  // A selection of nothing is known before anything is built for it.
  selectCases(suites, job.selection);
  requireFewBoundaries(suites);
  const engine = await job.engine();
  const images = await readyImages(job);
  const result = await runSuites({
    runId: job.runId,
    engine,
    images: new Map(images.map(({ node, loaded }) => [node, loaded])),
    inventories: new Map(images.map(({ node, built }) => [node, built.inventory])),
    suites,
    boundary: (kind) => defaultBoundary(document.platform, kind),
    limits: job.limits,
    selection: job.selection,
    signal: job.signal,
    spool,
    reporter: job.reporter,
  });
  return { cases: await checkedCases(engine, images, result.cases), images, result };
}

/** @throws {JobError} IMAGE_CHANGED */
async function checkedCases(
  engine: Engine,
  images: readonly ReadyImage[],
  cases: readonly CaseRun[],
): Promise<readonly CaseRun[]> {
  try {
    await recheckImages(engine, images);
    return cases;
  } catch (fault) {
    const unjudged = toUnjudged(cases, fault);
    if (unjudged === null) throw fault;
    return unjudged;
  }
}

function runNothing(job: RunJob): Seen {
  return { cases: unrunCases(compiledSuites(job.context), job.context.document), images: [], result: null };
}

function compiledSuites(context: PreparedContext): readonly CompiledSuite[] {
  return context.suites.map(({ bytes }) => parseCompiledSuiteBytes(bytes));
}

async function exportJob(job: RunJob, seen: Seen, spool: string): Promise<JobOutcome> {
  const audit = summariseAudit(job.context.audit);
  const suites = compiledSuites(job.context);
  const exceptions = toExceptions(suites, seen.cases);
  const stale = exceptions.staleExpectations;
  const exitCode = exitCodeOf({
    cases: seen.cases,
    openGates: audit.openGates,
    blocked: job.context.document.blocked !== null,
    stale: stale.length > 0,
    interruptedBy: job.interruptedBy(),
  });
  const { cases, result } = seen;
  const report = toReport({ job, cases, result, audit, exceptions, suites, exitCode });
  await exportEvidence({
    target: job.target,
    report,
    archives: toInputArchives(job.context),
    candidateFile: join(job.context.folder, 'archives', 'sha256', job.context.document.candidate.sha256),
    embedArchives: job.embedArchives,
    packageLock: job.context.packageLock,
    audit: audit.document,
    suites: job.context.suites,
    durations: job.selection.shard?.durations?.bytes ?? null,
    images: await toImageRecords(seen.images, spool),
    boundary: seen.result === null ? null : toBoundaryRecord(job, seen.result),
    cases: seen.cases,
  });
  return { report, cases: seen.cases.map(toTold), audit };
}

function toBoundaryRecord(job: RunJob, result: RunResult): BoundaryRecord {
  const { platform } = job.context.document;
  const kinds = new Map(
    result.boundaries.map(({ exec, limits }) => [nameKind({ exec, limits }), { exec, limits }]),
  );
  const views = result.boundaries.map(({ node, exec, limits, measured, outside }) => ({
    node,
    exec,
    limits,
    measured,
    outside,
  }));
  return {
    declared: {
      formatVersion: 1,
      boundaries: [...kinds.values()].map((kind) => ({ ...kind, boundary: defaultBoundary(platform, kind) })),
      seccomp: readSeccompPolicy(),
    },
    engine: { formatVersion: 1, views: views.map(({ measured: _measured, ...view }) => view) },
    measured: { formatVersion: 1, views: views.map(({ outside: _outside, ...view }) => view) },
  };
}

/** What was observed stands in the evidence now: of ten thousand cases only what is still to be told is held. */
function toTold(run: CaseRun): CaseRun {
  return { ...run, attempts: [], checks: run.checks.filter(({ result }) => result !== 'pass') };
}
