import { KeptSource } from './files/kept-source.ts';
import { type Change, OverlaySource, type Piece } from './files/overlay-source.ts';
import { type Expectations, type Verdict, verifySource, verifyToFirst } from './verify.ts';

/** A request is one line; one that is longer than an index of very many files can need is refused. */
const LINE_BYTES = 128 * 1024 * 1024;

/** The answer to one request, as one line. `fault`: the verifier broke off and has not judged. */
export type OverlayAnswer =
  | { readonly id: number; readonly verdict: Verdict }
  | { readonly id: number; readonly fault: string };

/** A request that is none. */
export class OverlayRequestError extends Error {}

/**
 * Judges the same bundle under one set of changes after another, as asked for line by line, without writing
 * anything: each as if it had been made on disk, by the same code.
 *
 * A request is `{"id":1,"changes":[{"path":…,"kind":…}]}`; see {@link Change}, where pieces of bytes are base64.
 * With `"first":true` a verdict ends with its first finding.
 * @throws {OverlayRequestError} for a line that is no request
 */
export async function judgeOverlays(
  root: string,
  expectations: Expectations,
  streams: { readonly input: AsyncIterable<Buffer>; readonly answer: (line: string) => void },
): Promise<void> {
  const base = new KeptSource(root);
  for await (const line of linesOf(streams.input)) {
    const { id, first, changes } = parseRequest(line);
    const source = new OverlaySource(base, changes);
    const judge = first ? verifyToFirst : verifySource;
    let answer: OverlayAnswer;
    try {
      answer = { id, verdict: await judge(source, root, expectations) };
    } catch (fault) {
      answer = { id, fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) };
    }
    streams.answer(`${JSON.stringify(answer)}\n`);
  }
}

async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of input) {
    let start = 0;
    for (let feed = chunk.indexOf(0x0a); feed !== -1; feed = chunk.indexOf(0x0a, start)) {
      pieces.push(chunk.subarray(start, feed));
      yield Buffer.concat(pieces).toString('utf8');
      pieces = [];
      sizeBytes = 0;
      start = feed + 1;
    }
    pieces.push(chunk.subarray(start));
    sizeBytes += chunk.length - start;
    if (sizeBytes > LINE_BYTES) throw new OverlayRequestError(`a line of more than ${LINE_BYTES} bytes`);
  }
  if (sizeBytes > 0) throw new OverlayRequestError('a last line without its end');
}

interface OverlayRequest {
  readonly id: number;
  readonly first: boolean;
  readonly changes: ReadonlyMap<string, Change>;
}

function parseRequest(line: string): OverlayRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new OverlayRequestError('a line that is no JSON');
  }
  const { id, first = false, changes } = asRecord(value);
  if (typeof id !== 'number' || typeof first !== 'boolean' || !Array.isArray(changes))
    throw new OverlayRequestError('expected id and changes');
  return { id, first, changes: new Map(changes.map((change: unknown) => parseChange(asRecord(change)))) };
}

function parseChange(record: Readonly<Record<string, unknown>>): readonly [string, Change] {
  const { path, kind, to, pieces } = record;
  if (typeof path !== 'string' || path === '') throw new OverlayRequestError('expected a path');
  if (kind === 'deleted' || kind === 'folder' || kind === 'special') return [path, { kind }];
  if (kind === 'link' && typeof to === 'string') return [path, { kind, to }];
  if (kind === 'file' && Array.isArray(pieces)) {
    return [path, { kind, pieces: pieces.map((piece: unknown) => parsePiece(asRecord(piece))) }];
  }
  throw new OverlayRequestError(`no such change: ${String(kind)}`);
}

function parsePiece({
  kind,
  base64,
  path,
  start,
  end,
  byte,
  sizeBytes,
}: Readonly<Record<string, unknown>>): Piece {
  if (kind === 'bytes' && typeof base64 === 'string') return { kind, bytes: Buffer.from(base64, 'base64') };
  if (kind === 'base' && typeof path === 'string' && isRange(start, end)) {
    return { kind, path, start: Number(start), end: Number(end) };
  }
  if (kind === 'fill' && isRange(0, byte) && isRange(0, sizeBytes)) {
    return { kind, byte: Number(byte), sizeBytes: Number(sizeBytes) };
  }
  throw new OverlayRequestError(`no such piece: ${String(kind)}`);
}

function isRange(start: unknown, end: unknown): boolean {
  return (
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(end) &&
    Number(start) >= 0 &&
    Number(end) >= Number(start)
  );
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return { ...value };
  throw new OverlayRequestError('expected an object');
}
