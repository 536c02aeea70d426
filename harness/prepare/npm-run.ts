import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { x as extract } from 'tar';
import { runBounded } from './bounded-process.ts';
import { PrepareError } from './errors.ts';

/** Resolving a large tree over a slow link takes minutes; more is a hang. */
const NPM_TIMEOUT_MS = 10 * 60 * 1000;
/** npm's result is a short JSON document; what else it says is not needed. */
const NPM_OUTPUT_LIMIT_BYTES = 4 * 1024 ** 2;

/** What one lock-only run of npm is given. All paths lie in `folder`, which the caller removes. */
export interface NpmRun {
  /** Absolute path of a scratch folder that holds `project/package.json`. */
  readonly folder: string;
  /** Unpacked pinned npm. */
  readonly npmFolder: string;
  readonly registryUrl: string;
  /** Where all of npm's requests are sent; whatever is not for the registry is refused there. */
  readonly proxyUrl: string;
  readonly os: string;
  readonly cpu: string;
  readonly libc: string;
  /** npm prefers versions that support the Node it believes to run on; the host's own must not matter. */
  readonly nodeVersion: string;
  readonly timeoutMs?: number;
}

/** How npm ended, with what it wrote as its JSON result. */
export interface NpmResult {
  readonly exitCode: number;
  readonly stdout: string;
}

/** Unpacks the pinned npm archive, whose bytes the caller has compared, into `folder`. */
export async function unpackNpm(archiveFile: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await extract({ file: archiveFile, cwd: folder, strict: true, preserveOwner: false });
  return join(folder, 'package');
}

/**
 * Resolves `project/package.json` to `project/package-lock.json` with the pinned npm.
 *
 * Lock-only with scripts off, no git, no local sources, one server to ask, no configuration and no
 * environment of the user's: it reads manifests and writes one file. It never runs anything of a package.
 * @throws {PrepareError} NPM_TIMED_OUT, NPM_FAILED when it did not end by itself
 */
export async function runNpmLock(run: NpmRun): Promise<NpmResult> {
  const preload = join(run.folder, 'node-version.cjs');
  const version = JSON.stringify(`v${run.nodeVersion}`);
  await writeFile(preload, `Object.defineProperty(process, 'version', { value: ${version} });\n`);
  await Promise.all(['user.npmrc', 'global.npmrc'].map((name) => writeFile(join(run.folder, name), '')));
  for (const name of ['home', 'cache', 'tmp']) await mkdir(join(run.folder, name), { mode: 0o700 });
  const { end, stdout } = await runBounded({
    argv: [
      process.execPath,
      '--require',
      preload,
      join(run.npmFolder, 'bin', 'npm-cli.js'),
      ...npmArguments(run),
    ],
    cwd: join(run.folder, 'project'),
    env: npmEnvironment(run),
    timeoutMs: run.timeoutMs ?? NPM_TIMEOUT_MS,
    outputLimitBytes: NPM_OUTPUT_LIMIT_BYTES,
  });
  if (end.kind === 'exited') return { exitCode: end.code, stdout };
  const code = end.kind === 'timed-out' ? 'NPM_TIMED_OUT' : 'NPM_FAILED';
  throw new PrepareError('infrastructure', code, 'npm', {
    where: 'resolution',
    expected: 'an exit',
    actual: end.kind === 'signaled' ? end.signal : end.kind,
  });
}

function npmEnvironment(run: NpmRun): Record<string, string> {
  return {
    HOME: join(run.folder, 'home'),
    TMPDIR: join(run.folder, 'tmp'),
    // Nothing to find: npm in lock-only mode has no program to start.
    PATH: join(run.folder, 'no-programs'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
}

function npmArguments(run: NpmRun): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    userconfig: join(run.folder, 'user.npmrc'),
    globalconfig: join(run.folder, 'global.npmrc'),
    cache: join(run.folder, 'cache'),
    registry: run.registryUrl,
    'replace-registry-host': 'always',
    // Everything goes to one server, also what is meant for loopback: it answers for itself only.
    proxy: run.proxyUrl,
    'https-proxy': run.proxyUrl,
    noproxy: '',
    'fetch-retries': '0',
    'allow-git': 'none',
    // npm counts the archives of our own registry as remote when it looks for bundled packages in them.
    // A remote source of the candidate's ends at the proxy.
    'allow-remote': 'all',
    'allow-directory': 'none',
    'allow-file': 'none',
    git: join(run.folder, 'no-programs', 'git'),
    omit: 'dev',
    os: run.os,
    cpu: run.cpu,
    libc: run.libc,
    'lockfile-version': '3',
    'omit-lockfile-registry-resolved': 'true',
    'logs-max': '0',
    loglevel: 'silent',
  };
  return [
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--no-progress',
    '--no-workspaces',
    '--json',
    ...Object.entries(settings).map(([key, value]) => `--${key}=${value}`),
  ];
}
