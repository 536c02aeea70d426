/**
 * The frames between an engine adapter and the holder (`holder.pl`), the process 1 of a box.
 *
 * A frame is one byte of kind, four bytes of payload size (big-endian), and the payload. Commands go to
 * the holder's fd 0, events come from its fd 1. Strings inside a payload are a four-byte size and bytes.
 */

export const PROTOCOL_VERSION = 1;

/** A start frame holds argv and env, of which the kernel takes 2 MiB at most. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;

const HEADER_BYTES = 5;

/** Kinds of commands; `holder.pl` has the same table, and a test compares the two. */
export const COMMAND = {
  START: 0x01,
  STDIN: 0x02,
  CLOSE_STDIN: 0x03,
  CLOSE_OUTPUT: 0x04,
  SIGNAL: 0x05,
  FREEZE: 0x06,
  KILL_ALL: 0x07,
  DIRECTORY: 0x08,
  FILE_OPEN: 0x09,
  FILE_DATA: 0x0a,
  FILE_CLOSE: 0x0b,
  SYMLINK: 0x0c,
  FIFO: 0x0d,
  FLUSH: 0x0e,
  QUIT: 0x0f,
  SOCKET: 0x10,
  SPARSE: 0x11,
  TIMES: 0x12,
  REMOVE: 0x13,
} as const;

/** Kinds of events; `holder.pl` has the same table, and a test compares the two. */
export const EVENT = {
  READY: 0x41,
  STARTED: 0x42,
  NOT_STARTED: 0x43,
  CHUNK: 0x44,
  EOF: 0x45,
  ENDED: 0x46,
  STDIN_TAKEN: 0x47,
  STDIN_BROKEN: 0x48,
  FROZEN: 0x49,
  KILLED: 0x4a,
  FLUSHED: 0x4b,
  FAULT: 0x4f,
} as const;

export type StreamNumber = 1 | 2;

/** What the holder tells. `step` is the number that the start command gave. */
export type HolderEvent =
  | { readonly kind: 'ready'; readonly version: number; readonly pid: number }
  /** `oomErrno`: 0, or why the process could not be made the preferred victim of the memory cgroup. */
  | { readonly kind: 'started'; readonly step: number; readonly pid: number; readonly oomErrno: number }
  | { readonly kind: 'not-started'; readonly step: number; readonly errno: number }
  | { readonly kind: 'chunk'; readonly step: number; readonly stream: StreamNumber; readonly bytes: Buffer }
  | { readonly kind: 'eof'; readonly step: number; readonly stream: StreamNumber }
  /** `status` as waitpid gave it. */
  | { readonly kind: 'ended'; readonly step: number; readonly status: number }
  /** Bytes that the step's stdin pipe has taken since the start. */
  | { readonly kind: 'stdin-taken'; readonly step: number; readonly totalBytes: number }
  | { readonly kind: 'stdin-broken'; readonly step: number }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'killed'; readonly reaped: number; readonly complete: boolean }
  /** `failed` is the ordinal of the first entry that could not be made, when `errno` is not 0. */
  | { readonly kind: 'flushed'; readonly errno: number; readonly failed: number }
  | { readonly kind: 'fault'; readonly text: string };

/** Puts a payload into a frame of that kind. */
export function encodeFrame(kind: number, ...parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    1,
  );
  return Buffer.concat([header, ...parts]);
}

/** Four bytes, big-endian. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

/** A size and the bytes, of a text those of its UTF-8. */
export function encodeString(text: string | Buffer): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  return Buffer.concat([encodeNumber(bytes.length), bytes]);
}

/** A count and that many strings. */
export function encodeList(texts: readonly string[]): Buffer {
  return Buffer.concat([encodeNumber(texts.length), ...texts.map((text) => encodeString(text))]);
}

/** A payload that no holder of ours sends: the stream is lost, cut or somebody else's. */
export class ProtocolViolation extends RangeError {}

