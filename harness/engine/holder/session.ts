import { performance } from 'node:perf_hooks';
import type { Readable, Writable } from 'node:stream';
import { boxPathBytes } from '../../document/box-path.ts';
import type { StepRequest } from '../engine.ts';
import { EngineError } from '../errors.ts';
import {
  COMMAND,
  encodeFrame,
  encodeList,
  encodeNumber,
  encodeString,
  FrameReader,
  type HolderEvent,
  MAX_FRAME_BYTES,
  PROTOCOL_VERSION,
  ProtocolViolation,
} from './protocol.ts';
import { HolderStep, type HolderStepEvent, type StepPort } from './step.ts';

/** The two ways of a holder's stream, as an engine attached them. */
export interface HolderChannel {
  readonly control: Writable;
  readonly frames: Readable;
  /** What the engine or the holder wrote elsewhere so far (stderr), for the message of an error. */
  diagnostics(): string;
}

/** The answers a holder gives to commands, in the order of the commands. */
type Answer = Extract<HolderEvent, { readonly kind: 'ready' | 'frozen' | 'killed' | 'flushed' }>;
type AnswerKind = Answer['kind'];
type AnswerOf<K extends AnswerKind> = Extract<Answer, { readonly kind: K }>;

interface Waiting {
  readonly kind: AnswerKind;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: EngineError) => void;
}

/** A freeze answers in well under a second; a starved machine gets ten. The holder's own kill bound is 5 s. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The driver's side of one holder: commands out, events in.
 *
 * Every method that waits rejects with {@link EngineError} `BOX_LOST` when the stream ends under it, and
 * `HOLDER_TIMEOUT` when no answer comes; steps are then told `box-lost`. A candidate reaches none of this.
 */
export class HolderSession {
  readonly #channel: HolderChannel;
  readonly #reader = new FrameReader();
  readonly #steps = new Map<number, HolderStep>();
  readonly #port: StepPort;
  readonly #gone: Promise<string>;
  #resolveGone: (reason: string) => void = () => {};
  #waiting: Waiting[] = [];
  #lost: EngineError | null = null;
  #nextStep = 1;
  #sequence = 0;

