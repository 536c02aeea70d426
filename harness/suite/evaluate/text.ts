import { isUtf8 } from 'node:buffer';
import { quoteText } from '../../document/fault.ts';
import { MESSAGE_TEXT_LIMIT } from '../limits.ts';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** Escapes that steer a terminal: ESC, and the C1 range as UTF-8. */
const ESCAPE_CHARACTERS = /[\u001b\u0080-\u009f]/;

/** UTF-8 as text; each maximal invalid part becomes U+FFFD (WHATWG Encoding), a BOM stays. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
}

export function isCleanUtf8(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.subarray(0, BOM.length).equals(BOM);
}

export function hasEscapes(text: string): boolean {
  return ESCAPE_CHARACTERS.test(text);
}

/** Only white space as ASCII has it: what a terminal shows as nothing. */
export function isBlank(bytes: Buffer): boolean {
  return indexOfInk(bytes, 0) === bytes.length;
}

/** The first byte at or after `start` that is no white space, or the length. A loop: there may be millions. */
function indexOfInk(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length) {
    const byte = bytes[index] ?? 0;
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) break;
    index += 1;
  }
  return index;
}

/** The beginning of candidate bytes for a message, escaped. */
export function showBytes(bytes: Buffer): string {
  if (bytes.length === 0) return 'no bytes';
  return showText(decodeText(bytes.subarray(0, MESSAGE_TEXT_LIMIT * 4)));
}

/** The beginning of a candidate's text for a message, escaped. */
export function showText(text: string): string {
  return `"${quoteText(text, MESSAGE_TEXT_LIMIT)}"`;
}

/**
 * Two texts for a message, both from the line on in which they part when that is not near the beginning; `from` says
 * so. Never from within a line: what a message must not say is looked for from the beginning of lines.
 */
export function showDifference(
  bytes: Buffer,
  content: Buffer,
): { readonly from: string; readonly seen: string; readonly expected: string } {
  const parting = partingOf(bytes, content);
  if (parting < MESSAGE_TEXT_LIMIT / 2) {
    return { from: '', seen: showBytes(bytes), expected: showBytes(content) };
  }
  const line = parting === 0 ? 0 : bytes.lastIndexOf(0x0a, parting - 1) + 1;
  const far = parting - line >= MESSAGE_TEXT_LIMIT / 2 ? `, other from byte ${parting} on,` : '';
  const number = countLines(bytes.subarray(0, line)) + 1;
  return {
    from: number === 1 ? far : ` from line ${number} on${far}`,
    seen: showBytes(bytes.subarray(line)),
    expected: showBytes(content.subarray(line)),
  };
}

/** The first byte in which they differ, or the length of the shorter. */
function partingOf(left: Buffer, right: Buffer): number {
  const most = Math.min(left.length, right.length);
  let index = 0;
  while (index < most && left[index] === right[index]) index += 1;
  return index;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x0a) count += 1;
  return count;
}

/**
 * Lines of kept bytes: split at line feed, one carriage return dropped, blank ones left out, the unterminated
 * tail included. One at a time, because a candidate may send millions.
 */
export function* splitLines(bytes: Buffer): Generator<string, void, undefined> {
  let start = 0;
  while (start < bytes.length) {
    // A run of blank lines is passed over at once; what stands before the ink on its own line belongs to it.
    const ink = indexOfInk(bytes, start);
    if (ink === bytes.length) return;
    start = Math.max(start, bytes.lastIndexOf(0x0a, ink) + 1);
    const feed = bytes.indexOf(0x0a, ink);
    const end = feed === -1 ? bytes.length : feed;
    yield decodeText(bytes.subarray(start, bytes[end - 1] === 0x0d ? end - 1 : end));
    start = end + 1;
  }
}
