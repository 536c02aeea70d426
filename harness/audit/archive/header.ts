import { type NumberField, readNumberField } from './number-field.ts';

export const BLOCK_BYTES = 512;

/** The format a header says it has. */
export type HeaderFormat = 'ustar' | 'gnu' | 'v7' | 'unknown';

/** One raw 512-byte header, split into its fields but not interpreted. */
export interface RawHeader {
  readonly checksumMatches: boolean;
  readonly format: HeaderFormat;
  readonly typeFlag: string;
  /** Name with the ustar prefix in front, up to its first zero byte. */
  readonly name: Buffer;
  readonly linkName: Buffer;
  /** Bytes other than zero stand behind the zero byte that ends a name. */
  readonly hasBytesAfterNul: boolean;
  readonly mode: NumberField;
  readonly uid: NumberField;
  readonly gid: NumberField;
  readonly size: NumberField;
  readonly mtime: NumberField;
  readonly owner: string;
  readonly group: string;
}

const SLASH = Buffer.from('/');

/** Splits the header at `offset`; the caller has made sure that 512 bytes are there. */
export function readHeader(tar: Buffer, offset: number): RawHeader {
  const block = tar.subarray(offset, offset + BLOCK_BYTES);
  const format = readFormat(block);
  const name = block.subarray(0, 100);
  const linkName = block.subarray(157, 257);
  const prefix = format === 'ustar' ? block.subarray(345, 500) : block.subarray(345, 345);
  return {
    checksumMatches: hasRightChecksum(block),
    format,
    typeFlag: String.fromCharCode(block[156] ?? 0),
    name: joinName(untilNul(prefix), untilNul(name)),
    linkName: untilNul(linkName),
    hasBytesAfterNul: [name, linkName].some(goesOnAfterNul),
    mode: readNumberField(block.subarray(100, 108)),
    uid: readNumberField(block.subarray(108, 116)),
    gid: readNumberField(block.subarray(116, 124)),
    size: readNumberField(block.subarray(124, 136)),
    mtime: readNumberField(block.subarray(136, 148)),
    owner: format === 'v7' ? '' : untilNul(block.subarray(265, 297)).toString('latin1'),
    group: format === 'v7' ? '' : untilNul(block.subarray(297, 329)).toString('latin1'),
  };
}

/** Whether the bytes begin with a header whose checksum is right; tells a plain tar from anything else. */
export function looksLikeTar(bytes: Buffer): boolean {
  return bytes.length >= BLOCK_BYTES && hasRightChecksum(bytes.subarray(0, BLOCK_BYTES));
}

export function isZero(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

/** The part of a field before its first zero byte. */
export function untilNul(field: Buffer): Buffer {
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}

function goesOnAfterNul(field: Buffer): boolean {
  const end = field.indexOf(0);
  return end >= 0 && !isZero(field.subarray(end));
}

function joinName(prefix: Buffer, name: Buffer): Buffer {
  return prefix.length === 0 ? name : Buffer.concat([prefix, SLASH, name]);
}

function readFormat(block: Buffer): HeaderFormat {
  const magic = block.toString('latin1', 257, 265);
  if (magic.startsWith('ustar\0')) return 'ustar';
  if (magic === 'ustar  \0') return 'gnu';
  return isZero(block.subarray(257, 265)) ? 'v7' : 'unknown';
}

/** The sum counts its own eight bytes as spaces. */
function hasRightChecksum(block: Buffer): boolean {
  const stated = readNumberField(block.subarray(148, 156));
  if (stated.kind !== 'octal') return false;
  let sum = 8 * 0x20;
  for (let index = 0; index < 148; index += 1) sum += block[index] ?? 0;
  for (let index = 156; index < BLOCK_BYTES; index += 1) sum += block[index] ?? 0;
  return sum === stated.value;
}
