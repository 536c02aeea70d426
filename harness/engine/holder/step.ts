import type { LiveStep, ProcessEnd, StepEvent, StreamName } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { toErrnoName, toSignalName, toSignalNumber } from './linux.ts';
import { COMMAND, encodeNumber, type HolderEvent, type StreamNumber } from './protocol.ts';

/** Bytes of stdin under way to the holder and not yet taken by the pipe; so commands never wait behind more. */
const STDIN_WINDOW_BYTES = 256 * 1024;

/** One stdin frame: about a pipe's worth. */
const STDIN_FRAME_BYTES = 64 * 1024;

/** What a step needs of its session. */
export interface StepPort {
  send(command: number, ...parts: readonly Uint8Array[]): void;
  nextSequence(): number;
  nowMs(): number;
}

/** Events of the holder that concern a step. */
export type HolderStepEvent = Extract<HolderEvent, { readonly step: number }>;

interface PendingWrite {
  readonly endsAtByte: number;
  readonly resolve: (result: 'written' | 'broken-pipe') => void;
}

type Unstamped<T> = T extends unknown ? Omit<T, 'sequence' | 'atMs'> : never;

/**
 * The driver's side of one step: turns the holder's events into step events and meters stdin.
 *
 * `atMs` counts from the moment the start command was sent. Nothing here waits for the candidate.
 */
export class HolderStep implements LiveStep {
  readonly ended: Promise<ProcessEnd>;
  /** Resolves when the process was started or could not be. */
  readonly decided: Promise<void>;
  readonly #number: number;
  readonly #port: StepPort;
  readonly #sentAtMs: number;
  readonly #backlog: StepEvent[] = [];
  #listener: ((event: StepEvent) => void) | null = null;
  #resolveEnded: (end: ProcessEnd) => void = () => {};
  #resolveDecided: () => void = () => {};
  #end: ProcessEnd | null = null;
  #pid: number | null = null;
  #oomErrno = 0;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #sentBytes = 0;
  #takenBytes = 0;
  #writes: PendingWrite[] = [];
  #stdin: 'open' | 'closing' | 'closed';

  constructor(number: number, stdin: 'open' | 'closed', port: StepPort) {
    this.#number = number;
    this.#stdin = stdin;
    this.#port = port;
    this.#sentAtMs = port.nowMs();
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.decided = new Promise((resolve) => {
      this.#resolveDecided = resolve;
    });
  }

  get end(): ProcessEnd | null {
    return this.#end;
  }

  /** Process id inside the box; null before the start and after the end. */
  get livePid(): number | null {
    return this.#end === null ? this.#pid : null;
  }

  /** Null when the process is the memory cgroup's preferred victim, else why it is not. */
  get oomPreferenceErrno(): string | null {
    return this.#oomErrno === 0 ? null : toErrnoName(this.#oomErrno);
  }

  onEvent(listener: (event: StepEvent) => void): void {
    if (this.#listener !== null) {
      throw new EngineError('STEP_REFUSED', {
        where: 'onEvent',
        expected: 'one listener',
        actual: 'a second',
      });
    }
    this.#listener = listener;
    for (const event of this.#backlog.splice(0)) {
      listener(event);
    }
  }

  writeStdin(bytes: Uint8Array): Promise<'written' | 'broken-pipe'> {
    if (this.#stdin !== 'open') {
      return Promise.resolve('broken-pipe');
    }
    if (bytes.length === 0) {
      return Promise.resolve('written');
    }
    // A copy: the caller may reuse its buffer while ours waits for credit.
    this.#queue.push(Buffer.from(bytes));
    this.#queuedBytes += bytes.length;
    const endsAtByte = this.#sentBytes + this.#queuedBytes;
    const written = new Promise<'written' | 'broken-pipe'>((resolve) => {
      this.#writes.push({ endsAtByte, resolve });
    });
    this.#pump();
    return written;
  }

  closeStdin(): void {
    if (this.#stdin === 'open') {
      this.#stdin = 'closing';
      this.#pump();
    }
  }

