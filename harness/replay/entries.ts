import { toCanonicalBytes } from '../document/canonical.ts';
import type { FilesLine } from '../evidence/receipt.ts';

/** One entry of the writable places without its time, which never counts. */
export type Entry = Omit<FilesLine, 'mtimeMs' | 'when'>;

/** Anything with members of its own that is looked at beside another of its sort. */
export interface Looked {
  readonly kind: string;
}

export function sameEntry(left: Looked | undefined, right: Looked | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return toCanonicalBytes(left).equals(toCanonicalBytes(right));
}

/** Only the fields that differ, so that a line of text shows them. */
export function describeEntries(
  left: Looked | undefined,
  right: Looked | undefined,
): readonly [string, string] {
  if (left === undefined || right === undefined) {
    return [left?.kind ?? 'absent', right?.kind ?? 'absent'];
  }
  const other = new Map(Object.entries(right));
  const names = Object.entries(left).flatMap(([name, value]) => (other.get(name) === value ? [] : [name]));
  const show = (entry: Looked): string =>
    Object.entries(entry)
      .filter(([name]) => names.includes(name))
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ');
  return [show(left), show(right)];
}
