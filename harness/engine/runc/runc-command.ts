import { Duplex } from 'node:stream';
import { execa, type Options, type ResultPromise } from 'execa';
import { EngineError } from '../errors.ts';
import { parseRuncVersion, type RuncVersion, requireSafeVersion } from './runc-version.ts';

/** A command that only looks or removes; a machine under load gets half a minute. */
const COMMAND_TIMEOUT_MS = 30_000;
const OUTPUT_BYTES = 1024 * 1024;

/**
 * The whole environment of every program started here. Without a garbage collector the short-lived runc
 * takes 20 % less time and 30 MB more.
 */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  GOGC: 'off',
};

/**
 * Runs a program of the host to its end, or to that of `signal`; returns its stdout.
 *
 * @throws {EngineError} ENGINE_FAILED, ENGINE_ABSENT
 */
export async function runProgram(
  file: string,
  argv: readonly string[],
  { cwd = '/', signal }: { readonly cwd?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const result = await execa(file, argv, {
    env: ENVIRONMENT,
    extendEnv: false,
    cwd,
    stdin: 'ignore',
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    maxBuffer: OUTPUT_BYTES,
    reject: false,
  });
  if (result.code === 'ENOENT') {
    throw new EngineError('ENGINE_ABSENT', {
      where: file,
      expected: 'a program on the path',
      actual: 'none',
    });
  }
  if (result.failed) {
    throw new EngineError('ENGINE_FAILED', {
      where: [file, ...argv.slice(0, 3)].join(' '),
      expected: 'exit 0',
      actual: `${result.exitCode ?? result.signal ?? result.code}: ${result.stderr}`,
    });
  }
  return result.stdout;
}

/** The first descriptor after stdio, which `--preserve-fds 1` hands through. */
export const CONTROL_DESCRIPTOR = 3;

const RUN_OPTIONS = {
  env: ENVIRONMENT,
  extendEnv: false,
  cwd: '/',
  // Not stdin for the control stream: Node closes that one as soon as the child, runc, has ended.
  stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  // The holder inherits the pipes: nothing of them may be kept here, and the promise ends only with them.
  buffer: false,
  reject: false,
  // Its own process group: a Ctrl-C at the terminal is for us, who end boxes in order.
  detached: true,
} as const satisfies Options;

export type RuncRun = ResultPromise<typeof RUN_OPTIONS>;

/** runc with the state folder of one run. */
export class RuncCommand {
  readonly #root: string;
  readonly #abandoned = new AbortController();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Creates and starts a container. Its process inherits stdout, stderr and {@link CONTROL_DESCRIPTOR} of the
   * returned child.
   */
  run(id: string, bundle: string): RuncRun {
    const argv = ['--root', this.#root, 'run', '--detach', '--preserve-fds', '1', '--bundle', bundle, id];
    return execa('runc', argv, RUN_OPTIONS);
  }

  /** The words of a command that removes a container, dead or alive, for another process to run. */
  deleteWords(id: string): readonly string[] {
    return ['runc', '--root', this.#root, 'delete', '--force', id];
  }

  async delete(id: string): Promise<void> {
    const { signal } = this.#abandoned;
    await runProgram('runc', ['--root', this.#root, 'delete', '--force', id], { signal });
  }

  /** Ends the removals under way: they would keep this process alive, and a sweep does them again. */
  abandon(): void {
    this.#abandoned.abort();
  }
}

/** @throws {EngineError} ENGINE_ABSENT, ENGINE_FAILED, ENGINE_TOO_OLD */
export async function readRuncVersion(): Promise<RuncVersion> {
  const version = parseRuncVersion(await runProgram('runc', ['--version']));
  requireSafeVersion(version);
  return version;
}

/** The stream to the container's {@link CONTROL_DESCRIPTOR}. @throws {EngineError} ENGINE_FAILED */
export function toControlStream(run: RuncRun): Duplex {
  const stream: unknown = run.stdio[CONTROL_DESCRIPTOR];
  if (stream instanceof Duplex) {
    return stream;
  }
  throw new EngineError('ENGINE_FAILED', { where: 'runc', expected: 'a control stream', actual: 'none' });
}
