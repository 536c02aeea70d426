import canonicalize from 'canonicalize';
import { sha256Hex } from './digest.ts';

/**
 * The one byte form of our documents: RFC 8785 JSON in UTF-8, no BOM, no trailing newline.
 *
 * @throws {TypeError} when the value holds something JSON cannot say (NaN, a function, a lone surrogate).
 */
export function toCanonicalBytes(value: unknown): Buffer {
  const text = canonicalize(value);
  if (text === undefined) {
    throw new TypeError('canonical form: value: expected a JSON value, got undefined');
  }
  return Buffer.from(text, 'utf8');
}

/** The sha256 (lower-case hex) of the canonical bytes of a document. */
export function digestDocument(value: unknown): string {
  return sha256Hex(toCanonicalBytes(value));
}
