import type { Boundary } from '../boundary/boundary.ts';
import { nameKind } from '../boundary/kind.ts';
import type { EngineFacts } from '../engine/engine.ts';
import { requireFewBoundaries } from './boundary-kinds.ts';
import { byAbsolutePath, type ListedFile } from './box-files.ts';
import { BoxOpener } from './box-opener.ts';
import type { CasePlan } from './case-plan.ts';
import { CaseRuns } from './case-runs.ts';
import { monotonicMs, roundMs } from './clock.ts';
import { Deadline } from './deadline.ts';
import { RunError } from './errors.ts';
import type { Judge } from './evaluation.ts';
import { countOutcomes } from './outcome.ts';
import { type JudgeOutside, OutsideViews } from './outside-views.ts';
import { planCases } from './plan-cases.ts';
import type { ProbeSetting } from './probe.ts';
import type { RunRequest } from './request.ts';
import type { BoundaryReport, CaseRun, RunResult, WatchdogRecord } from './result.ts';
import { RunStop } from './run-stop.ts';
import { type SelectedCases, selectCases } from './select.ts';
import { Watchdog } from './watchdog.ts';

/** What a run needs besides its request, so that each can be another one in a test of the order. */
export interface RunTools {
  openJudge(): Judge;
  probe(setting: ProbeSetting): Promise<readonly BoundaryReport[]>;
  /** The judge of every box of a case, made once the kinds were measured. */
  toOutsideJudge(boundary: RunRequest['boundary'], reports: readonly BoundaryReport[]): JudgeOutside;
}

/**
 * The phases of a run, in order: plan → arm the watchdog → probe the boundaries → run and evaluate the cases
 * → finish the watchdog, which ends whatever is still there.
 *
 * @throws {RunError} usage: NO_CASES_SELECTED, PATTERN_MATCHES_NOTHING, IMAGE_MISSING, DUPLICATE_CASE; infrastructure: those of the
 * probe, WATCHDOG_NOT_STARTED, WATCHDOG_LOST, SPOOL_FAILED. Every box is then gone, and nothing has passed.
 */
export async function runWith(request: RunRequest, tools: RunTools): Promise<RunResult> {
  const plans = planCases(request);
  requireFewBoundaries(request.suites);
  const chosen = selectCases(request.suites, request.selection);
  const engine = await request.engine.facts();
  const run = await OpenRun.start(request, tools);
  try {
    const boundaries = await run.probe(plans.filter((plan) => chosen.selected.has(plan.case.id)));
    const ran = await run.cases(plans, chosen, boundaries);
    return run.result({ engine, boundaries, cases: ran, watchdog: await run.finish() });
  } finally {
    await run.finish();
  }
}

/** A run whose watchdog is armed. */
class OpenRun {
  readonly #request: RunRequest;
  readonly #tools: RunTools;
  readonly #deadline: Deadline;
  readonly #stop: RunStop;
  readonly #watchdog: Watchdog;
  readonly #opener: BoxOpener;
  readonly #judge: Judge;
  readonly #boundary: RunRequest['boundary'];
  readonly #startedAt = new Date().toISOString();
  readonly #phases = { probeMs: 0, casesMs: 0 };
  readonly #onInterrupt = (): void => this.#stop.stop('interrupted');
  #finished: Promise<WatchdogRecord | null> | null = null;

  static async start(request: RunRequest, tools: RunTools): Promise<OpenRun> {
    const stop = new RunStop();
    const deadline = new Deadline(request.limits.budgetMs);
    const watchdog = await Watchdog.start(deadline, {
      onDeadline: () => stop.stop('budget'),
      onLost: (fault) => stop.fail(fault),
    });
    return new OpenRun(request, tools, { stop, deadline, watchdog });
  }

