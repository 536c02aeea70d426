import { defaultBoundary } from '../../boundary/default-boundary.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { CompiledStep } from '../../suite/compiled.ts';
import type { StepObservation, StreamObservation } from '../../suite/observation.ts';

export const NODE = '22.23.5';
export const BOUNDARY = defaultBoundary('linux/amd64', { exec: false });
export const ARGV = ['/opt/candidate/node_modules/.bin/sample'];

/** A step that is given nothing. */
export function sampleStep(name: string, argv: readonly string[] = ARGV): CompiledStep {
  return {
    name,
    argv,
    env: {},
    cwd: '/work',
    stdin: { kind: 'closed' },
    stdout: 'pipe',
    signals: [],
    timeoutMs: 10_000,
  };
}

/** A step of 20 ms that printed these bytes after 10 and exited with 0. */
export function observedStep(
  { name, argv }: Pick<CompiledStep, 'name' | 'argv'>,
  output: Buffer,
  startedAt = '2026-01-02T03:04:05.000Z',
): StepObservation {
  return {
    name,
    argv,
    startedAt,
    durationMs: 20,
    termination: { kind: 'exited', code: 0 },
    killedBy: null,
    oomKilled: false,
    stdout: toStream(output),
    stderr: toStream(Buffer.alloc(0)),
    arrivals: [{ stream: 'stdout', sizeBytes: output.length, atMs: 10 }],
    actions: [],
  };
}

function toStream(bytes: Buffer): StreamObservation {
  return {
    totalBytes: bytes.length,
    keptBytes: bytes.length,
    totalSha256: sha256Hex(bytes),
    keptSha256: sha256Hex(bytes),
    truncated: false,
    eofSeen: true,
    lastByteAtMs: bytes.length === 0 ? null : 10,
  };
}
