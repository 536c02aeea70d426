import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../errors.ts';
import { formatOwner, parseOwner, readOwner, readOwnerState } from '../host/owner.ts';
import { ensurePrivateFolder } from './private-folder.ts';

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const OWNER_FILE = 'owner';
/** Made after the claim and removed before it. */
const FOLDERS: readonly string[] = ['boxes', 'images', 'runc'];
/** A claim that is being written; it lies there for good when its process is killed at that moment. */
const DRAFT_PREFIX = '.owner-';
/** A claim without a name on it is written within milliseconds; what is older was never ended. */
const CLAIM_MS = 60_000;
/**
 * A run of another boot, pid namespace or machine (a shared home folder) cannot be looked up from here. No
 * run takes a day.
 */
const FOREIGN_RUN_MS = 86_400_000;

/** A container id is also a cgroup's name. */
const BOX_NAME_LENGTH = 60;

/**
 * What one run keeps on this machine: `runs/<run>/` below the state folder.
 *
 * ```
 * owner             whose it is, so that a sweep can tell a dead run from a live one
 * boxes/<id>/       bundle of a box
 * images/<digest>/  mount point of an image
 * runc/             runc's own state
 * ```
 */
export class RunFolder {
  readonly path: string;

  constructor(stateDir: string, runId: string) {
    if (!RunFolder.isRunId(runId)) {
      throw new EngineError(
        'STATE_UNSAFE',
        { where: 'run id', expected: 'letters, digits, _ . -', actual: runId },
        'usage',
      );
    }
    this.path = join(stateDir, 'runs', runId);
  }

  static isRunId(name: string): boolean {
    return RUN_ID.test(name);
  }

  get boxes(): string {
    return join(this.path, 'boxes');
  }

  get images(): string {
    return join(this.path, 'images');
  }

  get runcRoot(): string {
    return join(this.path, 'runc');
  }

  /** Makes the folder and puts this process's name on it. @throws {EngineError} STATE_UNSAFE when it is another's. */
  async claim(): Promise<void> {
    await ensurePrivateFolder(this.path);
    const mine = formatOwner(await readOwner());
    const draft = join(this.path, `${DRAFT_PREFIX}${randomBytes(6).toString('hex')}`);
    await writeFile(draft, mine, { flag: 'wx', mode: 0o600 });
    // A link appears whole or not at all, and never over another's.
    await link(draft, join(this.path, OWNER_FILE)).catch(() => undefined);
    await rm(draft);
    const owner = await readFile(join(this.path, OWNER_FILE), 'utf8');
    if (owner !== mine) {
      throw new EngineError('STATE_UNSAFE', { where: 'run', expected: mine, actual: owner });
    }
    for (const folder of [this.boxes, this.images, this.runcRoot]) {
      await ensurePrivateFolder(folder);
    }
  }

  /**
   * False when the owner lives, is elsewhere, or cannot be told: then nothing here is ours to remove. A live run has
   * its name on the folder from before its first file to after its last, so that one without a name is dead when
   * nothing but ours is in it and it is not that young.
   */
  async isDead(): Promise<boolean> {
    const claim = join(this.path, OWNER_FILE);
    if (parseOwner(await readText(claim)) !== null) return isDeadClaim(claim);
    const names = await readdir(this.path).catch(() => null);
    const others = names?.filter((name) => !FOLDERS.includes(name));
    if (names === null || others === undefined) return false;
    if (others.some((name) => !name.startsWith(DRAFT_PREFIX))) return false;
    // Killed before the name was on it: there is a draft at most.
    const dead = await Promise.all(others.map((name) => isDeadClaim(join(this.path, name))));
    const isBegun = others.length > 0 && others.length === names.length;
    return dead.every(Boolean) && (isBegun || (await isOlder(this.path, CLAIM_MS)));
  }

  /** A new bundle folder; its name is the container's id. */
  async makeBox(boxName: string): Promise<{ readonly id: string; readonly bundle: string }> {
    const name = boxName.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, BOX_NAME_LENGTH);
    const id = `packproof-${name}-${randomBytes(4).toString('hex')}`;
    const bundle = join(this.boxes, id);
    await mkdir(bundle, { mode: 0o700 });
    return { id, bundle };
  }

  /** Removes what this class made, and the folder when nothing else is in it. */
  async remove(): Promise<void> {
    const names = await readdir(this.path).catch(() => []);
    const drafts = names.filter((name) => name.startsWith(DRAFT_PREFIX));
    for (const name of [...FOLDERS, ...drafts, OWNER_FILE]) {
      await rm(join(this.path, name), { recursive: true, force: true });
    }
    await rmdir(this.path).catch(() => undefined);
  }
}

async function isDeadClaim(file: string): Promise<boolean> {
  const owner = parseOwner(await readText(file));
  if (owner === null) return isOlder(file, CLAIM_MS);
  const state = await readOwnerState(owner);
  return state === 'elsewhere' ? isOlder(file, FOREIGN_RUN_MS) : state === 'dead';
}

/** Empty when it cannot be read. */
function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** False when it is gone. */
async function isOlder(path: string, ageMs: number): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > ageMs;
}