/**
 * Cuts a byte stream into events, however the stream is chunked.
 *
 * `push` returns the events that the bytes so far complete.
 * @throws {ProtocolViolation} on an unknown kind, an oversized frame or a payload of the wrong size.
 */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  push(bytes: Buffer): HolderEvent[] {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    const events: HolderEvent[] = [];
    for (let frame = this.#take(); frame !== null; frame = this.#take()) {
      events.push(parseEvent(frame));
    }
    return events;
  }

  /** Bytes of an unfinished frame; more than zero at the end of the stream means that it was cut. */
  get pendingBytes(): number {
    return this.#size;
  }

  #take(): Buffer | null {
    if (this.#size < HEADER_BYTES) {
      return null;
    }
    if ((this.#chunks[0]?.length ?? 0) < HEADER_BYTES) {
      this.#chunks = [Buffer.concat(this.#chunks)];
    }
    const payloadBytes = this.#chunks[0]?.readUInt32BE(1) ?? 0;
    if (payloadBytes > MAX_FRAME_BYTES) {
      throw new ProtocolViolation(`frame of ${payloadBytes} bytes`);
    }
    const frameBytes = HEADER_BYTES + payloadBytes;
    if (this.#size < frameBytes) {
      return null;
    }
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (all === undefined) {
      return null;
    }
    const rest = all.subarray(frameBytes);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    return all.subarray(0, frameBytes);
  }
}

function parseEvent(frame: Buffer): HolderEvent {
  const payload = frame.subarray(HEADER_BYTES);
  const kind = frame.readUInt8(0);
  switch (kind) {
    case EVENT.READY:
      requireSize(payload, 8);
      return { kind: 'ready', version: payload.readUInt32BE(0), pid: payload.readUInt32BE(4) };
    case EVENT.FROZEN:
      requireSize(payload, 0);
      return { kind: 'frozen' };
    case EVENT.KILLED:
      requireSize(payload, 5);
      return { kind: 'killed', reaped: payload.readUInt32BE(0), complete: payload.readUInt8(4) === 1 };
    case EVENT.FLUSHED:
      requireSize(payload, 8);
      return { kind: 'flushed', errno: payload.readUInt32BE(0), failed: payload.readUInt32BE(4) };
    case EVENT.FAULT:
      return { kind: 'fault', text: payload.toString('latin1') };
    default:
      return parseStepEvent(kind, payload);
  }
}

function parseStepEvent(kind: number, payload: Buffer): HolderEvent {
  const step = payload.length < 4 ? violate('payload without a step') : payload.readUInt32BE(0);
  switch (kind) {
    case EVENT.STARTED:
      requireSize(payload, 12);
      return { kind: 'started', step, pid: payload.readUInt32BE(4), oomErrno: payload.readUInt32BE(8) };
    case EVENT.NOT_STARTED:
      requireSize(payload, 8);
      return { kind: 'not-started', step, errno: payload.readUInt32BE(4) };
    case EVENT.CHUNK:
      return { kind: 'chunk', step, stream: parseStream(payload), bytes: payload.subarray(5) };
    case EVENT.EOF:
      requireSize(payload, 5);
      return { kind: 'eof', step, stream: parseStream(payload) };
    case EVENT.ENDED:
      requireSize(payload, 8);
      return { kind: 'ended', step, status: payload.readUInt32BE(4) };
    case EVENT.STDIN_TAKEN:
      requireSize(payload, 12);
      return { kind: 'stdin-taken', step, totalBytes: Number(payload.readBigUInt64BE(4)) };
    case EVENT.STDIN_BROKEN:
      requireSize(payload, 4);
      return { kind: 'stdin-broken', step };
    default:
      return violate(`frame of kind ${kind}`);
  }
}

function parseStream(payload: Buffer): StreamNumber {
  const stream = payload.length < 5 ? 0 : payload.readUInt8(4);
  return stream === 1 || stream === 2 ? stream : violate(`stream ${stream}`);
}

function requireSize(payload: Buffer, sizeBytes: number): void {
  if (payload.length !== sizeBytes) {
    violate(`payload of ${payload.length} bytes where ${sizeBytes} are due`);
  }
}

function violate(text: string): never {
  throw new ProtocolViolation(text);
}
