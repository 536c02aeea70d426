import { constants, crc32, inflateRawSync } from 'node:zlib';
import type { FindingList } from '../finding.ts';
import { type AuditLimits, GZIP_MEMBERS, RATIO_FLOOR_BYTES } from '../limits.ts';
import { looksLikeTar } from './header.ts';

/** What the compressed file held. `complete` is false when a fault hid a part of it. */
export interface Unpacked {
  readonly tar: Buffer;
  readonly complete: boolean;
}

export const WHOLE = 'candidate.tgz';
const NOTHING: Unpacked = { tar: Buffer.alloc(0), complete: false };
const TRAILER_BYTES = 8;

/** Largest piece that zlib hands out at once; large pieces make large archives fast. */
const MOST_CHUNK_BYTES = 1024 * 1024;
const LEAST_CHUNK_BYTES = 16 * 1024;

/** What is asked of every member: where it starts, and how many bytes it may still give. */
interface MemberRequest {
  readonly bytes: Buffer;
  readonly start: number;
  readonly allowance: number;
}

type Member =
  | { readonly kind: 'whole'; readonly content: Buffer; readonly end: number }
  | { readonly kind: 'damaged'; readonly content: Buffer }
  | { readonly kind: 'too-large' };

/**
 * Takes the archive's bytes out of gzip, one member after another, within the limits.
 *
 * A plain tar is taken as it is, with a finding. Decompression is bounded before it starts: zlib stops at
 * the allowed number of bytes. Source: RFC 1952.
 */
export function unpackGzip(bytes: Buffer, limits: AuditLimits, findings: FindingList): Unpacked {
  if (bytes.length === 0) {
    findings.add('ARCHIVE_EMPTY', WHOLE, { expected: 'a gzip file', actual: '0 bytes' });
    return NOTHING;
  }
  if (bytes.length > limits.archiveBytes) {
    findings.add('ARCHIVE_TOO_LARGE', WHOLE, {
      expected: `at most ${limits.archiveBytes} bytes`,
      actual: `${bytes.length} bytes`,
    });
    return NOTHING;
  }
  if (!isGzip(bytes, 0)) return takePlain(bytes, limits, findings);
  return unpackMembers(bytes, limits, findings);
}

function takePlain(bytes: Buffer, limits: AuditLimits, findings: FindingList): Unpacked {
  if (!looksLikeTar(bytes)) {
    findings.add('ARCHIVE_UNREADABLE', WHOLE, {
      expected: 'the bytes 1f 8b',
      actual: bytes.subarray(0, 4).toString('hex'),
    });
    return NOTHING;
  }
  findings.add('GZIP_MISSING', WHOLE, { expected: 'a gzip file', actual: 'a plain tar' });
  if (bytes.length > limits.unpackedBytes) {
    reportTooLarge(bytes.length, limits, findings);
    return NOTHING;
  }
  return { tar: bytes, complete: true };
}

function unpackMembers(bytes: Buffer, limits: AuditLimits, findings: FindingList): Unpacked {
  const byRatio = Math.max(bytes.length * limits.ratio, RATIO_FLOOR_BYTES);
  const most = Math.min(limits.unpackedBytes, byRatio);
  const parts: Buffer[] = [];
  let start = 0;
  let total = 0;
  while (start < bytes.length && isGzip(bytes, start)) {
    if (parts.length === GZIP_MEMBERS) {
      findings.add('GZIP_MEMBERS_TOO_MANY', WHOLE, {
        expected: 'one gzip member',
        actual: `more than ${GZIP_MEMBERS}`,
      });
      return { tar: Buffer.concat(parts), complete: false };
    }
    const member = unpackMember({ bytes, start, allowance: most - total }, findings);
    if (member.kind === 'too-large') {
      reportTooLarge(most, limits, findings);
      return NOTHING;
    }
    parts.push(member.content);
    if (member.kind === 'damaged') return { tar: Buffer.concat(parts), complete: false };
    total += member.content.length;
    start = member.end;
  }
  checkFrame(parts.length, bytes.subarray(start), findings);
  return { tar: parts.length === 1 ? (parts[0] ?? NOTHING.tar) : Buffer.concat(parts), complete: true };
}

function checkFrame(members: number, rest: Buffer, findings: FindingList): void {
  if (members > 1) {
    findings.add('GZIP_SEVERAL_MEMBERS', WHOLE, {
      expected: 'one gzip member',
      actual: `${members} members`,
    });
  }
  if (rest.length > 0) {
    findings.add('GZIP_TRAILING_BYTES', WHOLE, {
      expected: 'nothing after the gzip member',
      actual: `${rest.length} bytes`,
    });
  }
}

