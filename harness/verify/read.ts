import { createHash } from 'node:crypto';
import { isCanonicalText, type Json } from './canonical.ts';
import { findDuplicateKey } from './duplicate-keys.ts';
import { once } from './files/once.ts';
import type { FileSource, OpenFile } from './files/source.ts';
import { type Finding, toFinding } from './finding.ts';

/** A document larger than this is refused before it is parsed. */
export const DOCUMENT_LIMIT_BYTES = 64 * 1024 * 1024;
/** More files than any honest run makes; bounds the walk of a hostile bundle. */
export const FILE_LIMIT = 2_000_000;
/** Deeper than the deepest fixture of a suite in a shard of a merged bundle. */
export const DEPTH_LIMIT = 32;
const CHUNK_BYTES = 1024 * 1024;
/** The bytes being hashed; one for all, because a bundle has tens of thousands of small files. */
const HASHED = Buffer.allocUnsafe(CHUNK_BYTES);

/** Something in a folder of evidence. `unread`: a folder that cannot be listed; `beyond`: the walk ends before it. */
export interface FoundFile {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other' | 'unread' | 'beyond';
}

/** Everything in the folder, without following a link, until the limits are reached. */
export function* walkFiles(source: FileSource): Generator<FoundFile, void, undefined> {
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, depth } = next;
    if (depth > DEPTH_LIMIT || count > FILE_LIMIT) return yield { path, kind: 'beyond' };
    const entries = source.entries(path);
    if (entries === null) {
      yield { path, kind: 'unread' };
      continue;
    }
    for (const { name, kind } of entries) {
      const child = path === '' ? name : `${path}/${name}`;
      count += 1;
      yield { path: child, kind };
      if (kind === 'folder') pending.push({ path: child, depth: depth + 1 });
    }
  }
}

export interface FileDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly sha512: string;
}

/** Hashes a regular file in constant memory; null when it cannot be opened as one without following links. */
export function digestFile(source: FileSource, path: string, withSha512 = false): FileDigest | null {
  const what = withSha512 ? 'sha256 and sha512' : 'sha256';
  return once(source.identity(path), what, () => hashFile(source, path, withSha512));
}

function hashFile(source: FileSource, path: string, withSha512: boolean): FileDigest | null {
  return withFile(source, path, (file) => {
    const sha256 = createHash('sha256');
    const sha512 = withSha512 ? createHash('sha512') : null;
    let sizeBytes = 0;
    for (let read = file.read(HASHED); read > 0; read = file.read(HASHED)) {
      const chunk = HASHED.subarray(0, read);
      sha256.update(chunk);
      sha512?.update(chunk);
      sizeBytes += read;
    }
    return { sizeBytes, sha256: sha256.digest('hex'), sha512: sha512?.digest('hex') ?? '' };
  });
}

/** Bytes of a file of at most `limitBytes`; null when it is larger or cannot be read as a regular file. */
export function readBytes(
  source: FileSource,
  path: string,
  limitBytes = DOCUMENT_LIMIT_BYTES,
): Buffer | null {
  return withFile(source, path, (file) => {
    const { sizeBytes } = file;
    if (sizeBytes > limitBytes) return null;
    const buffer = Buffer.alloc(sizeBytes);
    let offset = 0;
    while (offset < sizeBytes) {
      const read = file.read(buffer.subarray(offset));
      if (read === 0) break;
      offset += read;
    }
    return buffer.subarray(0, offset);
  });
}

/** Bytes of a regular file in chunks, in constant memory; nothing when it cannot be opened as one. */
export function* readChunks(source: FileSource, path: string): Generator<Buffer, void, undefined> {
  const file = source.open(path);
  if (file === null) return;
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = file.read(buffer);
      if (read === 0) return;
      yield buffer.subarray(0, read);
    }
  } finally {
    file.close();
  }
}

export type DocumentResult =
  | { readonly kind: 'document'; readonly value: Json }
  | { readonly kind: 'rejected'; readonly finding: Finding };

/**
 * Parses bytes that must be exactly one RFC 8785 document. Re-encoding catches every other spelling; what it
 * would also catch but what needs another fix (duplicate keys, a byte order mark, invalid UTF-8) is told apart.
 */
export function parseCanonical(path: string, bytes: Buffer): DocumentResult {
  const text = decode(bytes);
  if (text === null) return rejected('DOCUMENT_NOT_UTF8', path, 'UTF-8', 'other bytes');
  const value = tryParse(text);
  if (value === undefined) return rejected('DOCUMENT_NOT_JSON', path, 'JSON', 'something else');
  if (isCanonicalText(value, text)) return { kind: 'document', value };
  const twice = findDuplicateKey(text);
  if (twice !== null) return rejected('DOCUMENT_DUPLICATE_KEY', path, 'each key once', JSON.stringify(twice));
  return rejected('DOCUMENT_NOT_CANONICAL', path, 'the RFC 8785 byte form', 'another spelling of the value');
}

/** UTF-8 text with its byte order mark, null when the bytes are none. */
export function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function tryParse(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function rejected(code: Finding['code'], path: string, expected: string, actual: string): DocumentResult {
  return { kind: 'rejected', finding: toFinding(code, path, expected, actual) };
}

function withFile<T>(source: FileSource, path: string, use: (file: OpenFile) => T): T | null {
  const file = source.open(path);
  if (file === null) return null;
  try {
    return use(file);
  } finally {
    file.close();
  }
}