  constructor(channel: HolderChannel) {
    this.#channel = channel;
    this.#port = {
      send: (command, ...parts) => this.#send(command, ...parts),
      nextSequence: () => this.#sequence++,
      nowMs: () => performance.now(),
    };
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
    channel.frames.on('data', (bytes: Buffer) => this.#receive(bytes));
    channel.frames.once('end', () => this.#lose('BOX_LOST', 'the stream ended'));
    channel.frames.once('close', () => this.#lose('BOX_LOST', 'the stream closed'));
    channel.frames.once('error', (error) => this.#lose('BOX_LOST', error.message));
    // EPIPE here only says what the frames' end says too; unhandled it would end packproof.
    channel.control.on('error', (error) => this.#lose('BOX_LOST', error.message));
  }

  /** Resolves with the reason when the holder is gone, whether it was asked to go or not. */
  get gone(): Promise<string> {
    return this.#gone;
  }

  /**
   * Waits for the holder's first frame.
   * @throws {EngineError} BOX_LOST, HOLDER_TIMEOUT, HOLDER_FAULT (another protocol, or not process 1)
   */
  async ready(timeoutMs: number): Promise<void> {
    const answer = await this.#answer('ready', timeoutMs);
    if (answer.version !== PROTOCOL_VERSION || answer.pid !== 1) {
      throw new EngineError('HOLDER_FAULT', {
        where: 'ready',
        expected: `protocol ${PROTOCOL_VERSION}, pid 1`,
        actual: `protocol ${answer.version}, pid ${answer.pid}`,
      });
    }
  }

  /**
   * Starts a process; resolves when it runs or could not be started (then its `ended` says so).
   * @throws {EngineError} STEP_REFUSED (an unusable request), BOX_LOST
   */
  async start(request: StepRequest): Promise<HolderStep> {
    const payload = encodeStep(request);
    this.#requireAlive();
    const number = this.#nextStep++;
    const step = new HolderStep(number, request.stdin, this.#port);
    this.#steps.set(number, step);
    this.#send(COMMAND.START, encodeNumber(number), payload);
    await step.decided;
    if (this.#lost !== null && step.end?.kind === 'box-lost') {
      throw this.#lost;
    }
    return step;
  }

  /** Stops every process of the box but the holder. */
  async freeze(): Promise<void> {
    const answer = this.#answer('frozen', ANSWER_TIMEOUT_MS);
    this.#send(COMMAND.FREEZE);
    await answer;
  }

  /** Kills every process of the box but the holder and reaps; `complete` says that none is left. */
  async killAll(): Promise<{ readonly reaped: number; readonly complete: boolean }> {
    const answer = this.#answer('killed', ANSWER_TIMEOUT_MS);
    this.#send(COMMAND.KILL_ALL);
    const { reaped, complete } = await answer;
    return { reaped, complete };
  }

  /** Sends one frame that is answered by the next `flush`; waits while the stream is full. */
  async sendFile(command: number, ...parts: readonly Uint8Array[]): Promise<void> {
    this.#requireAlive();
    const { control } = this.#channel;
    if (!control.write(encodeFrame(command, ...parts))) {
      await Promise.race([new Promise<void>((resolve) => control.once('drain', resolve)), this.#gone]);
    }
  }

  /** Asks how the file frames since the last flush went. */
  async flush(timeoutMs: number): Promise<{ readonly errno: number; readonly failed: number }> {
    const answer = this.#answer('flushed', timeoutMs);
    this.#send(COMMAND.FLUSH);
    return await answer;
  }

  /** Lets the holder kill what is there and end. Does not wait; harmless when it is gone. */
  quit(): void {
    this.#send(COMMAND.QUIT);
    this.#channel.control.end();
  }

  #requireAlive(): void {
    if (this.#lost !== null) {
      throw this.#lost;
    }
  }

  #send(command: number, ...parts: readonly Uint8Array[]): void {
    if (this.#lost === null && this.#channel.control.writable) {
      this.#channel.control.write(encodeFrame(command, ...parts));
    }
  }

  #answer<K extends AnswerKind>(kind: K, timeoutMs: number): Promise<AnswerOf<K>> {
    this.#requireAlive();
    return new Promise<AnswerOf<K>>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#lose('HOLDER_TIMEOUT', `no ${kind} in ${timeoutMs} ms`),
        timeoutMs,
      );
      this.#waiting.push({
        kind,
        resolve: (answer) => {
          clearTimeout(timer);
          // The queue matched the kind before it called this.
          resolve(answer as AnswerOf<K>);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  #receive(bytes: Buffer): void {
    if (this.#lost !== null) {
      return;
    }
    try {
      for (const event of this.#reader.push(bytes)) {
        this.#take(event);
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) {
        throw error;
      }
      this.#lose('HOLDER_FAULT', error.message);
    }
  }

  #take(event: HolderEvent): void {
    switch (event.kind) {
      case 'ready':
      case 'frozen':
      case 'killed':
      case 'flushed':
        this.#settle(event);
        break;
      case 'fault':
        this.#lose('HOLDER_FAULT', event.text);
        break;
      default:
        this.#route(event);
    }
  }

  #route(event: HolderStepEvent): void {
    const step = this.#steps.get(event.step);
    if (step === undefined) {
      this.#lose('HOLDER_FAULT', `event for step ${event.step}`);
    } else {
      step.take(event);
    }
  }

  #settle(answer: Answer): void {
    const index = this.#waiting.findIndex((waiting) => waiting.kind === answer.kind);
    const [waiting] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (waiting === undefined) {
      this.#lose('HOLDER_FAULT', `unasked ${answer.kind}`);
    } else {
      waiting.resolve(answer);
    }
  }

  #lose(code: 'BOX_LOST' | 'HOLDER_FAULT' | 'HOLDER_TIMEOUT', reason: string): void {
    if (this.#lost !== null) {
      return;
    }
    const said = this.#channel.diagnostics().trim();
    const actual = said === '' ? reason : `${reason}; ${said}`;
    const error = new EngineError(code, { where: 'holder', expected: 'an answer', actual });
    this.#lost = error;
    for (const waiting of this.#waiting.splice(0)) {
      waiting.reject(error);
    }
    for (const step of this.#steps.values()) {
      step.lose(reason);
    }
    this.#resolveGone(reason);
  }
}

function encodeStep(request: StepRequest): Buffer {
  const environment = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const files = [request.stdout, request.stderr].map((target) => (target === 'pipe' ? '' : target.file));
  refuseUnusable(request, [...request.argv, ...environment, request.cwd, ...files]);
  const payload = Buffer.concat([
    Buffer.from([request.stdin === 'open' ? 1 : 0]),
    encodeString(boxPathBytes(request.cwd)),
    ...files.map((file) => encodeString(boxPathBytes(file))),
    encodeList(request.argv),
    encodeList(environment),
  ]);
  if (payload.length > MAX_FRAME_BYTES - 4) {
    throw refusal('argv and env', `${MAX_FRAME_BYTES - 4} bytes at most`, `${payload.length}`);
  }
  return payload;
}

function refuseUnusable(request: StepRequest, texts: readonly string[]): void {
  if (request.argv.length === 0 || request.argv[0] === '') {
    throw refusal('argv', 'a program', 'nothing');
  }
  if (!request.cwd.startsWith('/')) {
    throw refusal('cwd', 'an absolute path', request.cwd);
  }
  if (Object.keys(request.env).some((name) => name === '' || name.includes('='))) {
    throw refusal('env', 'names without "="', Object.keys(request.env).join(' '));
  }
  // execve takes NUL-terminated strings: a NUL would silently cut an argument.
  const cut = texts.find((text) => text.includes('\0'));
  if (cut !== undefined) {
    throw refusal('argv, env or path', 'no NUL', cut);
  }
}

function refusal(where: string, expected: string, actual: string): EngineError {
  return new EngineError('STEP_REFUSED', { where, expected, actual }, 'usage');
}
