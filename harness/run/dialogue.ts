import type { DialogueExchange, ShutdownLadder, StdinPlan } from '../suite/compiled.ts';
import type { RequestId } from './answer-watch.ts';
import { DIALOGUE_REPLIES_LIMIT } from './limits.ts';
import { pause, unlessStopped } from './pause.ts';
import { closeInput, type StepControls, sendSignal, writeInput } from './step-controls.ts';

type Dialogue = Extract<StdinPlan, { readonly kind: 'dialogue' }>;

/**
 * Sends the lines of a dialogue, each after the answer to the one before came or its wait was over, then
 * climbs down the shutdown ladder: end of file, SIGTERM, SIGKILL. Which rung was needed shows in the actions.
 *
 * A missing answer does not end the dialogue: what a server does with the next line is an observation too.
 */
export async function runDialogue(plan: Dialogue, controls: StepControls): Promise<void> {
  for (const exchange of plan.exchanges) {
    if (!(await runExchange(exchange, controls))) break;
  }
  await climbDown(plan.ladder, controls);
}

/**
 * Answers requests of the candidate as a client without any capability does. Source: JSON-RPC 2.0 section
 * 5.1, method not found.
 *
 * Replies are bounded in number, because the candidate decides how many requests it sends.
 */
export class RequestRefuser {
  #replies = 0;

  refuse(id: RequestId, controls: StepControls): void {
    if (this.#replies >= DIALOGUE_REPLIES_LIMIT || controls.stopped.aborted) return;
    this.#replies += 1;
    const reply = { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    void writeInput(Buffer.from(`${JSON.stringify(reply)}\n`, 'utf8'), controls);
  }
}

/** False when the candidate's stdin is gone or the step is over. */
async function runExchange(exchange: DialogueExchange, controls: StepControls): Promise<boolean> {
  const written = await writeInput(Buffer.from(`${exchange.line}\n`, 'utf8'), controls);
  if (!written) return false;
  if (exchange.answerId === null) return true;
  const over = new AbortController();
  const wait = AbortSignal.any([controls.stopped, over.signal]);
  await Promise.race([
    unlessStopped(controls.answers.answered(exchange.answerId), wait),
    pause(exchange.waitMs, wait),
  ]);
  over.abort('answered');
  return !controls.stopped.aborted;
}

async function climbDown(ladder: ShutdownLadder, controls: StepControls): Promise<void> {
  closeInput(controls);
  if (!(await pause(ladder.afterEofMs, controls.stopped))) return;
  sendSignal('SIGTERM', controls);
  if (!(await pause(ladder.afterTermMs, controls.stopped))) return;
  sendSignal('SIGKILL', controls);
}
