import type { Node } from 'yaml';
import type { Context } from './context.ts';
import { readFilledText } from './placeholders.ts';
import { type Fields, pickOne, readBase64, readText } from './read.ts';

/** The keys by which bytes are given. */
export const CONTENT_KEYS = ['text', 'base64', 'from'] as const;

/** Bytes given as text, base64 or a file beside the suite, as base64. */
export function readContent(fields: Fields, context: Context): string {
  const key = pickOne(fields, CONTENT_KEYS, context.problems);
  const node = key === null ? undefined : fields.get(key);
  if (node === undefined) return '';
  if (key === 'base64') return readBase64(node, context.problems);
  if (key === 'from') return readBesideAsBase64(node, context);
  return toBase64(readFilledText(node, context));
}

/** Bytes of a file beside the suite; no placeholder is replaced in them. */
export function readBesideAsBase64(node: Node, context: Context): string {
  const path = readText(node, context.problems);
  if (path === '') return '';
  const found = context.readBeside(path);
  if (found.bytes !== null) return Buffer.from(found.bytes).toString('base64');
  context.problems.add(node, 'BESIDE_UNREADABLE', {
    expected: 'a regular file in the folder of the suite or below',
    actual: `${path}: ${found.reason}`,
  });
  return '';
}

export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
