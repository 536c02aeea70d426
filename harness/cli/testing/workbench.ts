import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../document/assets.ts';

/** What one command line came to. */
export interface Answer {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment; undefined removes. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The program and its first arguments, put before `node packproof.js`. */
  readonly under?: readonly string[];
  /** In a process group of its own, to be interrupted as a whole like by a terminal: `process.kill(-pid)`. */
  readonly ownGroup?: boolean;
  /** How long it may take at most; five minutes when not said. */
  readonly limitMs?: number;
}

/** A command that runs. */
export interface Started {
  readonly child: ChildProcess;
  readonly answer: Promise<Answer>;
  /** Resolves when stderr holds the pattern. Rejects when the command ends without it. */
  untilStderr(pattern: RegExp): Promise<void>;
}

/** What of the user's cache is worth having: bytes that are hashed again when used. */
const SEEDS = ['archives', 'published', 'resolutions'];

/** A command that hangs must not hang the tests; the slowest ones take a minute on a loaded machine. */
const COMMAND_LIMIT_MS = 300_000;

/**
 * A place to run the built program in, with working folder, cache, state and temporary folder of its own.
 *
 * The cache starts with a copy of the user's archives, so that Node runtimes are not fetched each time.
 * `PACKPROOF_TEST_CACHE` names a folder whose cache several test files share; it is not removed then.
 */
export class Workbench {
  readonly folder: string;
  readonly work: string;
  readonly temporary: string;
  readonly cacheHome: string;
  readonly stateHome: string;

  private constructor(folder: string, cacheHome: string) {
    this.folder = folder;
    this.work = join(folder, 'work');
    this.temporary = join(folder, 'tmp');
    this.stateHome = join(folder, 'state');
    this.cacheHome = cacheHome;
  }

  /** `own`: a cache that no other file shares, in which nothing was built yet. */
  static async open(cache: 'shared' | 'own' = 'shared'): Promise<Workbench> {
    requireProgram();
    const folder = await mkdtemp(join(tmpdir(), 'packproof-bench-'));
    const shared = cache === 'shared' ? process.env['PACKPROOF_TEST_CACHE'] : undefined;
    const bench = new Workbench(folder, shared ?? join(folder, 'cache'));
    await mkdir(bench.work);
    await mkdir(bench.temporary);
    await seedCache(bench.cacheHome);
    return bench;
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A new folder below the working folder. */
  async makeFolder(name: string): Promise<string> {
    const folder = join(this.work, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async writeFile(name: string, content: string | Uint8Array): Promise<string> {
    const file = join(this.work, name);
    await writeFile(file, content);
    return file;
  }

  /** Runs `packproof` with these arguments to its end. */
  run(args: readonly string[], options: CommandOptions = {}): Promise<Answer> {
    return this.start(args, options).answer;
  }

  start(args: readonly string[], options: CommandOptions = {}): Started {
    const [program = '', ...rest] = [...(options.under ?? []), process.execPath, programPath(), ...args];
    const child = spawn(program, rest, {
      cwd: options.cwd ?? this.work,
      env: { ...this.environment(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: options.ownGroup === true,
      timeout: options.limitMs ?? COMMAND_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    return collect(child);
  }

  environment(): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      XDG_CACHE_HOME: this.cacheHome,
      XDG_STATE_HOME: this.stateHome,
      TMPDIR: this.temporary,
    };
    // The bundles have no source maps: their coverage would say nothing about the sources.
    for (const name of ['NODE_V8_COVERAGE', 'NODE_TEST_CONTEXT', 'NO_COLOR', 'FORCE_COLOR']) delete env[name];
    return env;
  }
}

/** The program that is tested: the packed one, as `npm run build` leaves it. */
export function programPath(): string {
  return join(packageRoot(), 'bin', 'packproof.js');
}

function requireProgram(): void {
  if (existsSync(programPath())) return;
  throw new Error(`${programPath()}: expected the built program, got nothing: run npm run build`);
}

/**
 * What to put before a command so that it finds no runc: a mount namespace in which an empty folder lies over
 * the one of the program. The engine looks on a path of its own, so that changing PATH hides nothing.
 */
export async function hideRunc(bench: Workbench): Promise<readonly string[]> {
  const program = execFileSync('sh', ['-c', 'command -v runc'], { encoding: 'utf8' }).trim();
  const empty = await bench.makeFolder('empty');
  const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', empty, dirname(program)];
}

/** The private Docker Engine of the tests. @throws when there is none, because a test must not be skipped */
export function requireDocker(): string {
  const host = process.env['DOCKER_HOST'];
  if (host?.startsWith('unix://')) return host;
  throw new Error(
    `DOCKER_HOST: expected the socket of a test engine, got ${host ?? 'nothing'}: scripts/test-engine start DIR prints it`,
  );
}

/** Appears whole or not at all: another file may be about to use the same cache. */
async function seedCache(cacheHome: string): Promise<void> {
  const target = join(cacheHome, 'packproof');
  if (existsSync(target)) return;
  const draft = join(cacheHome, `draft-${process.pid}`);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const source = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'packproof');
  for (const name of SEEDS) {
    if (existsSync(join(source, name))) await cp(join(source, name), join(draft, name), { recursive: true });
  }
  // When another file was quicker, its cache is as good.
  await rename(draft, target).catch(() => rm(draft, { recursive: true }));
}

function collect(child: ChildProcess): Started {
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const look of waiting) look();
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
  return {
    child,
    answer,
    untilStderr: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(stderr)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        answer.then(() => reject(new Error(`ended without ${pattern}: ${stderr}`)), reject);
      }),
  };
}
