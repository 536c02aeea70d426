import { join } from 'node:path';
import type { Boundary } from '../boundary/boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import type { BoxEnd, OutsideView, Snapshot } from '../engine/engine.ts';
import type { KeptFile } from '../suite/evaluator-protocol.ts';
import type { CaseObservation } from '../suite/observation.ts';
import { describeFailure } from './bounded.ts';
import type { ListedFile } from './box-files.ts';
import type { BoxOpener, OpenedBox } from './box-opener.ts';
import type { CasePlan } from './case-plan.ts';
import { CaseSteps } from './case-steps.ts';
import { monotonicMs } from './clock.ts';
import type { Deadline } from './deadline.ts';
import { toFileTree } from './file-tree.ts';
import { changedFiles, keepFiles, looksIntoFiles } from './kept-files.ts';
import { SNAPSHOT_LIMIT_MS } from './limits.ts';
import type { OutsideViews } from './outside-views.ts';
import type { OutcomeReason } from './result.ts';
import type { RunStop } from './run-stop.ts';
import type { SpooledStep } from './spool.ts';
import { Teardown } from './teardown.ts';

export interface CaseSetting {
  readonly opener: BoxOpener;
  readonly stop: RunStop;
  readonly deadline: Deadline;
  readonly caseTimeoutMs: number;
  readonly spool: string;
  readonly boundary: (kind: BoundaryKind) => Boundary;
  readonly views: OutsideViews;
  /** Files of the image of a Node version by absolute path. */
  readonly imageFiles: (node: string) => ReadonlyMap<string, ListedFile>;
}

/** Why an attempt cannot be evaluated. */
export interface AttemptProblem {
  readonly outcome: 'unrun' | 'error';
  readonly reason: OutcomeReason;
  readonly detail: string;
}

/** What was seen of one attempt; with a `problem` the observation is partial or missing. */
export interface ObservedAttempt {
  readonly attempt: number;
  readonly observation: CaseObservation | null;
  readonly spooled: readonly SpooledStep[];
  readonly kept: readonly KeptFile[];
  readonly problem: AttemptProblem | null;
}

/** The state of a box before anything of the candidate ran in it. */
interface Baseline {
  readonly outside: OutsideView;
  readonly before: Snapshot;
}

/**
 * Runs one attempt of a case in a fresh box and tells what was seen. Never rejects for what a candidate or
 * an engine does; a fault of the run itself (boundary, spool) goes to `setting.stop`.
 */
export async function observeCase(
  plan: CasePlan,
  attempt: number,
  setting: CaseSetting,
): Promise<ObservedAttempt> {
  const unopened = { attempt, observation: null, spooled: [], kept: [] };
  if (setting.stop.kind !== null) return { ...unopened, problem: toStopProblem(setting.stop) };
  const boxName = `case-${plan.order}-${attempt}`;
  const opened = await setting.opener.open({
    boxName,
    image: plan.image,
    boundary: setting.boundary(plan.case),
    files: toFileTree(plan.case.files),
  });
  if (typeof opened !== 'string') return new CaseRunner(plan, attempt, opened, setting).run();
  if (setting.stop.kind !== null) return { ...unopened, problem: toStopProblem(setting.stop) };
  return { ...unopened, problem: { outcome: 'error', reason: 'box-not-opened', detail: opened } };
}

class CaseRunner {
  readonly #plan: CasePlan;
  readonly #attempt: number;
  readonly #opened: OpenedBox;
  readonly #setting: CaseSetting;
  readonly #teardown: Teardown;
  readonly #steps: CaseSteps;
  /** Folder of this attempt's raw bytes. */
  readonly #spool: string;

