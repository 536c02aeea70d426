import { type ChildProcess, spawn } from 'node:child_process';

/** A trusted helper program (npm, apt) with everything it may use spelled out. */
export interface BoundedProcess {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** All of the environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** More than this of stdout is read and dropped. */
  readonly outputLimitBytes: number;
}

export type BoundedEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'not-started' };

export interface BoundedResult {
  readonly end: BoundedEnd;
  readonly stdout: string;
}

/** Runs a helper program in a process group of its own and leaves nothing of that group behind. */
export async function runBounded(request: BoundedProcess): Promise<BoundedResult> {
  const [file, ...rest] = request.argv;
  const child = spawn(file, rest, {
    cwd: request.cwd,
    env: { ...request.env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const chunks: Buffer[] = [];
  let kept = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (kept < request.outputLimitBytes) chunks.push(chunk.subarray(0, request.outputLimitBytes - kept));
    kept += chunk.length;
  });
  const end = await waitForEnd(child, request.timeoutMs);
  return { end, stdout: Buffer.concat(chunks).toString('utf8') };
}

async function waitForEnd(child: ChildProcess, timeoutMs: number): Promise<BoundedEnd> {
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, timeoutMs);
  try {
    const end = await new Promise<BoundedEnd>((resolve) => {
      child.once('error', () => resolve({ kind: 'not-started' }));
      child.once('close', (code, signal) =>
        resolve(code === null ? { kind: 'signaled', signal: signal ?? 'unknown' } : { kind: 'exited', code }),
      );
    });
    return timedOut ? { kind: 'timed-out' } : end;
  } finally {
    clearTimeout(timer);
    killGroup(child);
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone, which is what was wanted.
  }
}