function reportTooLarge(reached: number, limits: AuditLimits, findings: FindingList): void {
  if (reached >= limits.unpackedBytes) {
    findings.add('UNPACKED_TOO_LARGE', WHOLE, {
      expected: `at most ${limits.unpackedBytes} bytes unpacked`,
      actual: 'more',
    });
    return;
  }
  findings.add('RATIO_TOO_HIGH', WHOLE, {
    expected: `at most ${limits.ratio} unpacked bytes for each packed byte`,
    actual: 'more',
  });
}

function unpackMember(request: MemberRequest, findings: FindingList): Member {
  const body = findBody(request.bytes, request.start);
  if (body === null) {
    findings.add('GZIP_HEADER_INVALID', WHOLE, {
      expected: 'a header by RFC 1952',
      actual: `offset ${request.start}`,
    });
    return { kind: 'damaged', content: Buffer.alloc(0) };
  }
  const inflated = inflate(request.bytes.subarray(body), request.allowance);
  if (inflated.kind === 'too-large') return inflated;
  if (inflated.kind === 'corrupt') {
    findings.add('GZIP_CORRUPT', WHOLE, {
      expected: 'a deflate stream',
      actual: `damaged data after offset ${body}`,
    });
    return { kind: 'damaged', content: Buffer.alloc(0) };
  }
  return closeMember(request, { content: inflated.content, end: body + inflated.consumed }, findings);
}

function closeMember(
  request: MemberRequest,
  body: { readonly content: Buffer; readonly end: number },
  findings: FindingList,
): Member {
  const { bytes } = request;
  if (body.end + TRAILER_BYTES > bytes.length) {
    findings.add('GZIP_TRUNCATED', WHOLE, {
      expected: 'checksum and length at the end',
      actual: `end of file at ${bytes.length}`,
    });
    return { kind: 'damaged', content: body.content };
  }
  const checksum = crc32(body.content);
  const length = body.content.length % 2 ** 32;
  if (bytes.readUInt32LE(body.end) !== checksum || bytes.readUInt32LE(body.end + 4) !== length) {
    findings.add('GZIP_CHECKSUM', WHOLE, {
      expected: bytes.subarray(body.end, body.end + TRAILER_BYTES).toString('hex'),
      actual: `crc32 ${checksum.toString(16)}, ${length} bytes`,
    });
  }
  return { kind: 'whole', content: body.content, end: body.end + TRAILER_BYTES };
}

function isGzip(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

/** Where the deflate stream of a member starts, or null when its header is not valid. RFC 1952 section 2.3. */
function findBody(bytes: Buffer, start: number): number | null {
  const flags = bytes[start + 3];
  if (bytes[start + 2] !== 8 || flags === undefined || (flags & 0xe0) !== 0) return null;
  let at = start + 10;
  if ((flags & 4) !== 0) {
    if (at + 2 > bytes.length) return null;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return null;
    at = end + 1;
  }
  if ((flags & 2) !== 0) at += 2;
  return at < bytes.length ? at : null;
}

type Inflated =
  | { readonly kind: 'done'; readonly content: Buffer; readonly consumed: number }
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'too-large' };

/** A cut-off stream gives what it held; the missing trailer then tells that it was cut. */
function inflate(body: Buffer, allowance: number): Inflated {
  const wanted = Math.max(LEAST_CHUNK_BYTES, Math.min(MOST_CHUNK_BYTES, body.length * 4));
  try {
    const result: unknown = inflateRawSync(body, {
      info: true,
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: wanted,
      maxOutputLength: Math.max(1, allowance),
    });
    return parseInflated(result);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too-large' };
    return { kind: 'corrupt' };
  }
}

/** With `info`, zlib also returns its engine, whose `bytesWritten` counts the input it took. */
function parseInflated(result: unknown): Inflated {
  if (typeof result !== 'object' || result === null || !('buffer' in result) || !('engine' in result)) {
    return { kind: 'corrupt' };
  }
  const { buffer, engine } = result;
  if (!Buffer.isBuffer(buffer) || typeof engine !== 'object' || engine === null) return { kind: 'corrupt' };
  const consumed = 'bytesWritten' in engine ? engine.bytesWritten : undefined;
  return typeof consumed === 'number' ? { kind: 'done', content: buffer, consumed } : { kind: 'corrupt' };
}
