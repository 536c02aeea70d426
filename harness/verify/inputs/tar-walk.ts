import { createGunzip } from 'node:zlib';
import type { FileSource } from '../files/source.ts';
import { readChunks } from '../read.ts';

/** An entry of an archive that describes something to be unpacked. */
export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly mode: number;
  readonly sizeBytes: number;
  readonly linkTarget: string;
  /** The link is another name of a file of the archive. */
  readonly isHardLink: boolean;
}

/** Takes the content of a file in pieces; told once more, with null, when it is whole. */
export type TakeContent = (piece: Buffer | null) => void;

const BLOCK = 512;
/** Bytes of an unpacked archive that are looked at; a larger one was never installed. */
const UNPACKED_LIMIT = 4 * 1024 * 1024 * 1024;
/** Bytes of an extension header; real ones are a few hundred. */
const EXTENSION_LIMIT = 1024 * 1024;
const DEFAULT_MODE = 0o666;

/** How a walk ended. */
export interface Walked {
  /**
   * Why it stopped, null at the end of the archive: what this reader does not understand is never guessed at,
   * because the installer might read it otherwise.
   */
  readonly fault: string | null;
  /** Bytes of the tar file itself, padding included. */
  readonly unpackedBytes: number;
}

/**
 * Walks the entries of a gzipped or plain tar file in order, in constant memory.
 *
 * Source: POSIX.1-2017 pax, ustar and extended headers; GNU long names.
 */
export async function walkTar(
  source: FileSource,
  path: string,
  visit: (entry: TarEntry) => TakeContent | null,
): Promise<Walked> {
  return walkStream(unpack(source, path), visit);
}

/** The same for a tar that something else unpacks. */
export async function walkStream(
  stream: AsyncGenerator<Buffer, void, undefined>,
  visit: (entry: TarEntry) => TakeContent | null,
): Promise<Walked> {
  const reader = new BlockReader(stream);
  let fault: string | null;
  try {
    fault = await new Walk(reader, visit).run();
    if (fault === null) await reader.drain();
  } catch (error) {
    fault = error instanceof Error ? error.message : 'unreadable';
  } finally {
    await reader.close();
  }
  return { fault, unpackedBytes: reader.takenBytes };
}

async function* unpack(source: FileSource, path: string): AsyncGenerator<Buffer, void, undefined> {
  const chunks = readChunks(source, path);
  const first = chunks.next();
  if (first.done === true) return;
  const isGzip = first.value[0] === 0x1f && first.value[1] === 0x8b;
  if (!isGzip) {
    yield first.value;
    yield* chunks;
    return;
  }
  const gunzip = createGunzip();
  const feed = async (): Promise<void> => {
    for (let next: IteratorResult<Buffer, void> = first; next.done !== true; next = chunks.next()) {
      if (!gunzip.write(next.value)) await new Promise((resolve) => gunzip.once('drain', resolve));
    }
    gunzip.end();
  };
  // An archive that cannot be unpacked ends the loop below with its error; the feeding then has no one to wait for.
  void feed().catch(() => undefined);
  try {
    for await (const piece of gunzip) yield Buffer.from(piece);
  } finally {
    gunzip.destroy();
  }
}

/** Cuts a stream of chunks into what is asked for. */
class BlockReader {
  readonly #source: AsyncGenerator<Buffer, void, undefined>;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(source: AsyncGenerator<Buffer, void, undefined>) {
    this.#source = source;
  }

  /** Exactly `sizeBytes` bytes; null when the stream ends before the first of them. */
  async take(sizeBytes: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    const whole = await this.each(sizeBytes, (piece) => pieces.push(piece));
    if (whole) return Buffer.concat(pieces);
    if (pieces.length === 0) return null;
    throw new Error('the archive ends within an entry');
  }

  /** Hands over the next bytes piece by piece; false when the stream ends before. */
  async each(sizeBytes: number, use: (piece: Buffer) => void): Promise<boolean> {
    let left = sizeBytes;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) return false;
        this.#rest = next.value;
        continue;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      this.#taken += piece.length;
      if (this.#taken > UNPACKED_LIMIT) throw new Error('the archive is too large');
      use(piece);
    }
    return true;
  }

  get takenBytes(): number {
    return this.#taken;
  }

  /** What follows the end of the archive is padding, which counts. */
  async drain(): Promise<void> {
    while (await this.each(BLOCK, () => undefined));
  }

  async close(): Promise<void> {
    await this.#source.return(undefined);
  }
}

interface Header extends TarEntry {
  readonly type: string;
}

/** What extension headers say of the entry that follows. */
type Extension = ReadonlyMap<string, string>;

class Walk {
  readonly #reader: BlockReader;
  readonly #visit: (entry: TarEntry) => TakeContent | null;
  #extension: Extension = new Map();

