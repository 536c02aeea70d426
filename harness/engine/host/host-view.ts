import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import type { WritableMount } from '../../boundary/boundary.ts';
import { STATUS_FIELDS } from '../../boundary/measured.ts';
import type { BoxProcess, OutsideView, OwnerEntry, Snapshot, SnapshotEntry, TreeFile } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { type Cgroup, locateCgroup, type MemoryEvents, readLimits, readMemoryEvents } from './cgroup.ts';
import { hashContent, readContent } from './file-content.ts';
import { parseMountInfo, toBoxMounts } from './mount-table.ts';
import { giveEntries } from './owners.ts';
import { listProcesses } from './process-list.ts';
import { ProcessPin } from './process-pin.ts';
import { EXPORT_LIMITS, SNAPSHOT_LIMITS } from './tree-limits.ts';
import { type Walk, type WalkedEntry, walkTree } from './tree-walk.ts';

const NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'time', 'user', 'uts'] as const;

/** The part of an outside view that comes from the kernel and not from the engine. */
export type KernelView = Omit<OutsideView, 'inspect'>;

/**
 * A box as this host's kernel shows it, through its holder's process.
 *
 * It needs root and the holder's pid in this process's numbers, and serves every engine of this machine.
 * The holder is pinned, so that no reused pid is ever read. Nothing here runs or trusts a program of the box.
 */
export class HostView {
  readonly pin: ProcessPin;
  readonly #mounts: readonly WritableMount[];
  readonly #cgroup: Cgroup | null;

  private constructor(pin: ProcessPin, mounts: readonly WritableMount[], cgroup: Cgroup | null) {
    this.pin = pin;
    this.#mounts = mounts;
    this.#cgroup = cgroup;
  }

  /** @throws {EngineError} EVIDENCE_UNREADABLE when the holder is gone or this user may not look into it. */
  static open(holderPid: number, mounts: readonly WritableMount[]): HostView {
    const pin = ProcessPin.open(holderPid);
    try {
      readlinkSync(`${pin.folder}/ns/mnt`);
      const membership = readFileSync(`${pin.folder}/cgroup`, 'latin1');
      return new HostView(
        pin,
        mounts,
        locateCgroup(membership, readFileSync('/proc/self/mountinfo', 'latin1')),
      );
    } catch (cause) {
      pin.close();
      throw new EngineError('EVIDENCE_UNREADABLE', {
        where: 'holder',
        expected: 'a readable process',
        actual: 'none',
        cause,
      });
    }
  }

  get cgroup(): Cgroup | null {
    return this.#cgroup;
  }

  processes(): readonly BoxProcess[] {
    return listProcesses(this.pin);
  }

  /** Readable until the cgroup is removed, the holder's end notwithstanding. */
  memoryEvents(): MemoryEvents | null {
    return this.#cgroup === null ? null : readMemoryEvents(this.#cgroup);
  }

  /** Gives entries of the writable mounts to other users. @throws {EngineError} OWNER_NOT_LAID */
  give(entries: readonly OwnerEntry[]): void {
    const stray = entries.find(
      ({ path }) => !this.#mounts.some((mount) => path.startsWith(`${mount.path}/`)),
    );
    if (stray !== undefined) {
      const expected = 'an entry of a writable mount';
      throw new EngineError('OWNER_NOT_LAID', { where: stray.path, expected, actual: 'another' });
    }
    giveEntries(`${this.pin.folder}/root`, entries);
  }

