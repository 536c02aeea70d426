import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WritableMount } from '../../boundary/boundary.ts';
import type { BoxProcess, OwnerEntry, Snapshot, TreeFile } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { KernelView } from '../host/host-view.ts';
import { EXPORT_LIMITS, SNAPSHOT_LIMITS } from '../host/tree-limits.ts';
import { Answer } from './answer.ts';
import { type ArchivedEntry, readArchivedTree } from './archive-tree.ts';
import type { OutsideReader } from './backend.ts';
import { ask, type DockerClient } from './client.ts';
import { DockerError } from './errors.ts';

/** One read of spooled content. */
const READ_BYTES = 1 << 20;

/**
 * Reads a box through its engine alone, so that it works over any connection: files by the archive call,
 * which packs the volumes while the box runs, and processes by `top`.
 *
 * Against the host's way it sees less: sockets are not packed, times are cut to whole seconds, folders have
 * no size, and `top` gives arguments as one line. Of the kernel's own view nothing can be had.
 */
export class ArchiveReader implements OutsideReader {
  readonly #client: DockerClient;
  readonly #id: string;
  readonly #holderPid: number;
  readonly #mounts: readonly WritableMount[];
  readonly #spoolFolder: string;

  constructor(
    client: DockerClient,
    inspected: Answer,
    mounts: readonly WritableMount[],
    spoolFolder: string,
  ) {
    this.#client = client;
    this.#id = inspected.text('Id');
    this.#holderPid = inspected.object('State').integer('Pid');
    this.#mounts = mounts;
    this.#spoolFolder = spoolFolder;
  }

  async listProcesses(): Promise<readonly BoxProcess[]> {
    const container = this.#client.calls.getContainer(this.#id);
    const value: unknown = await ask('top', container.top({ ps_args: '-eo pid,ppid,stat,args' }));
    return parseTop(value, this.#holderPid);
  }

  /** The limits are shared by the mounts, as they are when the host is read. */
  async snapshot(): Promise<Snapshot> {
    const found: ArchivedEntry[] = [];
    const truncated: string[] = [];
    let totalBytes = SNAPSHOT_LIMITS.totalBytes;
    for (const { path } of this.#mounts) {
      const tree = await readArchivedTree(
        this.#client,
        { id: this.#id, path },
        {
          limits: { ...SNAPSHOT_LIMITS, totalBytes },
          sink: (chunk) => {
            totalBytes -= chunk.length;
          },
        },
      );
      found.push(...tree.entries);
      truncated.push(...tree.truncated);
    }
    const sorted = found.sort((one, other) => Buffer.compare(one.boxPath, other.boxPath));
    return { way: 'engine-archive', entries: sorted.map(({ entry }) => entry), truncated };
  }

  /**
   * The archive call could lay a file with an owner, but no socket, and it replaces entries: their folders would
   * get other times. What cannot be done as declared is not done.
   */
  async give([first]: readonly OwnerEntry[]): Promise<void> {
    throw new EngineError('OWNER_NOT_LAID', {
      where: first?.path ?? '',
      expected: 'an engine on this machine, whose boxes root can reach',
      actual: 'one that is reached through its archive call',
    });
  }

  /**
   * The archive comes in folder order and must be yielded in byte order of path, so contents are spooled to
   * a file of packproof's own state folder; only entries are in memory.
   *
   * @throws {DockerError} EVIDENCE_UNREADABLE when a limit would cut the tree: half a tree is no tree
   */
  async *readTree(path: string): AsyncIterable<TreeFile> {
    const spool = await openSpool(this.#spoolFolder);
    try {
      const tree = await readArchivedTree(
        this.#client,
        { id: this.#id, path },
        { limits: EXPORT_LIMITS, sink: (chunk) => writeAll(spool, chunk) },
      );
      if (tree.truncated.length > 0) {
        const actual = tree.truncated.join('; ');
        throw new DockerError('EVIDENCE_UNREADABLE', 'tree', { where: path, expected: 'all of it', actual });
      }
      for (const { entry, offset } of tree.entries) {
        yield { entry, content: offset === null ? null : () => readSpan(spool, offset, entry.sizeBytes) };
      }
    } finally {
      await spool.close();
    }
  }

  async hostView(): Promise<KernelView> {
    return { status: null, mounts: null, namespaces: null, limits: null };
  }

  readOomKills(): number | null {
    return null;
  }

  killHolder(): boolean {
    return false;
  }

  close(): void {
    // Nothing is held between calls.
  }
}

/** Has no name from the start, so that a killed packproof leaves no copy of a candidate's tree behind. */
async function openSpool(parent: string): Promise<FileHandle> {
  const folder = await mkdtemp(join(parent, 'spool-'));
  try {
    return await open(join(folder, 'content'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done)).bytesWritten;
  }
}

async function* readSpan(handle: FileHandle, offset: number, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < sizeBytes; ) {
    const buffer = Buffer.alloc(Math.min(READ_BYTES, sizeBytes - done));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset + done);
    if (bytesRead === 0) {
      throw new DockerError('EVIDENCE_UNREADABLE', 'tree', {
        where: 'spooled content',
        expected: `${sizeBytes} bytes`,
        actual: `${done}`,
      });
    }
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Processes but the holder. Ids are the engine machine's own and mean nothing inside, so none is given. */
function parseTop(value: unknown, holderPid: number): readonly BoxProcess[] {
  const rows = new Answer(value, 'top').value.Processes;
  return (Array.isArray(rows) ? rows : [])
    .map((row: unknown) => new Answer({ row }, 'top').texts('row'))
    .filter(([pid]) => pid !== String(holderPid))
    .map(([, , state, line]) => ({
      pid: null,
      parentPid: null,
      argv: [line ?? ''],
      state: (state ?? '?').slice(0, 1),
    }));
}
