import { createHash } from 'node:crypto';
import type { InventoryLine } from '../shape/inputs.ts';
import type { ReadPieces } from './contents.ts';

// The form of a layer, written down once more: it decides the diff id, and a fault of the code that wrote the
// layer must not be able to hide itself here. Do not merge the two.

const BLOCK = 512;
const NAME = 100;
const PREFIX = 155;

/** A content in one piece, or in pieces where it is too large to be held. */
export type Bytes = Buffer | ReadPieces;

/** Content of a file of the layer; null when it is not known. */
export type FindContent = (line: InventoryLine) => Bytes | null;

/**
 * sha256 of the layer that holds these entries: an uncompressed tar in byte order of path, owner 0 and time 0,
 * ustar with pax records where ustar cannot say a name. Null when a content is not known.
 *
 * Source: POSIX.1-2017 pax, ustar Interchange Format and pax Extended Header.
 */
export async function layerDigest(
  lines: readonly InventoryLine[],
  find: FindContent,
): Promise<string | null> {
  const hash = createHash('sha256');
  for (const line of lines) {
    hash.update(headersOf(line));
    if (line.kind !== 'file') continue;
    const content = find(line);
    if (content === null) return null;
    let sizeBytes = 0;
    const use = (piece: Buffer): void => {
      hash.update(piece);
      sizeBytes += piece.length;
    };
    if (Buffer.isBuffer(content)) use(content);
    else await content(use);
    if (sizeBytes !== line.sizeBytes) return null;
    hash.update(Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK));
  }
  hash.update(Buffer.alloc(2 * BLOCK));
  return hash.digest('hex');
}

function headersOf(line: InventoryLine): Buffer {
  const path = line.kind === 'directory' ? `${line.path}/` : line.path;
  const target = line.target ?? '';
  const [name, prefix] = split(path) ?? [plain(path, NAME), ''];
  const records = [
    ...(isPlain(target) && target.length <= NAME ? [] : [record('linkpath', target)]),
    ...(split(path) === null ? [record('path', path)] : []),
  ].join('');
  const type = { file: '0', symlink: '2', directory: '5' }[line.kind];
  const mode = Number.parseInt(line.mode, 8);
  const own = block({ name, prefix, mode, sizeBytes: line.sizeBytes, type, target: plain(target, NAME) });
  if (records === '') return own;
  const content = Buffer.from(records, 'utf8');
  const head = { name: 'PaxHeaders/entry', prefix: '', mode: 0o644, sizeBytes: content.length };
  const rest = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([block({ ...head, type: 'x', target: '' }), content, rest, own]);
}

function block(fields: {
  readonly name: string;
  readonly prefix: string;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly type: string;
  readonly target: string;
}): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, start: number, digits: number): void => {
    bytes.write(value.toString(8).padStart(digits, '0'), start, digits, 'latin1');
  };
  bytes.write(fields.name, 0, NAME, 'latin1');
  octal(fields.mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(fields.sizeBytes, 124, 11);
  octal(0, 136, 11);
  bytes.write('        ', 148, 'latin1');
  bytes.write(fields.type, 156, 'latin1');
  bytes.write(fields.target, 157, NAME, 'latin1');
  bytes.write('ustar\u000000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  bytes.write(fields.prefix, 345, PREFIX, 'latin1');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** Name and prefix, cut at the last slash that leaves the prefix within its field; null when it needs a record. */
function split(path: string): readonly [string, string] | null {
  if (!isPlain(path)) return null;
  if (path.length <= NAME) return [path, ''];
  const cut = path.lastIndexOf('/', PREFIX);
  const name = path.slice(cut + 1);
  return cut > 0 && name !== '' && name.length <= NAME ? [name, path.slice(0, cut)] : null;
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/u.test(text);
}

function plain(text: string, most: number): string {
  return text.replace(/[^\x20-\x7e]/gu, '_').slice(0, most);
}

/** `LENGTH KEY=VALUE\n`; the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
