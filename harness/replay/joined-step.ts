import type { Readable } from 'node:stream';
import type { LiveStep, ProcessEnd, StepRequest, StreamName } from '../engine/engine.ts';
import { DRAIN_LIMIT_MS, HOLDER_LIMIT_MS } from '../run/limits.ts';
import type { UsedBox } from '../run/single-box.ts';

/** The streams of whoever uses the box. */
export interface Console {
  readonly input: Readable;
  readonly write: (stream: StreamName, bytes: Buffer) => void;
}

/**
 * Runs one process in a box with its standard streams joined to a console, until the process has ended, and
 * everything that it started with it. What the console has not taken by then is lost with the box.
 */
export async function runJoined(
  { box, stop }: UsedBox,
  process: Pick<StepRequest, 'argv' | 'env' | 'cwd'>,
  console: Console,
): Promise<ProcessEnd> {
  const { argv, env, cwd } = process;
  const live = await box.start({ argv, env, cwd, stdin: 'open', stdout: 'pipe', stderr: 'pipe' });
  const drained = joinOutput(live, console);
  const over = new AbortController();
  const fed = joinInput(live, console.input, over.signal);
  const end = await live.ended;
  over.abort();
  console.input.destroy();
  if (end.kind === 'exited' || end.kind === 'signaled') {
    await stop.within(box.killAll(), HOLDER_LIMIT_MS);
    await stop.within(drained, DRAIN_LIMIT_MS);
  }
  await fed;
  return end;
}

/** Resolves when both streams met their end. */
function joinOutput(live: LiveStep, { write }: Console): Promise<void> {
  const open = new Set<StreamName>(['stdout', 'stderr']);
  return new Promise((resolve) => {
    live.onEvent((event) => {
      if (event.kind === 'chunk') write(event.stream, event.bytes);
      if (event.kind === 'eof') open.delete(event.stream);
      if (open.size === 0) resolve();
    });
  });
}

/** Each piece is offered when the process took the one before. An input that breaks is an input that ends. */
async function joinInput(live: LiveStep, input: Readable, over: AbortSignal): Promise<void> {
  try {
    for await (const piece of input) {
      if (over.aborted || (await live.writeStdin(Buffer.from(piece))) === 'broken-pipe') return;
    }
  } catch {
    // Also how the end of the process, which destroys the input, is told here.
  }
  if (!over.aborted) live.closeStdin();
}
