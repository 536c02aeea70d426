import { isUtf8 } from 'node:buffer';

/**
 * The one text of a path or a link's target in a box, wherever it is written: in suites and fixtures, listings of
 * files and checks. Names on Linux are bytes. What is UTF-8 stands as it is; each byte that is part of no UTF-8
 * character is `%XX` in capital hexadecimal digits, and so is each percent sign (`%25`). Different bytes have
 * different texts, and bytes have one text.
 *
 * The verifier has an encoding of its own, which is deliberate.
 */
export function toBoxPath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8').replaceAll('%', '%25');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    text += character === null ? escapeByte(bytes[at] ?? 0) : toBoxPath(character);
    at += character?.length ?? 1;
  }
  return text;
}

/** The bytes of such a text. */
export function boxPathBytes(text: string): Buffer {
  if (!text.includes('%')) return Buffer.from(text, 'utf8');
  const parts = text.split(/(%[0-9A-F]{2})/);
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 1 ? Buffer.of(Number.parseInt(part.slice(1), 16)) : Buffer.from(part, 'utf8'),
    ),
  );
}

/** Whether a text is the one that its bytes have. */
export function isBoxPath(text: string): boolean {
  return toBoxPath(boxPathBytes(text)) === text;
}

/** The longest character of UTF-8, in bytes. */
const LONGEST_CHARACTER = 4;

function characterAt(bytes: Buffer, at: number): Buffer | null {
  for (let length = 1; length <= LONGEST_CHARACTER && at + length <= bytes.length; length += 1) {
    const part = bytes.subarray(at, at + length);
    if (isUtf8(part)) return part;
  }
  return null;
}

function escapeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