  constructor(reader: BlockReader, visit: (entry: TarEntry) => TakeContent | null) {
    this.#reader = reader;
    this.#visit = visit;
  }

  async run(): Promise<string | null> {
    let zeros = 0;
    while (zeros < 2) {
      const block = await this.#reader.take(BLOCK);
      if (block === null) return null;
      if (block.every((byte) => byte === 0)) {
        zeros += 1;
        continue;
      }
      zeros = 0;
      const fault = await this.#entry(block);
      if (fault !== null) return fault;
    }
    return null;
  }

  async #entry(block: Buffer): Promise<string | null> {
    const header = parseHeader(block, this.#extension);
    if (typeof header === 'string') return header;
    if ('xLK'.includes(header.type)) return this.#extend(header);
    // Global headers and types that npm's reader skips say nothing that is unpacked.
    if (header.type === 'g') return 'a global extended header';
    this.#extension = new Map();
    const take = this.#visit(header);
    const whole = await this.#reader.each(header.sizeBytes, (piece) => take?.(piece));
    take?.(null);
    return whole && (await this.#pad(header.sizeBytes)) ? null : 'the archive ends within an entry';
  }

  async #extend({ type, sizeBytes }: Header): Promise<string | null> {
    if (sizeBytes > EXTENSION_LIMIT) return 'a large extension header';
    const content = await this.#reader.take(sizeBytes);
    if (content === null || !(await this.#pad(sizeBytes))) return 'the archive ends within an entry';
    const said =
      type === 'x'
        ? parseExtension(content)
        : new Map([[type === 'L' ? 'path' : 'linkpath', toText(content)]]);
    if (typeof said === 'string') return said;
    this.#extension = new Map([...this.#extension, ...said]);
    return null;
  }

  #pad(sizeBytes: number): Promise<boolean> {
    return this.#reader.each((BLOCK - (sizeBytes % BLOCK)) % BLOCK, () => undefined);
  }
}

const KINDS: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '3': 'other',
  '4': 'other',
  '5': 'directory',
  '6': 'other',
};

function parseHeader(block: Buffer, extension: Extension): Header | string {
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== parseOctal(block, 148, 8)) return 'a header with a wrong checksum';
  const written = String.fromCharCode(block[156] ?? 0);
  const type = written === '\0' ? '0' : written;
  const path = extension.get('path') ?? ownPath(block);
  const size = parseOctal(block, 124, 12);
  const mode = parseOctal(block, 100, 8);
  if (size === null || mode === null) return 'a number in another form';
  const isFolder = type === '5' || (type === '0' && path.endsWith('/'));
  const kind = isFolder ? 'directory' : KINDS[type];
  if (kind === undefined && !'xgLK'.includes(type)) return `an entry of type ${JSON.stringify(type)}`;
  return {
    type,
    path,
    kind: kind ?? 'other',
    mode: (mode === -1 ? DEFAULT_MODE : mode) & 0o7777,
    sizeBytes: isFolder ? 0 : Number(extension.get('size') ?? Math.max(0, size)),
    isHardLink: type === '1',
    linkTarget: extension.get('linkpath') ?? toText(block.subarray(157, 257)),
  };
}

/** Name and, in the ustar form, the prefix before it. */
function ownPath(block: Buffer): string {
  const name = toText(block.subarray(0, 100));
  if (block.toString('latin1', 257, 265) !== 'ustar\u000000') return name;
  const prefix = toText(block.subarray(345, block[475] === 0 ? 475 : 500));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** -1 for an empty field, null for another form. */
function parseOctal(block: Buffer, start: number, length: number): number | null {
  const text = toText(block.subarray(start, start + length)).trim();
  if (text === '') return -1;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : null;
}

/** Up to the first NUL. */
function toText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

/** Keys that change nothing of what is unpacked. */
const IDLE_KEY = /^(mtime|atime|ctime|uid|gid|uname|gname|comment|charset|(SCHILY|LIBARCHIVE)\..+)$/;

/** Records of `length key=value`, with `length` the bytes of the whole record. */
function parseExtension(content: Buffer): Extension | string {
  const said = new Map<string, string>();
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(0x20, start);
    const length = Number(content.toString('latin1', start, space === -1 ? start : space));
    if (!Number.isSafeInteger(length) || length <= 0 || start + length > content.length)
      return 'a broken extension header';
    const record = content.toString('utf8', space + 1, start + length - 1);
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (key === 'path' || key === 'linkpath') said.set(key, record.slice(equals + 1));
    else if (key === 'size' && /^[0-9]{1,15}$/.test(record.slice(equals + 1)))
      said.set(key, record.slice(equals + 1));
    else if (!IDLE_KEY.test(key)) return `an extension of the name ${JSON.stringify(key.slice(0, 40))}`;
    start += length;
  }
  return said;
}
