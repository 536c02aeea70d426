import type { Readable } from 'node:stream';
import { DockerError } from './errors.ts';

/**
 * One entry of a tar stream. Names are raw bytes, because a candidate chooses them: library readers decode
 * pax names as UTF-8 and so merge names that differ.
 */
export interface TarEntry {
  /** Without a leading `./` or `/` and without a trailing slash. */
  readonly path: Buffer;
  readonly type: TarType;
  readonly linkTarget: Buffer;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  /** Must be read before the next entry is asked for; what is left unread is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

export type TarType =
  | 'file'
  | 'hard-link'
  | 'symlink'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo';

const BLOCK_BYTES = 512;
/** Names and pax records are in memory at once; Linux paths end at 4 KiB, archives nest somewhat deeper. */
const RECORD_LIMIT_BYTES = 1 << 20;

const TYPES: Readonly<Record<string, TarType>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hard-link',
  '2': 'symlink',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
};

/**
 * Reads ustar, pax and GNU long names, as Go's archive/tar writes them (the writer of every engine).
 *
 * Input is streamed: only headers and records are held. Ends at the first zero block; a stream that stops
 * before it is a fault, since a cut answer must not look like a shorter tree.
 * Source: POSIX.1-2017 pax, ustar Interchange Format.
 * @throws {DockerError} EVIDENCE_UNREADABLE
 */
export async function* readTar(stream: Readable): AsyncGenerator<TarEntry> {
  try {
    yield* readEntries(new ByteSource(stream));
  } finally {
    // A consumer that leaves early must not leave the engine writing into a full socket.
    stream.destroy();
  }
}

async function* readEntries(source: ByteSource): AsyncGenerator<TarEntry> {
  let records = new Map<string, Buffer>();
  for (;;) {
    const block = await source.take(BLOCK_BYTES);
    if (block.every((byte) => byte === 0)) {
      // The rest is padding; it is read so that the connection can be used again.
      await source.skipAll();
      return;
    }
    checkSum(block);
    const type = String.fromCharCode(block[156] ?? 0);
    const sizeBytes = readSize(block, records);
    if (type === 'x' || type === 'L' || type === 'K') {
      addRecords(records, type, await takeRecord(source, sizeBytes));
      continue;
    }
    if (type === 'g') {
      await takeRecord(source, sizeBytes);
      continue;
    }
    const content = source.window(sizeBytes);
    yield toEntry(block, { type, sizeBytes, records, content });
    records = new Map();
    for await (const _ of content) {
      // Skips what the consumer left.
    }
    await source.take(padding(sizeBytes));
  }
}

async function takeRecord(source: ByteSource, sizeBytes: number): Promise<Buffer> {
  if (sizeBytes > RECORD_LIMIT_BYTES) {
    throw unreadable(`extended header below ${RECORD_LIMIT_BYTES} bytes`, String(sizeBytes));
  }
  const record = await source.take(sizeBytes);
  await source.take(padding(sizeBytes));
  return record;
}

