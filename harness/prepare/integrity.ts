import { createHash } from 'node:crypto';
import ssri from 'ssri';
import { type PrepareCode, PrepareError } from './errors.ts';

declare const integrityBrand: unique symbol;

/** A full-length `sha512-` string that `parseIntegrity` has accepted. */
export type Integrity = string & { readonly [integrityBrand]: true };

/** Both digests of one archive: npm's and ours. `sizeBytes` counts the stored bytes. */
export interface ArchiveDigest {
  readonly sha256: string;
  readonly integrity: Integrity;
  readonly sizeBytes: number;
}

/** sha512 in base64 with padding: 64 bytes. */
const SHA512_BASE64 = /^[A-Za-z0-9+/]{86}==$/;
/** No registry writes more than a few hashes; anything longer is an attack on the parser. */
const INTEGRITY_MAX_CHARACTERS = 4096;

/**
 * Accepts exactly one full-length `sha512-…`, in its one base64 spelling.
 *
 * Refused, each with its own code: nothing at all, md5 only, sha1 only, another weaker algorithm, several
 * alternatives (an attacker who controls one of them controls the archive), a digest of another length,
 * options after `?`. ssri reads the text as every npm client does; the decision is ours, because ssri
 * accepts any of these (container-traps, "ssri").
 * @throws {PrepareError} INTEGRITY_* with `where` as the path, kind `candidate`.
 */
export function parseIntegrity(value: unknown, where: string): Integrity {
  if (typeof value !== 'string' || value.trim() === '') refuse('INTEGRITY_MISSING', where, value);
  if (value.length > INTEGRITY_MAX_CHARACTERS) refuse('INTEGRITY_INVALID', where, value);
  const hashes = value.trim().split(/\s+/u);
  if (hashes.length > 1) refuse('INTEGRITY_ALTERNATIVES', where, value);
  const parsed = ssri.parse(value, { single: true, strict: false });
  const algorithm = value.split('-', 1)[0] ?? '';
  if (algorithm === 'md5') refuse('INTEGRITY_MD5', where, value);
  if (algorithm === 'sha1') refuse('INTEGRITY_SHA1', where, value);
  if (algorithm === 'sha256' || algorithm === 'sha384') refuse('INTEGRITY_WEAK', where, value);
  if (algorithm !== 'sha512' || parsed === null) refuse('INTEGRITY_INVALID', where, value);
  if (value.includes('?')) refuse('INTEGRITY_OPTIONS', where, value);
  return checkLength(value, where);
}

function checkLength(value: string, where: string): Integrity {
  const text = value.slice('sha512-'.length);
  if (!/^[A-Za-z0-9+/]*={0,2}$/u.test(text)) refuse('INTEGRITY_INVALID', where, value);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 64 || !SHA512_BASE64.test(text)) refuse('INTEGRITY_TRUNCATED', where, value);
  // 86 characters hold 516 bits: without this, four spellings would name one digest.
  if (bytes.toString('base64') !== text) refuse('INTEGRITY_INVALID', where, value);
  return value as Integrity;
}

function refuse(code: PrepareCode, where: string, value: unknown): never {
  throw new PrepareError('candidate', code, 'integrity', {
    where,
    expected: 'one full-length sha512',
    actual: typeof value === 'string' ? value : typeof value,
  });
}

/** The sha512 of an accepted integrity as 128 lower-case hex digits. */
export function integrityHex(integrity: Integrity): string {
  return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
}

/** Feeds bytes once and gives both digests and the size. */
export class ArchiveHasher {
  readonly #sha256 = createHash('sha256');
  readonly #sha512 = createHash('sha512');
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  update(bytes: Uint8Array): void {
    this.#sha256.update(bytes);
    this.#sha512.update(bytes);
    this.#sizeBytes += bytes.byteLength;
  }

  digest(): ArchiveDigest {
    return {
      sha256: this.#sha256.digest('hex'),
      integrity: `sha512-${this.#sha512.digest('base64')}` as Integrity,
      sizeBytes: this.#sizeBytes,
    };
  }
}

/** Both digests of bytes in memory. */
export function hashArchive(bytes: Uint8Array): ArchiveDigest {
  const hasher = new ArchiveHasher();
  hasher.update(bytes);
  return hasher.digest();
}
