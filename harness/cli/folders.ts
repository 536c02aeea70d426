import { existsSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CliError } from './errors.ts';
import { findRefusal } from './out-folder.ts';

/** Where packproof keeps things outside `--out`: the archive and layer cache, and the state of runs. */
export interface OwnFolders {
  readonly cache: string;
  readonly state: string;
}

/**
 * The two folders of the XDG base directory specification, made 0700 when absent.
 *
 * @throws {CliError} FOLDER_UNUSABLE when one cannot be made; FOLDER_NOT_OURS when one exists and belongs to somebody else or is open to others:
 * whoever can write there can swap an archive between its check and its use.
 */
export async function openOwnFolders(env: NodeJS.ProcessEnv): Promise<OwnFolders> {
  const cache = join(absoluteOr(env.XDG_CACHE_HOME, join(homedir(), '.cache')), 'packproof');
  const state = join(absoluteOr(env.XDG_STATE_HOME, join(homedir(), '.local', 'state')), 'packproof');
  for (const folder of [cache, state]) {
    await makeFolder(folder);
    await refuseForeign(folder);
  }
  return { cache, state };
}

/** The specification says that a relative value is invalid and to be ignored. */
function absoluteOr(value: string | undefined, fallback: string): string {
  return value?.startsWith('/') ? value : fallback;
}

async function makeFolder(folder: string): Promise<void> {
  const refusal = existsSync(folder) ? null : await findRefusal(folder);
  if (refusal !== null) throw unusable(folder, refusal);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const actual = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw unusable(folder, actual, cause);
  }
}

function unusable(where: string, actual: string, cause?: unknown): CliError {
  const details = { where, expected: 'a folder that can be made', actual };
  return new CliError('FOLDER_UNUSABLE', 'own folder', cause === undefined ? details : { ...details, cause });
}

async function refuseForeign(folder: string): Promise<void> {
  const status = await lstat(folder);
  const uid = process.getuid?.() ?? 0;
  const mode = status.mode & 0o777;
  if (!status.isDirectory() || status.uid !== uid || (mode & 0o077) !== 0) {
    throw new CliError('FOLDER_NOT_OURS', 'own folder', {
      where: folder,
      expected: `a folder, uid ${uid} and mode 0700`,
      actual: `${status.isDirectory() ? 'a folder' : 'a link'}, uid ${status.uid} and mode 0${mode.toString(8)}`,
    });
  }
}

/** A run's id: time first, so that folders sort; the random part keeps two of the same second apart. */
export function newRunId(now: Date, random: string): string {
  return `${now
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'z')
    .toLowerCase()}-${random}`;
}

export function toAbsolute(path: string): string {
  return resolve(process.cwd(), path);
}
