import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { toBoxPath } from '../../document/box-path.ts';
import type { SnapshotEntry } from '../engine.ts';
import { PATH_MAX_BYTES, type TreeLimits } from './tree-limits.ts';

/** An entry with the raw path by which the host reaches it. */
export interface WalkedEntry {
  readonly hostPath: Buffer;
  readonly boxPath: Buffer;
  readonly entry: SnapshotEntry;
}

export interface Walk {
  /** Byte order of path; `sha256` is not filled in. */
  readonly entries: readonly WalkedEntry[];
  readonly truncated: readonly string[];
}

/** System calls on a tmpfs take microseconds; other boxes get their turn after this many. */
const CALLS_PER_TURN = 256;

const SLASH = Buffer.from('/');

interface Folder {
  readonly hostPath: Buffer;
  readonly boxPath: Buffer;
  readonly depth: number;
}

/**
 * Lists what lies below a folder of a box, seen from the host, without opening or following anything but
 * folders. The folder itself is not listed.
 *
 * The caller has made sure that no process of the box runs: then a folder that lstat saw is still one when
 * it is read. Names are bytes. Limits cut the list and are named in `truncated`.
 */
export async function walkTree(hostRoot: Buffer, boxRoot: string, limits: TreeLimits): Promise<Walk> {
  const walker = new TreeWalker(limits);
  return walker.walk({ hostPath: hostRoot, boxPath: Buffer.from(boxRoot), depth: 0 });
}

class TreeWalker {
  readonly #limits: TreeLimits;
  readonly #entries: WalkedEntry[] = [];
  readonly #truncated = new Set<string>();
  #calls = 0;

  constructor(limits: TreeLimits) {
    this.#limits = limits;
  }

  async walk(root: Folder): Promise<Walk> {
    const folders = [root];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const name of this.#readNames(folder)) {
        if (this.#entries.length >= this.#limits.entries) {
          this.#truncated.add(`entries: more than ${this.#limits.entries}`);
          return this.#finish();
        }
        const child = this.#look(folder, name);
        if (child !== null) {
          folders.push(child);
        }
        await this.#takeTurns();
      }
    }
    return this.#finish();
  }

  #readNames(folder: Folder): readonly Buffer[] {
    if (folder.depth >= this.#limits.depth) {
      this.#truncated.add(`depth: more than ${this.#limits.depth}`);
      return [];
    }
    try {
      return readdirSync(folder.hostPath, { encoding: 'buffer' });
    } catch (error) {
      this.#truncated.add(`folder unreadable: ${toCode(error)}: ${toBoxPath(folder.boxPath)}`);
      return [];
    }
  }

  /** Keeps the entry; returns it when it is a folder to go into. */
  #look(parent: Folder, name: Buffer): Folder | null {
    const hostPath = Buffer.concat([parent.hostPath, SLASH, name]);
    const boxPath = Buffer.concat([parent.boxPath, SLASH, name]);
    if (hostPath.length >= PATH_MAX_BYTES) {
      this.#truncated.add(`path: longer than ${PATH_MAX_BYTES} bytes`);
      return null;
    }
    try {
      const stats = lstatSync(hostPath, { bigint: true });
      const entry = toEntry(boxPath, stats, stats.isSymbolicLink() ? readlinkSync(hostPath, 'buffer') : null);
      this.#entries.push({ hostPath, boxPath, entry });
      return entry.kind === 'directory' ? { hostPath, boxPath, depth: parent.depth + 1 } : null;
    } catch (error) {
      this.#truncated.add(`entry unreadable: ${toCode(error)}: ${toBoxPath(boxPath)}`);
      return null;
    }
  }

  async #takeTurns(): Promise<void> {
    this.#calls += 1;
    if (this.#calls % CALLS_PER_TURN === 0) {
      await yieldToOthers();
    }
  }

  #finish(): Walk {
    const entries = this.#entries.sort((one, other) => Buffer.compare(one.boxPath, other.boxPath));
    return { entries, truncated: [...this.#truncated] };
  }
}

function toEntry(boxPath: Buffer, stats: BigIntStats, target: Buffer | null): SnapshotEntry {
  return {
    path: toBoxPath(boxPath),
    kind: toKind(stats),
    mode: (Number(stats.mode) & 0o7777).toString(8).padStart(4, '0'),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    mtimeMs: Number(stats.mtimeMs),
    sizeBytes: Number(stats.size),
    sha256: null,
    target: target === null ? null : toBoxPath(target),
  };
}

function toKind(stats: BigIntStats): SnapshotEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isFIFO()) return 'fifo';
  if (stats.isSocket()) return 'socket';
  return stats.isCharacterDevice() ? 'character-device' : 'block-device';
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
