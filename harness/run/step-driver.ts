import type { Box, LiveStep, ProcessEnd, StepEvent, StepRequest, StreamName } from '../engine/engine.ts';
import type { CompiledStep } from '../suite/compiled.ts';
import type { StepObservation } from '../suite/observation.ts';
import { AnswerWatch } from './answer-watch.ts';
import { RequestRefuser } from './dialogue.ts';
import { Ending, type StopReason, toKilledBy, toTermination } from './ending.ts';
import type { RunStop } from './run-stop.ts';
import { runSignalPlan } from './signal-plan.ts';
import { feedStdin } from './stdin-plan.ts';
import type { StepControls } from './step-controls.ts';
import { StepRecorder, type StepSpools } from './step-recorder.ts';

export interface DriveContext {
  readonly box: Box;
  readonly spools: StepSpools;
  /** When the step must end at the latest, and what that end is called. */
  readonly limit: { readonly afterMs: number; readonly reason: StopReason };
  readonly totalBytesLimit: number;
  readonly stop: RunStop;
}

/**
 * One step of a case while it runs: gives it its input and signals as planned, records what comes back, and
 * decides when it must end. It never kills: `over` resolves, and the end of the step does the rest.
 */
export class DrivenStep {
  readonly #step: CompiledStep;
  readonly #stop: RunStop;
  readonly #startedAt = new Date().toISOString();
  readonly #ending = new Ending();
  readonly #refuser = new RequestRefuser();
  readonly #answers: AnswerWatch;
  readonly #controls: StepControls;
  readonly #recorder: StepRecorder;
  readonly #live: LiveStep;
  #end: ProcessEnd | null = null;
  #outputClosed = false;

  /** Starts the step's process in the box; its time runs from here. Rejects when the holder does not answer. */
  static async start(step: CompiledStep, context: DriveContext): Promise<DrivenStep> {
    const live = await context.box.start(toStepRequest(step));
    return new DrivenStep(step, context, live);
  }

