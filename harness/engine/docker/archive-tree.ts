import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { toBoxPath } from '../../document/box-path.ts';
import type { SnapshotEntry } from '../engine.ts';
import type { TreeLimits } from '../host/tree-limits.ts';
import { type DockerClient, reasonOf, toReadable } from './client.ts';
import { DockerError } from './errors.ts';
import { formatMode } from './read-image.ts';
import { readTar, type TarEntry, type TarType } from './tar-reader.ts';

/** One entry below a folder of a box. */
export interface ArchivedEntry {
  readonly entry: SnapshotEntry;
  readonly boxPath: Buffer;
  /** Where its bytes lie among all bytes given to the sink: its own, or another's for a hard link. */
  readonly offset: number | null;
}

export interface ArchivedTree {
  /** Byte order of path. */
  readonly entries: readonly ArchivedEntry[];
  readonly truncated: readonly string[];
}

/** Takes the bytes of regular files, in order of arrival; awaited, so that it can slow the stream. */
export type ContentSink = (chunk: Buffer) => Promise<void> | void;

export interface ArchivePlace {
  readonly id: string;
  readonly path: string;
}

const KINDS: Readonly<Record<TarType, SnapshotEntry['kind']>> = {
  file: 'file',
  'hard-link': 'file',
  directory: 'directory',
  symlink: 'symlink',
  fifo: 'fifo',
  'character-device': 'character-device',
  'block-device': 'block-device',
};

/**
 * Reads what lies below one folder of a writable mount from the engine's archive call.
 *
 * The folder itself is not an entry. Nothing is unpacked and no link is followed: the call packs a link as
 * a link. Limits cut the tree and are named in `truncated`.
 * @throws {DockerError} EVIDENCE_UNREADABLE when the folder is absent, is no folder, or the stream is cut
 */
export async function readArchivedTree(
  client: DockerClient,
  place: ArchivePlace,
  options: { readonly limits: TreeLimits; readonly sink: ContentSink },
): Promise<ArchivedTree> {
  const collector = new Collector(place, options.limits, options.sink);
  for await (const packed of readTar(await openArchive(client, place))) {
    if (!(await collector.take(packed))) {
      break;
    }
  }
  return collector.finish();
}

async function openArchive(client: DockerClient, { id, path }: ArchivePlace): Promise<Readable> {
  try {
    return toReadable(await client.streams.getContainer(id).getArchive({ path }));
  } catch (cause) {
    return unreadable(path, 'an archive', reasonOf(cause), cause);
  }
}

class Collector {
  readonly #place: ArchivePlace;
  readonly #limits: TreeLimits;
  readonly #sink: ContentSink;
  readonly #entries: ArchivedEntry[] = [];
  readonly #byName = new Map<string, ArchivedEntry>();
  readonly #truncated = new Set<string>();
  #rootSeen = false;
  #readBytes = 0;

  constructor(place: ArchivePlace, limits: TreeLimits, sink: ContentSink) {
    this.#place = place;
    this.#limits = limits;
    this.#sink = sink;
  }

  /** False when the rest is not wanted. */
  async take(packed: TarEntry): Promise<boolean> {
    const inside = packed.path.indexOf(0x2f);
    if (inside < 0) {
      this.#rootSeen = packed.type === 'directory' || unreadable(this.#place.path, 'a folder', packed.type);
      return true;
    }
    if (this.#entries.length >= this.#limits.entries) {
      this.#truncated.add(`entries: more than ${this.#limits.entries}`);
      return false;
    }
    const boxPath = Buffer.concat([Buffer.from(this.#place.path), packed.path.subarray(inside)]);
    const taken = await this.#toEntry(boxPath, packed);
    this.#byName.set(packed.path.toString('latin1'), taken);
    this.#entries.push(taken);
    return true;
  }

  finish(): ArchivedTree {
    if (!this.#rootSeen) {
      unreadable(this.#place.path, 'a folder', 'nothing');
    }
    const entries = this.#entries.sort((one, other) => Buffer.compare(one.boxPath, other.boxPath));
    return { entries, truncated: [...this.#truncated] };
  }

  async #toEntry(boxPath: Buffer, packed: TarEntry): Promise<ArchivedEntry> {
    const { first, sizeBytes, sha256, offset } = await this.#toContent(boxPath, packed);
    const isLink = packed.type === 'symlink';
    const entry: SnapshotEntry = {
      path: toBoxPath(boxPath),
      kind: KINDS[packed.type],
      mode: formatMode(first?.mode === undefined ? packed.mode : Number.parseInt(first.mode, 8)),
      uid: packed.uid,
      gid: packed.gid,
      mtimeMs: packed.mtimeMs,
      sizeBytes: isLink ? packed.linkTarget.length : sizeBytes,
      sha256,
      target: isLink ? toBoxPath(packed.linkTarget) : null,
    };
    return { entry, boxPath, offset };
  }

  async #toContent(boxPath: Buffer, packed: TarEntry): Promise<Content> {
    if (packed.type === 'hard-link') {
      const first = this.#byName.get(packed.linkTarget.toString('latin1'));
      return first === undefined
        ? unreadable(toBoxPath(boxPath), 'a link to an earlier entry', toBoxPath(packed.linkTarget))
        : {
            first: first.entry,
            sizeBytes: first.entry.sizeBytes,
            sha256: first.entry.sha256,
            offset: first.offset,
          };
    }
    const { sizeBytes } = packed;
    if (packed.type !== 'file' || this.#refuses(toBoxPath(boxPath), sizeBytes)) {
      return { first: null, sizeBytes, sha256: null, offset: null };
    }
    const offset = this.#readBytes;
    const hash = createHash('sha256');
    for await (const chunk of packed.content) {
      hash.update(chunk);
      this.#readBytes += chunk.length;
      await this.#sink(chunk);
    }
    return { first: null, sizeBytes, sha256: hash.digest('hex'), offset };
  }

  /** The same words as the host's way uses. */
  #refuses(path: string, sizeBytes: number): boolean {
    const { fileBytes, totalBytes } = this.#limits;
    if (sizeBytes > fileBytes) {
      this.#truncated.add(`file of more than ${fileBytes} bytes not read: ${path}`);
    } else if (sizeBytes > totalBytes - this.#readBytes) {
      this.#truncated.add(`content beyond ${totalBytes} bytes not read: ${path}`);
    } else {
      return false;
    }
    return true;
  }
}

interface Content {
  /** The entry that a hard link names. */
  readonly first: SnapshotEntry | null;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly offset: number | null;
}

function unreadable(where: string, expected: string, actual: string, cause?: unknown): never {
  throw new DockerError('EVIDENCE_UNREADABLE', 'engine archive', { where, expected, actual, cause });
}
