const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;
/** First byte of the C1 controls in UTF-8. */
const C1_LEAD = 0xc2;

/** UTF-8 as text, each maximal invalid part U+FFFD, a byte order mark kept. Source: WHATWG Encoding. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Valid UTF-8 throughout and no byte order mark in front. */
export function isPlainUtf8(bytes: Buffer): boolean {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return false;
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** ESC, or a control of the C1 range, which needs its lead byte directly before it. */
export function steersTerminal(bytes: Buffer): boolean {
  if (bytes.includes(ESCAPE)) return true;
  for (let at = bytes.indexOf(C1_LEAD); at !== -1; at = bytes.indexOf(C1_LEAD, at + 1)) {
    const next = bytes[at + 1];
    if (next !== undefined && next >= 0x80 && next <= 0x9f) return true;
  }
  return false;
}

/** Nothing but ASCII white space. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  return true;
}

/** Lines that are not blank, without their line feed and one carriage return before it; the tail is a line. */
export function* inkedLines(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const next = feed === -1 ? bytes.length : feed;
    const end = next > start && bytes[next - 1] === CARRIAGE_RETURN ? next - 1 : next;
    const line = bytes.subarray(start, end);
    start = next + 1;
    if (!isBlank(line)) yield line;
  }
}