function padding(sizeBytes: number): number {
  return (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

function checkSum(block: Buffer): void {
  let sum = 0;
  for (const [index, byte] of block.entries()) {
    sum += index >= 148 && index < 156 ? 0x20 : byte;
  }
  if (sum !== readNumber(block.subarray(148, 156))) {
    throw unreadable('a header checksum', 'another');
  }
}

function addRecords(records: Map<string, Buffer>, type: string, bytes: Buffer): void {
  if (type !== 'x') {
    records.set(type === 'L' ? 'path' : 'linkpath', cutAtZero(bytes));
    return;
  }
  let rest = bytes;
  while (rest.length > 0) {
    const space = rest.indexOf(0x20);
    const length = Number(rest.subarray(0, Math.max(space, 0)).toString('latin1'));
    const equals = rest.indexOf(0x3d);
    const isRecord = space > 0 && equals > space && length > equals && length <= rest.length;
    if (!Number.isSafeInteger(length) || !isRecord) {
      throw unreadable('a pax record', rest.subarray(0, 40).toString('latin1'));
    }
    records.set(
      rest.subarray(space + 1, equals).toString('latin1'),
      Buffer.from(rest.subarray(equals + 1, length - 1)),
    );
    rest = rest.subarray(length);
  }
}

interface EntryParts {
  readonly type: string;
  readonly sizeBytes: number;
  readonly records: ReadonlyMap<string, Buffer>;
  readonly content: AsyncIterable<Buffer>;
}

function toEntry(block: Buffer, parts: EntryParts): TarEntry {
  const type = TYPES[parts.type];
  if (type === undefined) {
    throw unreadable('a known entry type', JSON.stringify(parts.type));
  }
  const seconds = decimalRecord(parts.records, 'mtime') ?? readNumber(block.subarray(136, 148));
  return {
    path: trimPath(parts.records.get('path') ?? readUstarName(block)),
    type,
    linkTarget: parts.records.get('linkpath') ?? cutAtZero(block.subarray(157, 257)),
    mode: readNumber(block.subarray(100, 108)) & 0o7777,
    uid: decimalRecord(parts.records, 'uid') ?? readNumber(block.subarray(108, 116)),
    gid: decimalRecord(parts.records, 'gid') ?? readNumber(block.subarray(116, 124)),
    mtimeMs: Math.floor(seconds * 1000),
    sizeBytes: type === 'file' ? parts.sizeBytes : 0,
    content: parts.content,
  };
}

/** Links carry the size of what they name in some writers; only what the block says follows as bytes. */
function readSize(block: Buffer, records: ReadonlyMap<string, Buffer>): number {
  const size = decimalRecord(records, 'size') ?? readNumber(block.subarray(124, 136));
  if (!Number.isSafeInteger(size) || size < 0) {
    throw unreadable('an entry size', String(size));
  }
  return size;
}

function decimalRecord(records: ReadonlyMap<string, Buffer>, key: string): number | null {
  const text = records.get(key)?.toString('latin1');
  return text === undefined || !/^-?\d+(\.\d+)?$/.test(text) ? null : Number(text);
}

function readUstarName(block: Buffer): Buffer {
  const name = cutAtZero(block.subarray(0, 100));
  const isUstar = block.subarray(257, 263).toString('latin1') === 'ustar\0';
  const prefix = isUstar ? cutAtZero(block.subarray(345, 500)) : Buffer.alloc(0);
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]);
}

/** Octal digits, or big-endian binary when the first bit is set (GNU, for sizes and times beyond octal). */
function readNumber(field: Buffer): number {
  const first = field[0] ?? 0;
  if ((first & 0x80) !== 0) {
    const negative = (first & 0x40) !== 0;
    let value = negative ? (first | 0x80) - 0x100 : first & 0x7f;
    for (const byte of field.subarray(1)) {
      value = value * 256 + byte;
    }
    return value;
  }
  const text = cutAtZero(field).toString('latin1').trim();
  if (!/^[0-7]*$/.test(text)) {
    throw unreadable('an octal number', text);
  }
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function cutAtZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
}

function trimPath(path: Buffer): Buffer {
  let start = 0;
  let end = path.length;
  while (path[start] === 0x2f || (path[start] === 0x2e && path[start + 1] === 0x2f)) {
    start += path[start] === 0x2f ? 1 : 2;
  }
  while (end > start && path[end - 1] === 0x2f) {
    end -= 1;
  }
  return path.subarray(start, end);
}

function unreadable(expected: string, actual: string): DockerError {
  return new DockerError('EVIDENCE_UNREADABLE', 'engine archive', { where: 'tar', expected, actual });
}

/** Pulls exact amounts out of a chunked stream without copying more than a header. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async take(sizeBytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.window(sizeBytes)) {
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** The next `sizeBytes`, once: iterating it again goes on where the first iteration stopped. */
  window(sizeBytes: number): AsyncIterable<Buffer> {
    const iterator = this.#pull(sizeBytes);
    // `return` is left out on purpose: leaving a loop early must not end the window, so that the rest is skipped.
    return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
  }

  async skipAll(): Promise<void> {
    while (!(await this.#chunks.next()).done) {
      // Padding after the end mark.
    }
  }

  async *#pull(sizeBytes: number): AsyncGenerator<Buffer> {
    let left = sizeBytes;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) {
          throw unreadable(`${left} more bytes`, 'the end of the stream');
        }
        this.#rest = next.value;
        continue;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