  closeOutput(stream: StreamName): void {
    this.#port.send(COMMAND.CLOSE_OUTPUT, this.#id(), Buffer.from([stream === 'stdout' ? 1 : 2]));
  }

  signal(name: string): void {
    const number = toSignalNumber(name);
    if (number === null) {
      throw new EngineError(
        'STEP_REFUSED',
        { where: 'signal', expected: 'a Linux signal', actual: name },
        'usage',
      );
    }
    this.#port.send(COMMAND.SIGNAL, this.#id(), Buffer.from([number]));
  }

  /** Takes an event of the holder for this step. */
  take(event: HolderStepEvent): void {
    switch (event.kind) {
      case 'started':
        this.#pid = event.pid;
        this.#oomErrno = event.oomErrno;
        this.#tell({ kind: 'started' });
        this.#resolveDecided();
        break;
      case 'not-started':
        this.#finish({ kind: 'not-started', errno: toErrnoName(event.errno) });
        break;
      case 'chunk':
        this.#tell({ kind: 'chunk', stream: toStreamName(event.stream), bytes: event.bytes });
        break;
      case 'eof':
        this.#tell({ kind: 'eof', stream: toStreamName(event.stream) });
        break;
      case 'ended':
        this.#finish(parseWaitStatus(event.status));
        break;
      case 'stdin-taken':
        this.#credit(event.totalBytes);
        break;
      case 'stdin-broken':
        this.#breakStdin();
        break;
      default:
        event satisfies never;
    }
  }

  /** The box went away: whoever waits for this step is told so. */
  lose(reason: string): void {
    if (this.#end === null) {
      this.#finish({ kind: 'box-lost', reason });
    }
    this.#breakStdin();
  }

  #finish(end: ProcessEnd): void {
    this.#end = end;
    if (end.kind === 'not-started') {
      this.#breakStdin();
    }
    this.#tell({ kind: 'ended', end });
    this.#resolveEnded(end);
    this.#resolveDecided();
  }

  #tell(event: Unstamped<StepEvent>): void {
    const stamp = { sequence: this.#port.nextSequence(), atMs: this.#port.nowMs() - this.#sentAtMs };
    const stamped: StepEvent = { ...event, ...stamp };
    if (this.#listener === null) {
      this.#backlog.push(stamped);
    } else {
      this.#listener(stamped);
    }
  }

  #credit(totalBytes: number): void {
    this.#takenBytes = totalBytes;
    while ((this.#writes[0]?.endsAtByte ?? Number.POSITIVE_INFINITY) <= totalBytes) {
      this.#writes.shift()?.resolve('written');
    }
    this.#pump();
  }

  #breakStdin(): void {
    this.#stdin = 'closed';
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const write of this.#writes.splice(0)) {
      write.resolve('broken-pipe');
    }
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#sentBytes - this.#takenBytes < STDIN_WINDOW_BYTES) {
      const first = this.#queue.shift();
      if (first === undefined) {
        return;
      }
      const piece = first.subarray(0, STDIN_FRAME_BYTES);
      if (piece.length < first.length) {
        this.#queue.unshift(first.subarray(piece.length));
      }
      this.#queuedBytes -= piece.length;
      this.#sentBytes += piece.length;
      this.#port.send(COMMAND.STDIN, this.#id(), piece);
    }
    if (this.#stdin === 'closing' && this.#queue.length === 0) {
      this.#stdin = 'closed';
      this.#port.send(COMMAND.CLOSE_STDIN, this.#id());
    }
  }

  #id(): Buffer {
    return encodeNumber(this.#number);
  }
}

function toStreamName(stream: StreamNumber): StreamName {
  return stream === 1 ? 'stdout' : 'stderr';
}

/**
 * How a process ended, from the status word of waitpid. It alone tells exit 137 from SIGKILL.
 *
 * Source of the layout: Linux, asm-generic wait status (low seven bits the signal, bit 7 a core dump).
 */
export function parseWaitStatus(status: number): ProcessEnd {
  const signal = status & 0x7f;
  return signal === 0
    ? { kind: 'exited', code: (status >> 8) & 0xff }
    : { kind: 'signaled', signal: toSignalName(signal) };
}
