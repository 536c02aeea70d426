import type { LiveStep } from '../engine/engine.ts';
import type { AnswerWatch } from './answer-watch.ts';
import { unlessStopped } from './pause.ts';
import type { StepRecorder } from './step-recorder.ts';

/** What input plans and signal plans act on. `stopped` aborts when the step has ended or is being ended. */
export interface StepControls {
  readonly live: LiveStep;
  readonly recorder: StepRecorder;
  readonly answers: AnswerWatch;
  readonly stopped: AbortSignal;
}

/** `not taken`: the step ended while the candidate had not read that far. */
export type InputAnswer = 'written' | 'broken-pipe' | 'not taken';

/** Offers bytes to stdin until they are taken or refused, or the step is over. Records nothing. */
export async function offerInput(bytes: Uint8Array, controls: StepControls): Promise<InputAnswer> {
  let answer: InputAnswer = 'not taken';
  const write = controls.live.writeStdin(bytes).then((value) => {
    answer = value;
  });
  await unlessStopped(write, controls.stopped);
  return answer;
}

/** Offers bytes and records what became of them; false when no more input makes sense. */
export async function writeInput(bytes: Uint8Array, controls: StepControls): Promise<boolean> {
  const answer = await offerInput(bytes, controls);
  controls.recorder.act('stdin', `${bytes.length} bytes ${answer}`);
  return answer === 'written';
}

/** Ends stdin and records it; nothing once the step is over. */
export function closeInput(controls: StepControls): void {
  if (controls.stopped.aborted) return;
  controls.live.closeStdin();
  controls.recorder.act('stdin-closed', '');
}

/** Sends a signal to the step's own process and records it; nothing once the step is over. */
export function sendSignal(name: string, controls: StepControls): void {
  if (controls.stopped.aborted) return;
  controls.live.signal(name);
  controls.recorder.act('signal', name);
}
