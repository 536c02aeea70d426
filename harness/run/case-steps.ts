import { join } from 'node:path';
import type { Box, BoxEnd, Snapshot } from '../engine/engine.ts';
import type { CompiledStep } from '../suite/compiled.ts';
import type { ControlObservation, StepObservation } from '../suite/observation.ts';
import { describeFailure } from './bounded.ts';
import type { ListedFile } from './box-files.ts';
import { CaseControls } from './case-controls.ts';
import type { CasePlan } from './case-plan.ts';
import { monotonicMs } from './clock.ts';
import type { Deadline } from './deadline.ts';
import type { StopReason } from './ending.ts';
import { HOLDER_LIMIT_MS } from './limits.ts';
import type { RunStop } from './run-stop.ts';
import { type SpooledStep, StreamSpool } from './spool.ts';
import { DrivenStep } from './step-driver.ts';
import type { StepSpools } from './step-recorder.ts';
import type { Teardown } from './teardown.ts';

export interface StepSetting {
  readonly box: Box;
  readonly teardown: Teardown;
  /** Files of the box's image by absolute path. */
  readonly imageFiles: () => ReadonlyMap<string, ListedFile>;
  readonly stop: RunStop;
  readonly deadline: Deadline;
  readonly caseTimeoutMs: number;
  /** Folder of this attempt; made when a byte is kept. */
  readonly spool: string;
}

interface RanStep {
  readonly driven: DrivenStep;
  readonly spools: StepSpools;
}

/** The steps of one case in one box, one after another, with nothing of a step alive when the next begins. */
export class CaseSteps {
  readonly #plan: CasePlan;
  readonly #setting: StepSetting;
  readonly #controls: CaseControls;
  /** Of the first step; the case's time runs from there. */
  #startedAtMs: number | null = null;
  /** What references took, which is not the case's time. */
  #referencesMs = 0;
  readonly #ran: RanStep[] = [];
  #problem: string | null = null;

  constructor(plan: CasePlan, setting: StepSetting) {
    this.#plan = plan;
    this.#setting = setting;
    this.#controls = new CaseControls(plan.case, setting);
  }

  /** Why the engine is to blame for missing steps, null when it is not. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether the stop of the run kept a step from being seen to its end, or from being started. */
  get cutShort(): boolean {
    if (this.#ran.some((step) => step.driven.cutShort)) return true;
    return this.#setting.stop.kind !== null && this.#ran.length < this.#plan.case.steps.length;
  }

  /** The files around the controls that ran. */
  get controls(): readonly ControlObservation[] {
    return this.#controls.seen;
  }

  /** `before`: the files of the case now. Runs until the last step, the stop of the run, the loss of the box, or the end of the case's time. */
  async run(before: Snapshot): Promise<void> {
    for (const [index, step] of this.#plan.case.steps.entries()) {
      const { stop, teardown } = this.#setting;
      if (stop.kind !== null || teardown.boxKilled || this.#problem !== null) return;
      if (this.#leftMs() <= 0) return;
      const beganAtMs = monotonicMs();
      this.#blame(step.name, await this.#controls.prepare(step.name));
      if (this.#problem !== null || teardown.boxKilled) return;
      await this.#runStep(step, index);
      if (!teardown.boxKilled) this.#blame(step.name, await this.#controls.undo(step.name, before));
      if (this.#isReference(step)) this.#referencesMs += monotonicMs() - beganAtMs;
    }
  }

  /** What could not be laid or undone around a control is the engine's, unless the run was stopped. */
  #blame(name: string, failure: string | null): void {
    if (failure !== null && this.#setting.stop.kind === null) this.#problem = `${name}: files: ${failure}`;
  }

  /** The record of the steps, once the box has ended. Call it once. */
  observe(end: BoxEnd): readonly StepObservation[] {
    const killed = attributeOomKills(
      this.#ran.map((step) => step.driven.killedByOther),
      end,
    );
    return this.#ran.map((step, index) => step.driven.observe(killed[index] ?? false));
  }

  spooled(): readonly SpooledStep[] {
    return this.#ran.map(({ spools }, index) => ({
      index,
      name: this.#plan.case.steps[index]?.name ?? '',
      stdout: spools.stdout.file,
      stderr: spools.stderr.file,
    }));
  }

  #isReference(step: CompiledStep): boolean {
    return this.#plan.case.references.some((one) => one.step === step.name);
  }

  async #runStep(step: CompiledStep, index: number): Promise<void> {
    const { box, teardown, stop } = this.#setting;
    const spools = this.#spoolsFor(step, index);
    const limit = this.#limitFor(step);
    const totalBytesLimit = this.#plan.case.outputBytes;
    this.#startedAtMs ??= monotonicMs();
    const starting = DrivenStep.start(step, { box, spools, limit, totalBytesLimit, stop });
    const started = await stop.within(starting, HOLDER_LIMIT_MS);
    if (started.kind !== 'done') {
      this.#problem = `${step.name}: not started: ${describeFailure(started)}`;
      await teardown.killBox('step not started');
      return;
    }
    const driven = started.value;
    this.#ran.push({ driven, spools });
    await driven.over;
    await teardown.endStep(driven, step.name, this.#isReference(step) ? null : this.#plan.case.settleMs);
    if (driven.boxLost && stop.kind === null) this.#problem = `${step.name}: box lost`;
  }

  /**
   * The lesser of the step's own time, the case's (but for a reference) and the budget's. The one that it is names the end, by its
   * declared value, so that two runs that time out alike have the same record.
   */
  #limitFor(step: CompiledStep): { readonly afterMs: number; readonly reason: StopReason } {
    const budgetMs = this.#setting.deadline.leftMs();
    const caseMs = this.#isReference(step) ? Number.POSITIVE_INFINITY : this.#leftMs();
    const afterMs = Math.min(step.timeoutMs, caseMs);
    if (budgetMs <= afterMs) return { afterMs: budgetMs, reason: { kind: 'budget' } };
    const limitMs = step.timeoutMs <= caseMs ? step.timeoutMs : this.#setting.caseTimeoutMs;
    return { afterMs, reason: { kind: 'timed-out', limitMs } };
  }

  /** What is left of the case's time, in whole milliseconds. */
  #leftMs(): number {
    const usedMs = this.#startedAtMs === null ? 0 : monotonicMs() - this.#startedAtMs - this.#referencesMs;
    return this.#setting.caseTimeoutMs - Math.round(usedMs);
  }

  #spoolsFor(step: CompiledStep, index: number): StepSpools {
    const folder = join(this.#setting.spool, `${index + 1}-${step.name}`);
    return {
      stdout: new StreamSpool('stdout', join(folder, 'stdout')),
      stderr: new StreamSpool('stderr', join(folder, 'stderr')),
    };
  }
}

/**
 * During which steps the memory cgroup killed. It counts per box, so this is exact only when as many steps
 * died by a SIGKILL of unknown sender as it killed processes; otherwise every step is marked, because an
 * OOM kill that is not shown where it happened would let a case pass that must fail.
 */
export function attributeOomKills(killedByOther: readonly boolean[], end: BoxEnd): readonly boolean[] {
  const oomKilled = end.oomKilled || (end.oomKills ?? 0) > 0;
  if (!oomKilled) return killedByOther.map(() => false);
  const suspects = killedByOther.filter((suspect) => suspect).length;
  return suspects > 0 && suspects === end.oomKills ? killedByOther : killedByOther.map(() => true);
}
