import { join } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { hostPlatform } from '../job/engines.ts';
import type { InterruptingSignal } from '../job/outcome.ts';
import { runJob } from '../job/run-job.ts';
import { Scratch } from '../job/scratch.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import type { Reporter } from '../run/reporter.ts';
import type { RunLimits } from '../run/request.ts';
import { compareBundles } from './compare-bundles.ts';
import { requireIdentity } from './identity.ts';
import { openRecorded } from './open-recorded.ts';
import { type Permissions, requirePermission } from './permission.ts';
import { rebuildContext } from './rebuilt-context.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { ReplayDocument } from './replay-document.ts';
import { requireAccepted } from './require-accepted.ts';
import { StoredBundle } from './stored-bundle.ts';

/** A stranger's evidence must not make this machine work without end, whatever its report asks for. */
const MAX_BUDGET_MS = 60 * 60_000;
const MAX_CASE_MS = 10 * 60_000;
const MAX_JOBS = 8;
const MAX_REPEAT = 100;

export interface ReplayRequest {
  /** Absolute path of the evidence. */
  readonly evidence: string;
  /** Absolute path for the evidence of the replay, absent or empty; null: it is compared and removed. */
  readonly target: string | null;
  /** A folder of archives; null: only the archive store and the bundle. */
  readonly archives: string | null;
  readonly permissions: Permissions;
  readonly runId: string;
  readonly cacheDir: string;
  readonly stateDir: string;
  readonly engine: () => Promise<Engine>;
  /** Runs the separate verifier; whether it accepted. */
  readonly readBack: (evidence: string) => Promise<boolean>;
  readonly reporter: Reporter;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly interruptedBy: () => InterruptingSignal | null;
}

/**
 * Does a recorded run again and compares: evidence read back, images rebuilt from the pinned archives and held
 * to the recorded identity, the same compiled suites run, receipts and raw bytes compared.
 *
 * @throws {ReplayError} when it cannot be done here; {Fault} of the stages of a run
 */
export async function replayEvidence(request: ReplayRequest): Promise<ReplayDocument> {
  const startedAt = performance.now();
  await requireAccepted('EVIDENCE_REJECTED', request.readBack, request.evidence);
  const { bundle: recorded, run } = await openRecorded(request.evidence);
  requirePermission(run, hostPlatform(), request.permissions);
  const scratch = await Scratch.open(request.stateDir, `${request.runId}.replay`);
  try {
    request.say('rebuilding from the pinned archives');
    const sources = { bundle: recorded, cacheDir: request.cacheDir, archives: request.archives };
    const context = await rebuildContext(run, sources, join(scratch.folder, 'context'));
    await requireIdentity({ context, ...pickTools(request) }, run);
    const target = request.target ?? join(scratch.folder, 'evidence');
    await runAgain(request, { run, context, target });
    await requireAccepted('REPLAY_REJECTED', request.readBack, target);
    request.signal.throwIfAborted();
    const replayed = await StoredBundle.open(target);
    const durationMs = Math.round(performance.now() - startedAt);
    return await compareBundles({ run, recorded, replayed, durationMs });
  } finally {
    await scratch.close();
  }
}

function pickTools({
  cacheDir,
  runId,
  engine,
}: ReplayRequest): Pick<ReplayRequest, 'cacheDir' | 'runId' | 'engine'> {
  return { cacheDir, runId, engine };
}

interface Again {
  readonly run: RecordedRun;
  readonly context: PreparedContext;
  readonly target: string;
}

async function runAgain(request: ReplayRequest, { run, context, target }: Again): Promise<void> {
  await runJob({
    context,
    target,
    ...pickTools(request),
    nonce: null,
    embedArchives: false,
    prepareMs: null,
    limits: toLimits(run),
    selection: run.selection,
    stateDir: request.stateDir,
    reporter: request.reporter,
    signal: request.signal,
    interruptedBy: request.interruptedBy,
  });
}

function toLimits({ report: { limits }, budgetMs }: RecordedRun): RunLimits {
  return {
    budgetMs: Math.min(budgetMs, MAX_BUDGET_MS),
    caseTimeoutMs: Math.min(limits.caseTimeoutMs, MAX_CASE_MS),
    jobs: Math.min(limits.jobs, MAX_JOBS),
    repeat: Math.min(limits.repeat, MAX_REPEAT),
  };
}
