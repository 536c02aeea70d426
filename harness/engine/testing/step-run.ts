import type { LiveStep, ProcessEnd, StepEvent, StepRequest } from '../engine.ts';

/** What a test wants to know of a finished step. */
export interface StepResult {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly stderr: string;
  /** Kinds of events in order, runs of chunks of one stream as one. */
  readonly order: readonly string[];
}

/** A step with quiet defaults for what a test does not care about. */
export function toStep(argv: readonly string[], other: Partial<StepRequest> = {}): StepRequest {
  return {
    argv,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd: '/',
    stdin: 'closed',
    stdout: 'pipe',
    stderr: 'pipe',
    ...other,
  };
}

/** Waits for the end and, where the process started, for the end of `pipes` piped streams. */
export async function collectStep(live: LiveStep, pipes = 2): Promise<StepResult> {
  const text = { stdout: '', stderr: '' };
  const order: string[] = [];
  let open = pipes;
  const drained = new Promise<void>((resolve) => {
    live.onEvent((event: StepEvent) => {
      const name = toName(event);
      if (name !== order.at(-1)) order.push(name);
      if (event.kind === 'chunk') text[event.stream] += event.bytes.toString('latin1');
      if (event.kind === 'eof') open -= 1;
      if (open === 0) resolve();
    });
  });
  const end = await live.ended;
  if (end.kind === 'exited' || end.kind === 'signaled') await drained;
  return { end, ...text, order };
}

function toName(event: StepEvent): string {
  return event.kind === 'chunk' || event.kind === 'eof' ? `${event.kind} ${event.stream}` : event.kind;
}
