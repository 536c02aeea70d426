import type {
  Box,
  BoxEnd,
  BoxProcess,
  FileTreeEntry,
  KillRecipe,
  LiveStep,
  OutsideView,
  ProcessEnd,
  Snapshot,
  StepEvent,
  StepRequest,
  StreamName,
  TreeFile,
} from '../../engine/engine.ts';

type Unstamped<T> = T extends unknown ? Omit<T, 'sequence' | 'atMs'> : never;

type StdinAnswer = 'written' | 'broken-pipe' | 'never';

/**
 * A step whose events a test writes by hand. It exists for tests of order and termination only: what real
 * processes do is tested with a real engine.
 */
export class ScriptedStep implements LiveStep {
  readonly calls: string[] = [];
  readonly ended: Promise<ProcessEnd>;
  /** What `writeStdin` answers; `never` leaves it pending, as a candidate does that does not read. */
  readonly #stdinAnswer: StdinAnswer;
  #listener: ((event: StepEvent) => void) | null = null;
  #sequence = 0;
  #resolveEnded: (end: ProcessEnd) => void = () => {};

  constructor(stdinAnswer: StdinAnswer) {
    this.#stdinAnswer = stdinAnswer;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  onEvent(listener: (event: StepEvent) => void): void {
    this.#listener = listener;
    this.tell({ kind: 'started' });
  }

  tell(event: Unstamped<StepEvent>, atMs = 0): void {
    const stamped: StepEvent = { ...event, sequence: this.#sequence++, atMs };
    this.#listener?.(stamped);
  }

  print(stream: StreamName, text: string, atMs = 0): void {
    this.tell({ kind: 'chunk', stream, bytes: Buffer.from(text) }, atMs);
  }

  /** The end of the process alone; its streams stay open. */
  end(end: ProcessEnd, atMs = 0): void {
    this.tell({ kind: 'ended', end }, atMs);
    this.#resolveEnded(end);
  }

  closeStreams(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.tell({ kind: 'eof', stream });
  }

  writeStdin(bytes: Uint8Array): Promise<'written' | 'broken-pipe'> {
    this.calls.push(`stdin ${Buffer.from(bytes).toString('latin1').trimEnd()}`);
    return this.#stdinAnswer === 'never' ? new Promise(() => {}) : Promise.resolve(this.#stdinAnswer);
  }

  closeStdin(): void {
    this.calls.push('close stdin');
  }

  closeOutput(stream: StreamName): void {
    this.calls.push(`close ${stream}`);
  }

  signal(name: string): void {
    this.calls.push(`signal ${name}`);
  }
}

const NOTHING: Snapshot = { way: 'host', entries: [], truncated: [] };

export const NO_OUTSIDE: OutsideView = {
  inspect: {},
  status: null,
  mounts: null,
  namespaces: null,
  limits: null,
};

/** What a scripted box does when asked; every field can be replaced by a test. */
export interface BoxScript {
  start(step: ScriptedStep, request: StepRequest): void;
  processes(): readonly BoxProcess[];
  /** Called at `killAll` and `kill`, where a real kernel ends the step's process. */
  killed(step: ScriptedStep | null): void;
  freeze(): Promise<void>;
  stdinAnswer: StdinAnswer;
  end: BoxEnd;
}

/** The double of a box: keeps the order of all calls in `calls`. */
export class ScriptedBox implements Box {
  readonly id = 'scripted';
  readonly killRecipe: KillRecipe = { kind: 'pid', pid: 0, startTime: '', remove: [] };
  readonly calls: string[] = [];
  readonly steps: ScriptedStep[] = [];
  readonly #script: BoxScript;

  constructor(script: Partial<BoxScript> = {}) {
    this.#script = {
      start: (step) => {
        step.end({ kind: 'exited', code: 0 });
        step.closeStreams();
      },
      processes: () => [],
      killed: (step) => {
        step?.end({ kind: 'signaled', signal: 'SIGKILL' });
        step?.closeStreams();
      },
      freeze: () => Promise.resolve(),
      stdinAnswer: 'written',
      end: { oomKilled: false, oomKills: 0, inspect: {} },
      ...script,
    };
  }

  start(request: StepRequest): Promise<LiveStep> {
    this.calls.push('start');
    const step = new ScriptedStep(this.#script.stdinAnswer);
    this.steps.push(step);
    setImmediate(() => this.#script.start(step, request));
    return Promise.resolve(step);
  }

  freeze(): Promise<void> {
    this.calls.push('freeze');
    return this.#script.freeze();
  }

  processes(): Promise<readonly BoxProcess[]> {
    this.calls.push('processes');
    return Promise.resolve(this.#script.processes());
  }

  killAll(): Promise<number> {
    this.calls.push('killAll');
    const count = this.#script.processes().length;
    this.#script.killed(this.steps.at(-1) ?? null);
    return Promise.resolve(count);
  }

  snapshot(): Promise<Snapshot> {
    this.calls.push('snapshot');
    return Promise.resolve(NOTHING);
  }

  lay(entries: readonly FileTreeEntry[]): Promise<void> {
    this.calls.push(`lay ${entries.map(({ kind, path }) => `${kind} ${path}`).join(', ')}`);
    return Promise.resolve();
  }

  async *readTree(): AsyncIterable<TreeFile> {}

  outside(): Promise<OutsideView> {
    this.calls.push('outside');
    return Promise.resolve(NO_OUTSIDE);
  }

  kill(): Promise<void> {
    this.calls.push('kill');
    this.#script.killed(this.steps.at(-1) ?? null);
    return Promise.resolve();
  }

  close(): Promise<BoxEnd> {
    this.calls.push('close');
    return Promise.resolve(this.#script.end);
  }
}
