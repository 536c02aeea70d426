import { deflateRawSync } from 'node:zlib';

/**
 * One tar entry to be written exactly as told, however crooked. Imports neither a tar library nor the walk
 * that is tested with it: a shared mistake would hide in both.
 */
export interface TarEntryPlan {
  readonly name: string | Buffer;
  /** The type flag; `0` (a file) when left out. */
  readonly type?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly owner?: string;
  readonly group?: string;
  readonly content?: string | Buffer;
  /** The size the header states, when it is not that of the content. */
  readonly statedSize?: number;
  readonly linkName?: string;
  readonly prefix?: string;
  readonly magic?: 'ustar' | 'gnu' | 'v7' | 'unknown';
  /** Changes the header before its checksum is written. */
  readonly patch?: (header: Buffer) => void;
  readonly checksum?: 'right' | 'wrong';
  /** The byte that fills the last block. */
  readonly padding?: number;
}

const BLOCK = 512;

const MAGICS = { ustar: 'ustar\x0000', gnu: 'ustar  \0', v7: '\0\0\0\0\0\0\0\0', unknown: 'mystery\0' };

/** Header and padded content of one entry. */
export function buildTarEntry(plan: TarEntryPlan): Buffer {
  const content = toBytes(plan.content ?? '');
  const header = buildHeader(plan, content.length);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK, plan.padding ?? 0);
  return Buffer.concat([header, content, padding]);
}

function buildHeader(plan: TarEntryPlan, contentSize: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  toBytes(plan.name).copy(header, 0, 0, 100);
  writeOctal(header, 100, { width: 8, value: plan.mode ?? 0o644 });
  writeOctal(header, 108, { width: 8, value: plan.uid ?? 0 });
  writeOctal(header, 116, { width: 8, value: plan.gid ?? 0 });
  writeOctal(header, 124, { width: 12, value: plan.statedSize ?? contentSize });
  writeOctal(header, 136, { width: 12, value: 0 });
  header.write(plan.type ?? '0', 156, 1, 'latin1');
  header.write(plan.linkName ?? '', 157, 100, 'utf8');
  header.write(MAGICS[plan.magic ?? 'ustar'], 257, 8, 'latin1');
  header.write(plan.owner ?? '', 265, 32, 'utf8');
  header.write(plan.group ?? '', 297, 32, 'utf8');
  header.write(plan.prefix ?? '', 345, 155, 'utf8');
  plan.patch?.(header);
  writeChecksum(header, plan.checksum === 'wrong' ? 1 : 0);
  return header;
}

function writeOctal(header: Buffer, at: number, field: { width: number; value: number }): void {
  header.write(field.value.toString(8).padStart(field.width - 1, '0'), at, field.width - 1, 'latin1');
}

/** Sums the header with its own field as spaces. */
function writeChecksum(header: Buffer, error: number): void {
  header.fill(0x20, 148, 156);
  let sum = error;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
}

/** Entries in a row and the end mark; `endBlocks` 0 leaves it out, `tail` follows it. */
export function buildTar(
  entries: readonly (TarEntryPlan | Buffer)[],
  end: { readonly endBlocks?: number; readonly tail?: Buffer } = {},
): Buffer {
  const parts = entries.map((entry) => (Buffer.isBuffer(entry) ? entry : buildTarEntry(entry)));
  return Buffer.concat([...parts, Buffer.alloc(BLOCK * (end.endBlocks ?? 2)), end.tail ?? Buffer.alloc(0)]);
}

/** One pax record with the length it should have. */
export function buildPaxRecord(key: string, value: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(` ${key}=`), toBytes(value), Buffer.from('\n')]);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length += 1;
  return Buffer.concat([Buffer.from(String(length)), body]);
}

/** A pax header (`x` for the next entry, `g` for all) from records or raw bytes. */
export function buildPax(records: Readonly<Record<string, string>> | Buffer, type: 'x' | 'g' = 'x'): Buffer {
  const content = Buffer.isBuffer(records)
    ? records
    : Buffer.concat(Object.entries(records).map(([key, value]) => buildPaxRecord(key, value)));
  return buildTarEntry({ name: `PaxHeader/${type}`, type, content });
}

/** A GNU record for a long name (`L`) or long link target (`K`). */
export function buildGnuLong(name: string, type: 'L' | 'K' = 'L'): Buffer {
  return buildTarEntry({ name: '././@LongLink', type, magic: 'gnu', content: `${name}\0` });
}

export interface GzipPlan {
  /** Flag byte of the header; the fields it announces are not written. */
  readonly flags?: number;
  readonly method?: number;
  readonly checksum?: number;
}

/** One gzip member, its frame written by hand. */
export function buildGzip(content: Buffer, plan: GzipPlan = {}): Buffer {
  const header = Buffer.from([0x1f, 0x8b, plan.method ?? 8, plan.flags ?? 0, 0, 0, 0, 0, 0, 3]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(plan.checksum ?? computeCrc32(content), 0);
  trailer.writeUInt32LE(content.length % 2 ** 32, 4);
  return Buffer.concat([header, deflateRawSync(content, { level: 6 }), trailer]);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function computeCrc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function toBytes(text: string | Buffer): Buffer {
  return Buffer.isBuffer(text) ? text : Buffer.from(text, 'utf8');
}