  private constructor(step: CompiledStep, context: DriveContext, live: LiveStep) {
    this.#step = step;
    this.#stop = context.stop;
    this.#live = live;
    const listener = {
      overLimit: (stream: StreamName) => this.#ending.stopWith({ kind: 'output-limit', stream }),
      stdout: (bytes: Buffer, totalBytes: number) => this.#watchStdout(bytes, totalBytes),
    };
    this.#recorder = new StepRecorder(step, context.spools, listener, context.totalBytesLimit);
    this.#answers = new AnswerWatch((id) => this.#refuser.refuse(id, this.#controls));
    this.#controls = this.#toControls(live);
    this.#watchEnd(context);
    live.onEvent((event) => this.#take(event));
    this.#runPlans();
  }

  /** Resolves when the step ended by itself or has to be ended. */
  get over(): Promise<void> {
    return this.#ending.reached;
  }

  /** Nobody had to end it, and its box is still there. */
  get endedByItself(): boolean {
    return this.#ending.stop === null && this.#end !== null && this.#end.kind !== 'box-lost';
  }

  /** The engine lost the box under the step. */
  get boxLost(): boolean {
    return this.#end?.kind === 'box-lost';
  }

  /** Resolves when the process is gone and every piped stream met its end; a lost box has none left to meet. */
  async drained(): Promise<void> {
    const end = await this.#live.ended;
    if (end.kind === 'exited' || end.kind === 'signaled') await this.#recorder.drained;
  }

  /** Its process was ended by a SIGKILL that we did not send: by itself, a sibling, or the memory cgroup. */
  get killedByOther(): boolean {
    const sent = this.#recorder.sentSignals().includes('SIGKILL');
    return (
      this.#ending.stop === null && !sent && this.#end?.kind === 'signaled' && this.#end.signal === 'SIGKILL'
    );
  }

  /** The run stopped while this step was in flight. */
  get cutShort(): boolean {
    const kind = this.#ending.stop?.kind;
    return kind === 'budget' || kind === 'interrupted';
  }

  /** Streams that are still open, for the record of a drain that did not finish. */
  get openStreams(): readonly StreamName[] {
    return this.#recorder.open;
  }

  /**
   * The record of the step. Call it once, after the end of the step and of its box.
   *
   * `oomKilled`: whether the memory cgroup killed a process during this step.
   */
  observe(oomKilled: boolean): StepObservation {
    const end = this.#end ?? { kind: 'box-lost', reason: 'the end of the process was not reported' };
    const stop = this.#ending.stop ?? (end.kind === 'box-lost' ? toStopReason(this.#stop) : null);
    const sent = this.#recorder.sentSignals();
    // The last bytes may be told of after the end. That must not decide between two records of the same thing.
    const over = stop === null && end.kind === 'exited' ? this.#recorder.overLimit : null;
    return {
      name: this.#step.name,
      argv: this.#step.argv,
      startedAt: this.#startedAt,
      termination: toTermination(over === null ? stop : { kind: 'output-limit', stream: over }, end),
      killedBy: toKilledBy({ stop, end, sent, oomKilled }),
      oomKilled,
      ...this.#recorder.finish(),
    };
  }

  #toControls(live: LiveStep): StepControls {
    const stopped = new AbortController();
    void this.over.then(() => stopped.abort('step over'));
    return { live, recorder: this.#recorder, answers: this.#answers, stopped: stopped.signal };
  }

  #watchEnd(context: DriveContext): void {
    const { limit, stop } = context;
    const timer = setTimeout(() => {
      this.#ending.stopWith(limit.reason);
      // The watchdog says so too, a moment before or after; no other case may begin in between.
      if (limit.reason.kind === 'budget') stop.stop('budget');
    }, Math.ceil(limit.afterMs));
    const onStop = (): void => this.#ending.stopWith(toStopReason(stop) ?? { kind: 'interrupted' });
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener('abort', onStop, { once: true });
    void this.over.then(() => {
      clearTimeout(timer);
      stop.signal.removeEventListener('abort', onStop);
    });
    void this.#live.ended.then(
      (end) => this.#settle(end),
      (cause: unknown) => this.#settle({ kind: 'box-lost', reason: String(cause) }),
    );
  }

  #settle(end: ProcessEnd): void {
    this.#end = end;
    this.#ending.endedByItself();
  }

  #take(event: StepEvent): void {
    try {
      this.#recorder.take(event);
    } catch (fault) {
      this.#stop.fail(fault);
    }
  }

  /** A plan fails only when the box goes away under it, and then the end of the step says so. */
  #runPlans(): void {
    const plans = [feedStdin(this.#step.stdin, this.#controls)];
    for (const plan of this.#step.signals) plans.push(runSignalPlan(plan, this.#controls));
    if (closesAfter(this.#step) === 0) this.#closeStdout();
    void Promise.allSettled(plans);
  }

  #watchStdout(bytes: Buffer, totalBytes: number): void {
    if (this.#step.stdin.kind === 'dialogue') this.#answers.take(bytes);
    const limit = closesAfter(this.#step);
    if (limit !== null && totalBytes >= limit) this.#closeStdout();
  }

  #closeStdout(): void {
    if (this.#outputClosed) return;
    this.#outputClosed = true;
    this.#live.closeOutput('stdout');
    this.#recorder.act('output-closed', 'stdout');
  }
}

function closesAfter(step: CompiledStep): number | null {
  const { stdout } = step;
  return typeof stdout === 'object' && 'closeAfterBytes' in stdout ? stdout.closeAfterBytes : null;
}

function toStopReason(stop: RunStop): StopReason | null {
  if (stop.kind === null) return null;
  return { kind: stop.kind === 'budget' ? 'budget' : 'interrupted' };
}

function toStepRequest(step: CompiledStep): StepRequest {
  const stdout = typeof step.stdout === 'object' && 'file' in step.stdout ? step.stdout : 'pipe';
  return {
    argv: step.argv,
    env: step.env,
    cwd: step.cwd,
    stdin: step.stdin.kind === 'closed' ? 'closed' : 'open',
    stdout,
    stderr: 'pipe',
  };
}
