import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultBoundary } from '../../../boundary/default-boundary.ts';
import { toDockerSeccomp } from '../../../boundary/seccomp-forms.ts';
import { readSeccompPolicy } from '../../../boundary/seccomp-policy.ts';
import { packageRoot } from '../../../document/assets.ts';
import type { Box, Engine, EvidenceWay, FileTreeEntry, LiveStep, StepEvent } from '../../engine.ts';
import { EngineError } from '../../errors.ts';
import { createDockerEngine } from '../docker-engine.ts';
import type { DockerEndpoint } from '../endpoint.ts';
import { DockerError } from '../errors.ts';
import { buildTrialImage } from './trial-image.ts';

const run = promisify(execFile);

/** A Docker Engine of the test's own, with a folder for its files beside it. */
export interface PrivateEngine {
  readonly folder: string;
  readonly engineFolder: string;
  readonly unix: DockerEndpoint & { readonly kind: 'unix' };
  readonly tcp: DockerEndpoint;
  stop(): Promise<void>;
}

/** Starts one through `scripts/test-engine`, which installs Docker from Debian's packages when it is missing. */
export async function startPrivateEngine(): Promise<PrivateEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-engine-'));
  const engineFolder = join(folder, 'e');
  const port = await findFreePort();
  const script = join(packageRoot(), 'scripts', 'test-engine');
  // The daemon inherits neither pipe, so this returns when it answers.
  await run(script, ['start', engineFolder, '--tcp', String(port)]);
  return {
    folder,
    engineFolder,
    unix: { kind: 'unix', socketPath: join(engineFolder, 'docker.sock') },
    tcp: { kind: 'tcp', host: '127.0.0.1', port, tlsFolder: null },
    stop: async () => {
      await run(script, ['stop', engineFolder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Connects as a run of that name. */
export function connect(
  engine: PrivateEngine,
  options: { readonly runId: string; readonly way?: EvidenceWay; readonly endpoint?: DockerEndpoint },
): Promise<Engine> {
  return createDockerEngine({
    endpoint: options.endpoint ?? engine.unix,
    runId: options.runId,
    stateDir: join(engine.folder, 'state'),
    seccomp: JSON.stringify(toDockerSeccomp(readSeccompPolicy(), trialBoundary().platform)),
    ...(options.way === undefined ? {} : { evidenceWay: options.way }),
  });
}

/** The default boundary for this machine's platform. */
export function trialBoundary(): ReturnType<typeof defaultBoundary> {
  return defaultBoundary(process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64', { exec: false });
}

/** Loads the trial image and opens a box on it. */
export async function openTrialBox(
  engine: Engine,
  place: {
    readonly folder: string;
    readonly runId: string;
    readonly files?: readonly FileTreeEntry[];
  },
  boundary = trialBoundary(),
): Promise<Box> {
  const image = await engine.ensureImage(await buildTrialImage(place.folder, 'trial'));
  const labels = { runId: place.runId, boxName: `box-${process.hrtime.bigint()}` };
  return engine.open({ image, boundary, labels, endsAfterMs: 60_000, files: place.files ?? [] });
}

/** Starts a Perl program in a box. */
export function startPerl(box: Box, program: string, stdin: 'open' | 'closed' = 'closed'): Promise<LiveStep> {
  return box.start({
    argv: ['/usr/bin/perl', '-e', program],
    env: { PATH: '/usr/bin' },
    cwd: '/work',
    stdin,
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** All events of a step up to its end and the end of both streams. */
export function collectEvents(step: LiveStep): Promise<readonly StepEvent[]> {
  const events: StepEvent[] = [];
  return new Promise((resolve) => {
    step.onEvent((event) => {
      events.push(event);
      const ends = events.filter(({ kind }) => kind === 'eof' || kind === 'ended').length;
      if (ends === 3 || (event.kind === 'ended' && event.end.kind === 'box-lost')) {
        resolve(events);
      }
    });
  });
}

/** The bytes of one stream among events. */
export function bytesOf(events: readonly StepEvent[], stream: 'stdout' | 'stderr'): Buffer {
  return Buffer.concat(
    events.flatMap((event) => (event.kind === 'chunk' && event.stream === stream ? [event.bytes] : [])),
  );
}

/** The code of a fault of ours; null for anything else. */
export function codeOf(error: unknown): string | null {
  return error instanceof EngineError || error instanceof DockerError ? error.code : null;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
