import { setTimeout as pause } from 'node:timers/promises';
import type { Boundary, Platform } from '../boundary/boundary.ts';
import type {
  Box,
  BoxLabels,
  BuiltImage,
  Engine,
  FileTreeEntry,
  LiveStep,
  ProcessEnd,
  StepRequest,
  StreamName,
} from '../engine/engine.ts';
import { ImageError } from './errors.ts';
import { INSTALL_ROOT } from './install-layer.ts';
import { type InstalledTree, takeTree } from './installed-tree.ts';
import { npmReason } from './npm-words.ts';
import type { Spool } from './spool.ts';

/** What an install may write: unpacked packages and npm's copy of the archives. Eslint needs 25 MB. */
const WORK_BYTES = 2 * 1024 ** 3;
/** Large trees have some 100 000 files, in as many folders. */
const WORK_INODES = 524_288;
/** Installs of 200 packages take 3 to 8 s on two cores; this only ends what would never end. */
const INSTALL_LIMIT_MS = 600_000;
/** Time for reading the tree out, after which the holder ends the box by itself. */
const READ_OUT_MS = 600_000;
/** Of npm's own output this much is kept of each end of each stream, for the message of a failed install. */
const KEPT_OUTPUT_BYTES = 64 * 1024;
/** After everything in the box was killed, what is still in its pipes arrives at once. */
const DRAIN_LIMIT_MS = 5_000;
const PROJECT = '/work/tree';

export interface InstallRequest {
  /** Base, runtime and install layer. */
  readonly image: BuiltImage;
  readonly boundary: Boundary;
  readonly labels: BoxLabels;
  /** Platform of the candidate's image, when it is not that of the box. */
  readonly target: Platform;
  readonly withScripts: boolean;
  readonly limitMs?: number;
}

/** What was installed, and what npm said. */
export interface InstallResult {
  readonly tree: InstalledTree;
  readonly durationMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `npm ci --offline` in a box without a network and takes the tree out from outside, after everything in
 * the box was killed.
 *
 * @throws {ImageError} INSTALL_FAILED (npm's reason in `actual`; kind `candidate`, since lock and archives
 * were accepted before), INSTALL_KILLED, INSTALL_TIMED_OUT, INSTALL_BOX_LOST, and those of `takeTree`.
 */
export async function installCandidate(
  engine: Engine,
  request: InstallRequest,
  spool: Spool,
): Promise<InstallResult> {
  const limitMs = request.limitMs ?? INSTALL_LIMIT_MS;
  const image = await engine.ensureImage(request.image);
  const box = await engine.open({
    image,
    boundary: toInstallBoundary(request),
    labels: request.labels,
    endsAfterMs: limitMs + READ_OUT_MS,
    files: PROJECT_FILES,
  });
  try {
    const started = performance.now();
    const output = await runNpm(box, toStep(request), limitMs);
    const durationMs = Math.round(performance.now() - started);
    const tree = await takeTree(box.readTree(`${PROJECT}/node_modules`), PROJECT, spool);
    return { tree, durationMs, ...output };
  } finally {
    await box.close();
  }
}

/**
 * The boundary of the install box: the given one on the box's own platform, with more room in `/work`, and
 * the memory that this room may take, since a tmpfs counts against the box. Scripts may start what they built.
 */
export function toInstallBoundary(
  request: Pick<InstallRequest, 'boundary' | 'image' | 'withScripts'>,
): Boundary {
  const { boundary, image, withScripts } = request;
  const mounts = boundary.mounts.map((mount) => ({
    ...mount,
    exec: mount.exec || withScripts,
    ...(mount.path === '/work' ? { sizeBytes: WORK_BYTES, inodes: WORK_INODES } : {}),
  }));
  const memoryBytes = boundary.memoryBytes + WORK_BYTES;
  return { ...boundary, platform: image.platform, mounts, memoryBytes, memorySwapBytes: memoryBytes };
}

/** The project's two files stay in the layer: the box only links to them, so that nothing can change them. */
const PROJECT_FILES: readonly FileTreeEntry[] = [
  { kind: 'directory', path: PROJECT, mode: 0o755 },
  { kind: 'directory', path: '/work/home', mode: 0o755 },
  { kind: 'symlink', path: `${PROJECT}/package.json`, target: `${INSTALL_ROOT}/package.json` },
  { kind: 'symlink', path: `${PROJECT}/package-lock.json`, target: `${INSTALL_ROOT}/package-lock.json` },
];

/** npm's cpu names differ from OCI's. */
const CPU: Readonly<Record<Platform, string>> = { 'linux/amd64': 'x64', 'linux/arm64': 'arm64' };

function toStep(request: InstallRequest): StepRequest {
  const settings = [
    '--offline',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-update-notifier',
    '--no-engine-strict',
    '--logs-max=0',
    '--loglevel=warn',
    `--userconfig=${INSTALL_ROOT}/user.npmrc`,
    `--globalconfig=${INSTALL_ROOT}/global.npmrc`,
    '--cache=/work/cache',
    '--os=linux',
    `--cpu=${CPU[request.target]}`,
    '--libc=glibc',
    ...(request.withScripts ? ['--dangerously-allow-all-scripts'] : ['--ignore-scripts']),
  ];
  return {
    argv: ['/usr/local/bin/node', `${INSTALL_ROOT}/npm/bin/npm-cli.js`, 'ci', ...settings],
    env: {
      HOME: '/work/home',
      LANG: 'C.UTF-8',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      TERM: 'dumb',
      TZ: 'UTC',
    },
    cwd: PROJECT,
    stdin: 'closed',
    stdout: 'pipe',
    stderr: 'pipe',
  };
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

async function runNpm(box: Box, step: StepRequest, limitMs: number): Promise<Output> {
  const live = await box.start(step);
  const output = collectOutput(live);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    // A box that cannot be killed ends by itself; what matters is seen at `ended`.
    box.killAll().catch(() => undefined);
  }, limitMs);
  const end = await live.ended.finally(() => clearTimeout(timer));
  if (end.kind === 'box-lost') throw failure('infrastructure', 'INSTALL_BOX_LOST', end.reason);
  await box.killAll();
  await Promise.race([output.drained, pause(DRAIN_LIMIT_MS, undefined, { ref: false })]);
  if (timedOut) throw failure('infrastructure', 'INSTALL_TIMED_OUT', `no end within ${limitMs} ms`);
  checkEnd(end, output.read());
  return output.read();
}

