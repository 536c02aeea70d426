import type { ProbeStep } from '../boundary/probe-orders.ts';
import type { Box, LiveStep, OutsideView, ProcessEnd } from '../engine/engine.ts';
import { describeFailure } from './bounded.ts';
import { RunError } from './errors.ts';
import { HOLDER_LIMIT_MS, PROBE_BYTES_LIMIT, PROBE_LIMIT_MS, SNAPSHOT_LIMIT_MS } from './limits.ts';
import type { RunStop } from './run-stop.ts';

/** What the probe wrote, and how its box looked from outside while it ran. */
export interface ProbeOutput {
  readonly bytes: Buffer;
  readonly outside: OutsideView;
}

/**
 * Runs the probe in a box that never holds a candidate. The outside view is read while the probe waits for
 * its orders, so it is the view of a process started as a candidate's is, not of the holder's.
 *
 * @throws {RunError} PROBE_FAILED
 */
export async function runProbe(box: Box, step: ProbeStep, stop: RunStop): Promise<ProbeOutput> {
  const { argv, env, cwd, stdin } = step;
  const request = { argv, env, cwd, stdin: 'open', stdout: 'pipe', stderr: 'pipe' } as const;
  const started = await stop.within(box.start(request), HOLDER_LIMIT_MS);
  if (started.kind !== 'done') throw probeFailed('start', describeFailure(started));
  const live = started.value;
  const output = collect(live);
  const viewed = await stop.within(box.outside(), SNAPSHOT_LIMIT_MS);
  if (viewed.kind !== 'done') throw probeFailed('outside view', describeFailure(viewed));
  void live.writeStdin(stdin);
  live.closeStdin();
  const ended = await stop.within(output.ended, PROBE_LIMIT_MS);
  if (ended.kind !== 'done') throw probeFailed('answer', describeFailure(ended));
  const { value: end } = ended;
  if (end.kind === 'exited' && end.code === 0) return { bytes: output.bytes(), outside: viewed.value };
  throw probeFailed('end', `${describeEnd(end)} ${output.diagnostics()}`.trimEnd());
}

interface Collected {
  /** Resolves when the probe ended and both its streams did; rejects when it wrote beyond the limit. */
  readonly ended: Promise<ProcessEnd>;
  bytes(): Buffer;
  diagnostics(): string;
}

function collect(live: LiveStep): Collected {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const open = new Set(['stdout', 'stderr']);
  let sizeBytes = 0;
  const streams = new Promise<void>((resolve, reject) => {
    live.onEvent((event) => {
      if (event.kind === 'chunk') {
        sizeBytes += event.bytes.length;
        if (sizeBytes > PROBE_BYTES_LIMIT)
          reject(probeFailed('answer', `more than ${PROBE_BYTES_LIMIT} bytes`));
        else chunks[event.stream].push(event.bytes);
      } else if (event.kind === 'eof') {
        open.delete(event.stream);
      }
      const lost =
        event.kind === 'ended' && (event.end.kind === 'not-started' || event.end.kind === 'box-lost');
      if (open.size === 0 || lost) resolve();
    });
  });
  return {
    ended: Promise.all([live.ended, streams]).then(([end]) => end),
    bytes: () => Buffer.concat(chunks.stdout),
    diagnostics: () => Buffer.concat(chunks.stderr).toString('utf8'),
  };
}

function describeEnd(end: ProcessEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exited with ${end.code}`;
    case 'signaled':
      return `ended by ${end.signal}`;
    case 'not-started':
      return `not started: ${end.errno}`;
    case 'box-lost':
      return `box lost: ${end.reason}`;
  }
}

function probeFailed(where: string, actual: string): RunError {
  return new RunError('PROBE_FAILED', 'probe of the boundary', { where, expected: 'a measurement', actual });
}
