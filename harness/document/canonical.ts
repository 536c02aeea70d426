import canonicalize from 'canonicalize';
import { sha256Hex } from './digest.ts';

/**
 * The one byte form of our documents: RFC 8785 JSON in UTF-8, no BOM, no trailing newline.
 *
 * @throws {TypeError} when the value holds something JSON cannot say (NaN, a function, a lone surrogate).
 */
export function toCanonicalBytes(value: unknown): Buffer {
  const text = plainText(value) ?? canonicalize(value);
  if (text === undefined) {
    throw new TypeError('canonical form: value: expected a JSON value, got undefined');
  }
  return Buffer.from(text, 'utf8');
}

const DEPTH_LIMIT = 64;

/**
 * The text of a value whose members are in order already, as they are in what was parsed from a document: the
 * engine's own encoder writes the same, many times faster. Null when that is not sure.
 */
function plainText(value: unknown): string | null {
  if (!isInOrder(value, 0)) return null;
  const text = JSON.stringify(value);
  // Perhaps a lone surrogate, which has no canonical form.
  return text.includes('\\ud') ? null : text;
}

function isInOrder(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > DEPTH_LIMIT) return false;
  if (Array.isArray(value)) return value.every((item) => isInOrder(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  const entries = Object.entries(value);
  return entries.every(
    ([key, member], index) =>
      key !== 'toJSON' &&
      (index === 0 || (entries[index - 1]?.[0] ?? '') < key) &&
      isInOrder(member, depth + 1),
  );
}

/** The sha256 (lower-case hex) of the canonical bytes of a document. */
export function digestDocument(value: unknown): string {
  return sha256Hex(toCanonicalBytes(value));
}
