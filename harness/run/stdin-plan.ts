import type { StdinPlan } from '../suite/compiled.ts';
import { runDialogue } from './dialogue.ts';
import { STDIN_CHUNK_BYTES } from './limits.ts';
import { unlessStopped } from './pause.ts';
import { closeInput, type InputAnswer, offerInput, type StepControls, writeInput } from './step-controls.ts';

/** The line that `fill` repeats: plain ASCII, so that a program that parses lines meets ordinary ones. */
const FILL_LINE = Buffer.from('packproof fill line, repeated to the declared size\n');

/**
 * Gives a step its input as planned; resolves when all is given, refused by the candidate, or the step is over.
 *
 * Nothing here has a limit of its own: a candidate that never reads leaves a write pending until the step's
 * time is up. A broken pipe is a fact about the candidate and is recorded, never an error.
 */
export async function feedStdin(plan: StdinPlan, controls: StepControls): Promise<void> {
  if (!(await unlessStopped(controls.recorder.started, controls.stopped))) return;
  switch (plan.kind) {
    case 'closed':
    case 'idle':
      return;
    case 'bytes':
      return feedBytes(Buffer.from(plan.contentBase64, 'base64'), plan.thenClose, controls);
    case 'fill':
      return feedFill(plan.sizeBytes, plan.thenClose, controls);
    case 'dialogue':
      return runDialogue(plan, controls);
  }
}

async function feedBytes(bytes: Buffer, thenClose: boolean, controls: StepControls): Promise<void> {
  const written = bytes.length === 0 || (await writeInput(bytes, controls));
  if (written && thenClose) closeInput(controls);
}

/** One action for the whole fill: how much was taken is the fact, not in how many pieces. */
async function feedFill(sizeBytes: number, thenClose: boolean, controls: StepControls): Promise<void> {
  const chunk = fillChunk();
  let takenBytes = 0;
  let answer: InputAnswer = 'written';
  while (takenBytes < sizeBytes && answer === 'written') {
    const piece = chunk.subarray(0, Math.min(chunk.length, sizeBytes - takenBytes));
    answer = await offerInput(piece, controls);
    if (answer === 'written') takenBytes += piece.length;
  }
  controls.recorder.act('stdin', `${takenBytes} of ${sizeBytes} bytes written, last piece ${answer}`);
  if (answer === 'written' && thenClose) closeInput(controls);
}

function fillChunk(): Buffer {
  const repeats = Math.floor(STDIN_CHUNK_BYTES / FILL_LINE.length);
  return Buffer.concat(Array.from({ length: repeats }, () => FILL_LINE));
}