  private constructor(
    request: RunRequest,
    tools: RunTools,
    parts: { readonly stop: RunStop; readonly deadline: Deadline; readonly watchdog: Watchdog },
  ) {
    this.#request = request;
    this.#tools = tools;
    this.#stop = parts.stop;
    this.#deadline = parts.deadline;
    this.#watchdog = parts.watchdog;
    this.#opener = new BoxOpener({ engine: request.engine, runId: request.runId, ...parts });
    this.#judge = tools.openJudge();
    this.#boundary = onceEach(request.boundary);
    if (request.signal.aborted) this.#onInterrupt();
    else request.signal.addEventListener('abort', this.#onInterrupt, { once: true });
  }

  async probe(plans: readonly CasePlan[]): Promise<readonly BoundaryReport[]> {
    const kinds = kindsOf(plans);
    this.#request.reporter.phase('probe', kinds.length);
    const startedAtMs = monotonicMs();
    const { jobs } = this.#request.limits;
    const setting = { opener: this.#opener, stop: this.#stop, boundary: this.#boundary, jobs, kinds };
    const reports = await this.#tools.probe(setting);
    this.#phases.probeMs = roundMs(monotonicMs() - startedAtMs);
    return reports;
  }

  /** All planned cases; those that are not selected, or excluded, say so. */
  async cases(
    plans: readonly CasePlan[],
    { selected, excluded }: SelectedCases,
    reports: readonly BoundaryReport[],
  ): Promise<readonly CaseRun[]> {
    const { limits, reporter, selection, spool } = this.#request;
    const boundary = this.#boundary;
    const chosen = plans.filter((plan) => selected.has(plan.case.id));
    reporter.phase('cases', chosen.length);
    const startedAtMs = monotonicMs();
    const runs = new CaseRuns(chosen, {
      cases: {
        opener: this.#opener,
        stop: this.#stop,
        deadline: this.#deadline,
        caseTimeoutMs: limits.caseTimeoutMs,
        spool,
        boundary,
        views: new OutsideViews(this.#tools.toOutsideJudge(boundary, reports)),
        imageFiles: filesOnDemand(this.#request.inventories),
      },
      judge: this.#judge,
      jobs: limits.jobs,
      repeat: limits.repeat,
      shuffle: selection.shuffle,
      reporter,
    });
    const ran = await runs.run();
    this.#phases.casesMs = roundMs(monotonicMs() - startedAtMs);
    const byPlan = new Map(chosen.map((plan, index) => [plan, ran[index]]));
    return plans.map((plan) => byPlan.get(plan) ?? this.#leaveOut(plan, excluded.get(plan.case.id)));
  }

  /** Idempotent: what is still open is ended by the watchdog, whose record this is; null when it was lost. */
  finish(): Promise<WatchdogRecord | null> {
    this.#finished ??= this.#end();
    return this.#finished;
  }

  /** @throws the fault of the run, when it met one. */
  result(seen: {
    readonly engine: EngineFacts;
    readonly boundaries: readonly BoundaryReport[];
    readonly cases: readonly CaseRun[];
    readonly watchdog: WatchdogRecord | null;
  }): RunResult {
    if (this.#stop.fault !== null) throw this.#stop.fault;
    const { watchdog } = seen;
    if (watchdog === null) throw new RunError('WATCHDOG_LOST', 'watchdog record', { where: 'finish' });
    const { limitMs } = this.#deadline;
    const usedMs = roundMs(this.#deadline.elapsedMs());
    const cutOff = seen.cases.some(({ outcome, reason }) => outcome === 'unrun' && reason === 'budget');
    return {
      ...seen,
      watchdog,
      runId: this.#request.runId,
      startedAt: this.#startedAt,
      finishedAt: new Date().toISOString(),
      counts: countOutcomes(seen.cases),
      budget: { limitMs, usedMs, exhausted: cutOff },
      interrupted: this.#stop.kind === 'interrupted',
      timings: { ...this.#phases, totalMs: usedMs },
    };
  }

  async #end(): Promise<WatchdogRecord | null> {
    this.#request.reporter.phase('finish', 0);
    this.#request.signal.removeEventListener('abort', this.#onInterrupt);
    await this.#judge.close();
    return this.#watchdog.finish();
  }

  #leaveOut(plan: CasePlan, exclusion: string | undefined): CaseRun {
    const { suiteId, case: one, node } = plan;
    const run: CaseRun = {
      suiteId,
      caseId: one.id,
      node,
      attempts: [],
      checks: [],
      outcome: exclusion === undefined ? 'unrun' : 'excluded',
      reason: exclusion === undefined ? 'selection' : 'exclusion',
      detail: exclusion ?? '',
      durationMs: 0,
    };
    this.#request.reporter.caseEnded(run);
    return run;
  }
}

/** The declared boundaries, made once: each box of a run is opened with the very same value. */
function onceEach(boundary: RunRequest['boundary']): RunRequest['boundary'] {
  const made = new Map<string, Boundary>();
  return (kind) => {
    const name = nameKind(kind);
    const known = made.get(name) ?? boundary(kind);
    made.set(name, known);
    return known;
  };
}

/** Files by path are made for the images of which a case asks. */
function filesOnDemand(
  inventories: RunRequest['inventories'],
): (node: string) => ReadonlyMap<string, ListedFile> {
  const made = new Map<string, ReadonlyMap<string, ListedFile>>();
  return (node) => {
    const known = made.get(node) ?? byAbsolutePath(inventories.get(node) ?? []);
    made.set(node, known);
    return known;
  };
}

/** The different kinds of boxes that the plans ask for: one for each image and boundary. */
function kindsOf(plans: readonly CasePlan[]): ProbeSetting['kinds'] {
  const kinds = new Map<string, ProbeSetting['kinds'][number]>();
  for (const { node, image, case: one } of plans) {
    const { exec, limits } = one;
    kinds.set(`${node} ${nameKind(one)}`, { node, image, exec, limits });
  }
  return [...kinds.values()];
}