  /** Entries below all writable mounts with the digests of their contents. */
  async snapshot(): Promise<Snapshot> {
    const walks: Walk[] = [];
    for (const { path } of this.#mounts) {
      walks.push(await walkTree(this.#toHostFolder(path), path, SNAPSHOT_LIMITS));
    }
    const walked = walks.flatMap((walk) => walk.entries).sort(byBoxPath);
    const truncated = walks.flatMap((walk) => walk.truncated);
    const entries: SnapshotEntry[] = [];
    let left = SNAPSHOT_LIMITS.totalBytes;
    for (const { entry, hostPath } of walked) {
      const refusal = entry.kind === 'file' ? refuseContent(entry.sizeBytes, left) : null;
      if (entry.kind !== 'file' || refusal !== null) {
        entries.push(entry);
        truncated.push(...(refusal === null ? [] : [`${refusal}: ${entry.path}`]));
      } else {
        left -= entry.sizeBytes;
        entries.push({ ...entry, sha256: await hashContent(hostPath, entry.sizeBytes) });
      }
    }
    return { way: 'host', entries, truncated };
  }

  /**
   * Files below one folder of a writable mount.
   * @throws {EngineError} EVIDENCE_UNREADABLE when a limit would cut the tree: half a tree is no tree.
   */
  async *readTree(path: string): AsyncIterable<TreeFile> {
    const walk = await walkTree(this.#toHostFolder(path), path, EXPORT_LIMITS);
    const totalBytes = walk.entries.reduce(
      (sum, { entry }) => sum + (entry.kind === 'file' ? entry.sizeBytes : 0),
      0,
    );
    const tooLarge = totalBytes > EXPORT_LIMITS.totalBytes ? [`content in all: ${totalBytes} bytes`] : [];
    const cut = [...walk.truncated, ...tooLarge];
    if (cut.length > 0) {
      throw new EngineError('EVIDENCE_UNREADABLE', {
        where: path,
        expected: 'all of it',
        actual: cut.join('; '),
      });
    }
    for (const walked of walk.entries) {
      yield toTreeFile(walked);
    }
  }

  /** `candidatePid` is numbered as in the box; a process that is gone by now is replaced by the holder. */
  outside(candidatePid: number | null): KernelView {
    const candidate = candidatePid === null ? null : `${this.pin.folder}/root/proc/${candidatePid}`;
    const folder =
      candidate !== null && readFile(`${candidate}/status`) !== null ? candidate : this.pin.folder;
    const status = readFile(`${folder}/status`);
    const mountInfo = readFile(`${folder}/mountinfo`);
    return {
      status: status === null ? null : parseStatus(status),
      mounts: mountInfo === null ? null : toBoxMounts(parseMountInfo(mountInfo)),
      namespaces: this.#compareNamespaces(folder),
      limits: this.#cgroup === null ? null : readLimits(this.#cgroup),
    };
  }

  close(): void {
    this.pin.close();
  }

  #compareNamespaces(folder: string): Readonly<Record<string, 'private' | 'host'>> | null {
    try {
      return Object.fromEntries(
        NAMESPACES.map((name) => [
          name,
          readlinkSync(`${folder}/ns/${name}`) === readlinkSync(`/proc/self/ns/${name}`) ? 'host' : 'private',
        ]),
      );
    } catch {
      return null;
    }
  }

  /** Each part must be a folder: through a link put there by the box, we would read our own host's files. */
  #toHostFolder(boxPath: string): Buffer {
    const parts = boxPath.split('/').filter((part) => part !== '');
    let path = `${this.pin.folder}/root`;
    for (const part of parts) {
      path += `/${part}`;
      if (part === '..' || lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
        throw new EngineError('EVIDENCE_UNREADABLE', {
          where: boxPath,
          expected: 'a folder',
          actual: 'none',
        });
      }
    }
    return Buffer.from(path);
  }
}

function byBoxPath(one: WalkedEntry, other: WalkedEntry): number {
  return Buffer.compare(one.boxPath, other.boxPath);
}

function refuseContent(sizeBytes: number, leftBytes: number): string | null {
  if (sizeBytes > SNAPSHOT_LIMITS.fileBytes) {
    return `file of more than ${SNAPSHOT_LIMITS.fileBytes} bytes not read`;
  }
  return sizeBytes > leftBytes ? `content beyond ${SNAPSHOT_LIMITS.totalBytes} bytes not read` : null;
}

/** The named fields of a status file, each with its values separated by single spaces. */
export function parseStatus(text: string): Readonly<Record<string, string>> {
  const found = new Map(
    text.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [
        line.slice(0, colon),
        line
          .slice(colon + 1)
          .trim()
          .replace(/\s+/g, ' '),
      ];
    }),
  );
  return Object.fromEntries(STATUS_FIELDS.map((name) => [name, found.get(name) ?? '']));
}

function toTreeFile({ entry, hostPath }: WalkedEntry): TreeFile {
  return { entry, content: entry.kind === 'file' ? () => readContent(hostPath, entry.sizeBytes) : null };
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
