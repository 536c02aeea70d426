import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, toCanonicalText } from './canonical.ts';
import { type Finding, toFinding } from './finding.ts';

/** A document larger than this is refused before it is parsed; raw streams are only ever hashed. */
const DOCUMENT_LIMIT_BYTES = 64 * 1024 * 1024;
/** More files than any honest run makes; bounds the walk of a hostile bundle. */
const FILE_LIMIT = 2_000_000;
const DEPTH_LIMIT = 16;
const CHUNK_BYTES = 1024 * 1024;

export interface FoundFile {
  readonly path: string;
  readonly regular: boolean;
}

/** Lists everything below `root` without following a link; stops at the limits with a finding. */
export function listFiles(root: string): {
  readonly files: readonly FoundFile[];
  readonly findings: readonly Finding[];
} {
  const files: FoundFile[] = [];
  const findings: Finding[] = [];
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, depth } = next;
    if (depth > DEPTH_LIMIT || files.length > FILE_LIMIT) {
      findings.push(
        toFinding('LIMIT_EXCEEDED', path, `at most ${DEPTH_LIMIT} levels and ${FILE_LIMIT} files`, 'more'),
      );
      break;
    }
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const child = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) pending.push({ path: child, depth: depth + 1 });
      else files.push({ path: child, regular: entry.isFile() });
    }
  }
  return { files, findings };
}

export interface FileDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly sha512: string;
}

/** Hashes a regular file in constant memory; null when it cannot be opened as one without following links. */
export function digestFile(root: string, path: string, withSha512 = false): FileDigest | null {
  return withFile(root, path, (descriptor) => {
    const sha256 = createHash('sha256');
    const sha512 = withSha512 ? createHash('sha512') : null;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let sizeBytes = 0;
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
      const chunk = buffer.subarray(0, read);
      sha256.update(chunk);
      sha512?.update(chunk);
      sizeBytes += read;
    }
    return { sizeBytes, sha256: sha256.digest('hex'), sha512: sha512?.digest('hex') ?? '' };
  });
}

/** Bytes of a document within the document limit; null when it cannot be read as a regular file. */
export function readBytes(root: string, path: string): Buffer | null {
  return withFile(root, path, (descriptor, sizeBytes) => {
    if (sizeBytes > DOCUMENT_LIMIT_BYTES) return null;
    const buffer = Buffer.alloc(sizeBytes);
    let offset = 0;
    while (offset < sizeBytes) {
      const read = readSync(descriptor, buffer, offset, sizeBytes - offset, null);
      if (read === 0) break;
      offset += read;
    }
    return buffer.subarray(0, offset);
  });
}

export type DocumentResult =
  | { readonly kind: 'document'; readonly value: Json }
  | { readonly kind: 'rejected'; readonly finding: Finding };

/** Parses bytes that must be exactly one RFC 8785 document: re-encoding catches duplicate keys and every other spelling. */
export function parseCanonical(path: string, bytes: Buffer): DocumentResult {
  const value = tryParse(bytes);
  if (value === undefined) return rejected('DOCUMENT_NOT_JSON', path, 'JSON in UTF-8', 'something else');
  const text = toCanonicalText(value);
  if (text === null || !Buffer.from(text, 'utf8').equals(bytes)) {
    return rejected(
      'DOCUMENT_NOT_CANONICAL',
      path,
      'the RFC 8785 byte form',
      'another spelling of the value',
    );
  }
  return { kind: 'document', value };
}

function tryParse(bytes: Buffer): Json | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function rejected(code: Finding['code'], path: string, expected: string, actual: string): DocumentResult {
  return { kind: 'rejected', finding: toFinding(code, path, expected, actual) };
}

function withFile<T>(
  root: string,
  path: string,
  use: (descriptor: number, sizeBytes: number) => T,
): T | null {
  let descriptor: number;
  try {
    // The folder is untrusted: a link or FIFO in the place of a file must neither be followed nor block.
    descriptor = openSync(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const status = fstatSync(descriptor);
    return status.isFile() ? use(descriptor, status.size) : null;
  } finally {
    closeSync(descriptor);
  }
}

export function isFolder(path: string): boolean | null {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return null;
  }
}