  constructor(plan: CasePlan, attempt: number, opened: OpenedBox, setting: CaseSetting) {
    const { stop, deadline, caseTimeoutMs, imageFiles } = setting;
    this.#plan = plan;
    this.#attempt = attempt;
    this.#opened = opened;
    this.#setting = setting;
    this.#spool = join(setting.spool, plan.node, plan.case.id, `attempt-${attempt}`);
    this.#teardown = new Teardown(opened.box, stop, monotonicMs());
    this.#steps = new CaseSteps(plan, {
      box: opened.box,
      teardown: this.#teardown,
      imageFiles: () => imageFiles(plan.node),
      stop,
      deadline,
      caseTimeoutMs,
      spool: this.#spool,
    });
  }

  async run(): Promise<ObservedAttempt> {
    const baseline = await this.#examine();
    if (typeof baseline === 'string') {
      await this.#teardown.killBox('not examined');
      await this.#close();
      return this.#without(baseline);
    }
    await this.#steps.run(baseline.before);
    const after = await this.#teardown.snapshot();
    const kept = after === null ? [] : await this.#keepFiles(baseline.before, after);
    const end = await this.#close();
    return { ...this.#observed(baseline, after, end), kept };
  }

  /** Reads the box from outside and its files while only the holder runs; one line when it cannot be done. */
  async #examine(): Promise<Baseline | string> {
    const { box, boxName } = this.#opened;
    const { stop, views } = this.#setting;
    const reading = Promise.all([box.outside(), box.snapshot()]);
    const answer = await stop.within(reading, SNAPSHOT_LIMIT_MS);
    if (answer.kind !== 'done') return describeFailure(answer);
    const [view, before] = answer.value;
    try {
      const { node, case: one } = this.#plan;
      return { outside: views.accept({ node, exec: one.exec, limits: one.limits }, view, boxName), before };
    } catch (fault) {
      stop.fail(fault);
      return 'the boundary of the box is not the declared one';
    }
  }

  /** Bytes that checks of the case look into; what could not be kept is unknown to them. */
  async #keepFiles(before: Snapshot, after: Snapshot): Promise<readonly KeptFile[]> {
    const { case: one } = this.#plan;
    if (!looksIntoFiles(one)) return [];
    const { boundary, stop } = this.#setting;
    const keeping = keepFiles(
      { box: this.#opened.box, roots: boundary(one).mounts.map(({ path }) => path) },
      changedFiles(before, after),
      join(this.#spool, 'files'),
    );
    const answer = await stop.within(keeping, SNAPSHOT_LIMIT_MS);
    return answer.kind === 'done' ? answer.value : [];
  }

  async #close(): Promise<BoxEnd | null> {
    const end = await this.#teardown.close();
    if (end !== null) this.#setting.opener.closed(this.#opened.boxName);
    return end;
  }

  #without(detail: string): ObservedAttempt {
    const problem: AttemptProblem =
      this.#setting.stop.kind === null
        ? { outcome: 'error', reason: 'not-observed', detail }
        : toStopProblem(this.#setting.stop);
    return { attempt: this.#attempt, observation: null, spooled: [], kept: [], problem };
  }

  #observed(baseline: Baseline, after: Snapshot | null, end: BoxEnd | null): ObservedAttempt {
    const known = end ?? UNREAD_END;
    const observation: CaseObservation = {
      caseId: this.#plan.case.id,
      attempt: this.#attempt,
      node: this.#plan.node,
      boxId: this.#opened.box.id,
      steps: this.#steps.observe(known),
      leftovers: this.#teardown.leftovers,
      before: baseline.before,
      controls: this.#steps.controls,
      after,
      outside: baseline.outside,
      end: known,
      teardown: this.#teardown.events,
    };
    const problem = this.#problem(after, end);
    return { attempt: this.#attempt, observation, spooled: this.#steps.spooled(), kept: [], problem };
  }

  #problem(after: Snapshot | null, end: BoxEnd | null): AttemptProblem | null {
    const { stop } = this.#setting;
    const incomplete = this.#steps.cutShort || after === null || end === null;
    if (stop.kind !== null && incomplete) return toStopProblem(stop);
    const lost = this.#steps.problem;
    const byMemory = end?.oomKilled === true || (end?.oomKills ?? 0) > 0;
    // A holder that the memory cgroup killed is the candidate's doing: the record says so and is judged.
    if (lost !== null && !byMemory) return { outcome: 'error', reason: 'box-lost', detail: lost };
    if (end === null) return { outcome: 'error', reason: 'not-observed', detail: 'end of the box not read' };
    return null;
  }
}

/** Stands for the end of a box that the engine did not tell in time; such a case is never evaluated. */
const UNREAD_END: BoxEnd = { oomKilled: false, oomKills: null, inspect: { unread: true } };

function toStopProblem(stop: RunStop): AttemptProblem {
  const reason = stop.kind === 'budget' ? 'budget' : 'interrupted';
  return { outcome: 'unrun', reason, detail: '' };
}
