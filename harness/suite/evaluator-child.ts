import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BinClass, CompiledCase } from './compiled.ts';
import { SuiteError } from './errors.ts';
import type { CaseEvaluation } from './evaluate/evaluator.ts';
import {
  type EvaluatorAnswer,
  type EvaluatorQuestion,
  type EvaluatorRequest,
  type KeptCase,
  parseReply,
} from './evaluator-protocol.ts';

/** Megabytes of heap: 32 MiB of streams as bytes and text, many times over; a runaway ends itself, not the host. */
const HEAP_MEGABYTES = 512;

const MAIN = fileURLToPath(new URL('./evaluator-main.js', import.meta.url));

/**
 * Evaluates cases in another process, one question at a time, and kills it when an answer takes too long: a
 * hostile megabyte then costs one case its evaluation and never the run its deadline.
 *
 * The process starts with the first question and anew after a kill. Time spent in the queue is not counted.
 */
export class EvaluatorChild {
  #child: ChildProcess | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #number = 0;
  #closed = false;

  /**
   * Check results and outcome of a case from its own observation and those it refers to.
   * @throws {SuiteError} EVALUATOR_TIMED_OUT, EVALUATOR_LOST, EVALUATOR_REQUEST_MALFORMED
   */
  async evaluate(
    compiled: CompiledCase,
    observed: readonly KeptCase[],
    limitMs: number,
  ): Promise<CaseEvaluation> {
    const answer = await this.#ask({ kind: 'evaluate', compiled, observed }, compiled.id, limitMs);
    if (answer.kind !== 'evaluated') throw unexpected(compiled.id, answer);
    return answer.evaluation;
  }

  /**
   * The class of a bin from its classification case.
   * @throws {SuiteError} EVALUATOR_TIMED_OUT, EVALUATOR_LOST, EVALUATOR_REQUEST_MALFORMED
   */
  async classify(observed: KeptCase, limitMs: number): Promise<BinClass> {
    const { caseId } = observed.observation;
    const answer = await this.#ask({ kind: 'classify', observed }, caseId, limitMs);
    if (answer.kind !== 'classified') throw unexpected(caseId, answer);
    return answer.binClass;
  }

  /** Ends the process; questions not yet answered are rejected. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#kill();
    await this.#queue;
  }

  #ask(question: EvaluatorQuestion, caseId: string, limitMs: number): Promise<EvaluatorAnswer> {
    const turn = this.#queue.then(() => this.#exchange(question, caseId, limitMs));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  #exchange(question: EvaluatorQuestion, caseId: string, limitMs: number): Promise<EvaluatorAnswer> {
    if (this.#closed) return Promise.reject(lost(caseId, 'it was closed'));
    const child = this.#running();
    this.#number += 1;
    const request: EvaluatorRequest = { number: this.#number, question };
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        child.on('error', () => {});
        conclude();
      };
      const timer = setTimeout(() => {
        this.#kill();
        settle(() => reject(timedOut(caseId, limitMs)));
      }, limitMs);
      child.on('message', (message) => {
        const reply = parseReply(message);
        if (reply?.number === request.number) settle(() => resolve(reply.answer));
      });
      const gone = (how: string): void => {
        this.#kill();
        settle(() => reject(lost(caseId, how)));
      };
      child.once('error', (error) => gone(error.message));
      child.once('exit', (code, signal) => gone(`it ended with ${code ?? signal}`));
      child.send(request, (error) => {
        if (error !== null) gone(error.message);
      });
    });
  }

  /** Nothing of our environment goes along; the process needs none of it. */
  #running(): ChildProcess {
    if (this.#child !== null) return this.#child;
    const child = fork(MAIN, [], {
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A group of its own: Ctrl-C reaches the whole foreground group, and the run still has cases to judge.
      detached: true,
    });
    this.#child = child;
    return child;
  }

  #kill(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}

function timedOut(caseId: string, limitMs: number): SuiteError {
  return new SuiteError('EVALUATOR_TIMED_OUT', 'infrastructure', {
    where: caseId,
    expected: `an answer within ${limitMs} ms`,
    actual: 'none',
  });
}

function lost(caseId: string, how: string): SuiteError {
  return new SuiteError('EVALUATOR_LOST', 'infrastructure', {
    where: caseId,
    expected: 'an answer',
    actual: how,
  });
}

function unexpected(caseId: string, answer: EvaluatorAnswer): SuiteError {
  return new SuiteError('EVALUATOR_REQUEST_MALFORMED', 'infrastructure', {
    where: caseId,
    expected: 'a question that can be answered',
    actual: answer.kind === 'failed' ? answer.message : answer.kind,
  });
}
