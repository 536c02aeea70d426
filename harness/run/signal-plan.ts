import type { SignalPlan } from '../suite/compiled.ts';
import { pause, unlessStopped } from './pause.ts';
import { type StepControls, sendSignal } from './step-controls.ts';

/** Waits for the plan's moment and sends its signal, unless the step is over before. */
export async function runSignalPlan(plan: SignalPlan, controls: StepControls): Promise<void> {
  const moment = plan.after === 'start' ? controls.recorder.started : controls.recorder.firstOutput;
  if (!(await unlessStopped(moment, controls.stopped))) return;
  if (await pause(plan.delayMs, controls.stopped)) sendSignal(plan.signal, controls);
}
