import type { LayerEntry } from './layer-entry.ts';

/** POSIX.1-2017 pax, ustar Interchange Format: everything is a multiple of this. */
export const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const LINK_BYTES = 100;
/** Name of the header in front of an extended one; a reader that knows pax never shows it. */
const PAX_NAME = 'PaxHeaders/entry';

/**
 * Headers of one entry: a ustar block, preceded by a pax block pair where ustar cannot say the name.
 *
 * Written by hand, because these bytes are an image's identity: a tar library may change how it splits
 * names or when it adds pax records from one release to the next. Owner 0, time 0, no names, always.
 * Names that are not ASCII go into pax, since ustar leaves their encoding open.
 */
export function encodeHeader(entry: LayerEntry): Buffer {
  const path = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'symlink' ? entry.target : '';
  const split = splitName(path);
  const records: string[] = [];
  if (target !== '' && !fits(target, LINK_BYTES)) records.push(paxRecord('linkpath', target));
  if (split === null) records.push(paxRecord('path', path));
  const block = encodeBlock({
    ...(split ?? { name: fallback(path, NAME_BYTES), prefix: '' }),
    mode: entry.kind === 'symlink' ? 0o777 : entry.mode,
    sizeBytes: entry.kind === 'file' ? entry.sizeBytes : 0,
    type: entry.kind === 'file' ? '0' : entry.kind === 'symlink' ? '2' : '5',
    target: fallback(target, LINK_BYTES),
  });
  return records.length === 0 ? block : Buffer.concat([encodePax(records), block]);
}

/** Zero bytes that fill content of this size up to a block. */
export function padding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}

interface Block {
  readonly name: string;
  readonly prefix: string;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly type: '0' | '2' | '5' | 'x';
  readonly target: string;
}

function encodeBlock(block: Block): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  bytes.write(block.name, 0, NAME_BYTES, 'latin1');
  writeOctal(bytes, block.mode, { offset: 100, digits: 7 });
  writeOctal(bytes, 0, { offset: 108, digits: 7 });
  writeOctal(bytes, 0, { offset: 116, digits: 7 });
  writeOctal(bytes, block.sizeBytes, { offset: 124, digits: 11 });
  writeOctal(bytes, 0, { offset: 136, digits: 11 });
  bytes.write('        ', 148, 'latin1');
  bytes.write(block.type, 156, 'latin1');
  bytes.write(block.target, 157, LINK_BYTES, 'latin1');
  bytes.write('ustar\0', 257, 'latin1');
  bytes.write('00', 263, 'latin1');
  writeOctal(bytes, 0, { offset: 329, digits: 7 });
  writeOctal(bytes, 0, { offset: 337, digits: 7 });
  bytes.write(block.prefix, 345, PREFIX_BYTES, 'latin1');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

function writeOctal(bytes: Buffer, value: number, field: { offset: number; digits: number }): void {
  bytes.write(value.toString(8).padStart(field.digits, '0'), field.offset, field.digits, 'latin1');
}

/** Splits at the last slash that leaves a prefix within its field; null when ustar cannot hold the name. */
function splitName(path: string): { readonly name: string; readonly prefix: string } | null {
  if (fits(path, NAME_BYTES)) return { name: path, prefix: '' };
  if (!isAscii(path)) return null;
  const cut = path.lastIndexOf('/', PREFIX_BYTES);
  const name = path.slice(cut + 1);
  return cut > 0 && name !== '' && name.length <= NAME_BYTES ? { name, prefix: path.slice(0, cut) } : null;
}

function fits(text: string, limit: number): boolean {
  return text.length <= limit && isAscii(text);
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/u.test(text);
}

/** What the ustar field says beside a pax record: readable, of fixed form, and never used by a pax reader. */
function fallback(text: string, limit: number): string {
  return text.replace(/[^\x20-\x7e]/gu, '_').slice(0, limit);
}

function encodePax(records: readonly string[]): Buffer {
  const content = Buffer.from(records.join(''), 'utf8');
  const header = encodeBlock({
    name: PAX_NAME,
    prefix: '',
    mode: 0o644,
    sizeBytes: content.length,
    type: 'x',
    target: '',
  });
  return Buffer.concat([header, content, padding(content.length)]);
}

/** `LENGTH KEY=VALUE\n`, where LENGTH counts its own digits too. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