interface Collector {
  /** Resolves when both streams have ended. */
  readonly drained: Promise<void>;
  readonly read: () => Output;
}

function collectOutput(live: LiveStep): Collector {
  const kept: Record<StreamName, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const open = new Set<StreamName>(['stdout', 'stderr']);
  const drained = new Promise<void>((resolve) => {
    live.onEvent((event) => {
      if (event.kind === 'chunk') {
        kept[event.stream] = keepEnds(Buffer.concat([kept[event.stream], event.bytes]));
      }
      if (event.kind === 'eof') open.delete(event.stream);
      if (open.size === 0) resolve();
    });
  });
  const read = (): Output => ({ stdout: kept.stdout.toString('utf8'), stderr: kept.stderr.toString('utf8') });
  return { drained, read };
}

/** npm says first what is wrong and last what it was doing; what is between may be endless. */
function keepEnds(bytes: Buffer): Buffer {
  if (bytes.length <= 2 * KEPT_OUTPUT_BYTES) return bytes;
  return Buffer.concat([bytes.subarray(0, KEPT_OUTPUT_BYTES), bytes.subarray(-KEPT_OUTPUT_BYTES)]);
}

function checkEnd(end: Exclude<ProcessEnd, { readonly kind: 'box-lost' }>, output: Output): void {
  if (end.kind === 'exited' && end.code === 0) return;
  switch (end.kind) {
    case 'exited':
      throw failure('candidate', 'INSTALL_FAILED', `${end.code}: ${npmReason(output)}`);
    case 'signaled':
      throw failure('infrastructure', 'INSTALL_KILLED', end.signal);
    case 'not-started':
      throw failure('infrastructure', 'INSTALL_KILLED', end.errno);
  }
}

function failure(
  kind: 'candidate' | 'infrastructure',
  code: 'INSTALL_FAILED' | 'INSTALL_KILLED' | 'INSTALL_TIMED_OUT' | 'INSTALL_BOX_LOST',
  actual: string,
): ImageError {
  return new ImageError(kind, code, 'install', { where: 'npm ci', expected: 'exit code 0', actual });
}
