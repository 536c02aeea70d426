import { type FieldRange, type NumberField, readNumberField } from './number-field.ts';

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

/** Where the fields stand. Source: POSIX.1-2017 ustar. */
const FIELD = {
  name: { start: 0, end: 100 },
  mode: { start: 100, end: 108 },
  uid: { start: 108, end: 116 },
  gid: { start: 116, end: 124 },
  size: { start: 124, end: 136 },
  mtime: { start: 136, end: 148 },
  checksum: { start: 148, end: 156 },
  linkName: { start: 157, end: 257 },
  magic: { start: 257, end: 265 },
  owner: { start: 265, end: 297 },
  group: { start: 297, end: 329 },
  prefix: { start: 345, end: 500 },
} as const;

/** Splits the header at `offset`; the caller has made sure that 512 bytes are there. */
export function readHeader(tar: Buffer, offset: number): RawHeader {
  const block = tar.subarray(offset, offset + BLOCK_BYTES);
  const format = readFormat(block);
  return {
    checksumMatches: hasRightChecksum(block),
    format,
    typeFlag: String.fromCharCode(block[156] ?? 0),
    name: readName(block, format),
    linkName: readField(block, FIELD.linkName),
    hasBytesAfterNul: goesOnAfterNul(block, FIELD.name) || goesOnAfterNul(block, FIELD.linkName),
    mode: readNumberField(block, FIELD.mode),
    uid: readNumberField(block, FIELD.uid),
    gid: readNumberField(block, FIELD.gid),
    size: readNumberField(block, FIELD.size),
    mtime: readNumberField(block, FIELD.mtime),
    owner: format === 'v7' ? '' : readField(block, FIELD.owner).toString('latin1'),
    group: format === 'v7' ? '' : readField(block, FIELD.group).toString('latin1'),
  };
}

function readName(block: Buffer, format: HeaderFormat): Buffer {
  const name = readField(block, FIELD.name);
  if (format !== 'ustar' || block[FIELD.prefix.start] === 0) return name;
  return Buffer.concat([readField(block, FIELD.prefix), SLASH, name]);
}

const EMPTY = Buffer.alloc(0);

/** The part of a field before its first zero byte. */
function readField(block: Buffer, { start, end }: FieldRange): Buffer {
  return block[start] === 0 ? EMPTY : untilNul(block.subarray(start, end));
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

function goesOnAfterNul(block: Buffer, { start, end }: FieldRange): boolean {
  let at = start;
  while (at < end && block[at] !== 0) at += 1;
  while (at < end && block[at] === 0) at += 1;
  return at < end;
}

function readFormat(block: Buffer): HeaderFormat {
  const magic = block.toString('latin1', FIELD.magic.start, FIELD.magic.end);
  if (magic.startsWith('ustar\0')) return 'ustar';
  if (magic === 'ustar  \0') return 'gnu';
  return magic === '\0'.repeat(8) ? 'v7' : 'unknown';
}

/** The sum counts its own eight bytes as spaces. */
function hasRightChecksum(block: Buffer): boolean {
  const stated = readNumberField(block, FIELD.checksum);
  if (stated.kind !== 'octal') return false;
  let sum = 8 * 0x20;
  for (let index = 0; index < 148; index += 1) sum += block[index] ?? 0;
  for (let index = 156; index < BLOCK_BYTES; index += 1) sum += block[index] ?? 0;
  return sum === stated.value;
}
