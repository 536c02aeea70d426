import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BoundedResult, runBounded } from './bounded-process.ts';
import { type DebianMirror, parseStanza } from './debian-mirror.ts';
import { guardDisk } from './disk.ts';
import { PrepareError } from './errors.ts';

const APT_HELPER = '/usr/lib/apt/apt-helper';
const APT_GET = '/usr/bin/apt-get';
const APT_CACHE = '/usr/bin/apt-cache';
/** One package of the base is at most a few megabytes. */
const DOWNLOAD_TIMEOUT_MS = 2 * 60 * 1000;
/** A release's index is near 10 MB packed. */
const UPDATE_TIMEOUT_MS = 5 * 60 * 1000;
const OUTPUT_LIMIT_BYTES = 1024 ** 2;

export type DownloadResult = 'done' | 'not-found' | 'other-bytes' | 'unreachable';

/** A small part of what any package or index takes. */
const PROBE_BYTES = 64 * 1024;

/** Whether this machine has apt's own downloader. */
export async function hasApt(): Promise<boolean> {
  const found = await Promise.all(
    [APT_HELPER, APT_GET, APT_CACHE].map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}

/**
 * Fetches one file with apt's downloader, which honours the machine's proxies, credentials and
 * certificates for its mirrors.
 *
 * apt's words are read only to tell a missing file, a silent mirror and a full disk apart; the caller compares the
 * bytes.
 * @throws {PrepareError} DISK_FULL
 */
export async function downloadWithApt(
  uri: string,
  target: string,
  sha256: string,
  folder: string,
): Promise<DownloadResult> {
  const argv = [
    APT_HELPER,
    '-q',
    '-o',
    'APT::Sandbox::User=root',
    'download-file',
    uri,
    target,
    `SHA256:${sha256}`,
  ] as const;
  const { end, stdout } = await runApt(argv, folder, DOWNLOAD_TIMEOUT_MS);
  if (end.kind === 'exited' && end.code === 0) return 'done';
  await requireSpace(folder, stdout);
  if (/\b(?:404|410)\b\s+(?:Not Found|Gone)/u.test(stdout)) return 'not-found';
  return stdout.includes('Hash Sum mismatch') || stdout.includes('unexpected size')
    ? 'other-bytes'
    : 'unreachable';
}

/** The newest version of a package that the signed index of the mirrors serves. */
export interface ServedPackage {
  readonly version: string;
  readonly poolPath: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/**
 * Asks the mirrors' own index, with signatures checked by apt, in a state folder of our own: the machine's
 * package lists are neither needed nor touched.
 *
 * Resolves with null when the index cannot be had or does not name the package.
 */
export class AptIndex {
  readonly #folder: string;
  readonly #options: readonly string[];

  private constructor(folder: string, options: readonly string[]) {
    this.#folder = folder;
    this.#options = options;
  }

  /**
   * Fetches the index for one architecture into `folder`; null when no mirror could be read.
   * @throws {PrepareError} DISK_FULL
   */
  static async open(
    mirrors: readonly DebianMirror[],
    architecture: string,
    folder: string,
  ): Promise<AptIndex | null> {
    const state = join(folder, 'state');
    await mkdir(join(state, 'lists', 'partial'), { recursive: true, mode: 0o700 });
    await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, 'status'), '');
    await writeFile(join(folder, 'index.sources'), mirrors.map(toSource).join('\n'));
    const settings = {
      'Dir::State': state,
      'Dir::State::status': join(folder, 'status'),
      'Dir::Cache': join(folder, 'cache'),
      'Dir::Etc::SourceList': join(folder, 'index.sources'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::Etc::Preferences': '/dev/null',
      'Dir::Etc::PreferencesParts': '/dev/null',
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'APT::Sandbox::User': 'root',
      'Acquire::Languages': 'none',
    };
    const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    const { end, stdout } = await runApt([APT_GET, '-qq', ...options, 'update'], folder, UPDATE_TIMEOUT_MS);
    if (end.kind === 'exited' && end.code === 0) return new AptIndex(folder, options);
    await requireSpace(folder, stdout);
    return null;
  }

  async newest(name: string): Promise<ServedPackage | null> {
    const argv = [APT_CACHE, ...this.#options, 'show', '--no-all-versions', '--', name] as const;
    const { end, stdout } = await runApt(argv, this.#folder, DOWNLOAD_TIMEOUT_MS);
    if (end.kind !== 'exited' || end.code !== 0) return null;
    const fields = parseStanza(stdout.split(/\n\s*\n/u)[0] ?? '');
    const sizeBytes = Number(fields.get('size'));
    const [version, poolPath, sha256] = ['version', 'filename', 'sha256'].map((key) => fields.get(key) ?? '');
    if (!version || !poolPath || !sha256 || !/^[0-9a-f]{64}$/u.test(sha256)) return null;
    return Number.isSafeInteger(sizeBytes) ? { version, poolPath, sizeBytes, sha256 } : null;
  }
}

/**
 * Whether apt failed for want of space: it says so of a download (with the words of strerror), and hardly of an
 * index, after which the place is as full as it was.
 */
async function requireSpace(folder: string, stdout: string): Promise<void> {
  if (/No space left on device|Disk quota exceeded/u.test(stdout)) {
    const details = { where: folder, expected: 'room for a package', actual: 'a full disk' };
    throw new PrepareError('infrastructure', 'DISK_FULL', 'no space left', details);
  }
  const probe = join(folder, randomUUID());
  await guardDisk(folder, () => writeFile(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx' })).finally(() =>
    rm(probe, { force: true }),
  );
}

function toSource(mirror: DebianMirror): string {
  const signedBy = mirror.signedBy === null ? '' : `Signed-By: ${mirror.signedBy}\n`;
  return `Types: deb\nURIs: ${mirror.uri}\nSuites: ${mirror.suite}\nComponents: main\n${signedBy}`;
}

function runApt(
  argv: readonly [string, ...string[]],
  folder: string,
  timeoutMs: number,
): Promise<BoundedResult> {
  return runBounded({
    argv,
    cwd: folder,
    // A fixed language: apt's words tell what happened. apt finds its settings and helpers by fixed paths.
    env: { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs,
    outputLimitBytes: OUTPUT_LIMIT_BYTES,
  });
}
