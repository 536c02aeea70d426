import { sha256Hex } from '../document/digest.ts';
import type { FileTreeEntry, Snapshot, SnapshotEntry } from '../engine/engine.ts';
import type { CompiledFile, CompiledReference } from '../suite/compiled.ts';
import { WRITABLE } from '../suite/layout.ts';
import { toFileTree } from './file-tree.ts';

/** A file that a reference was to find and that does not lie there as declared, in words; null when all do. */
export function findUnlaid(files: CompiledReference['files'], laid: Snapshot): string | null {
  for (const { path, contentBase64, mode } of files) {
    const expected = sha256Hex(Buffer.from(contentBase64, 'base64'));
    const found = laid.entries.find((entry) => entry.path === path && entry.kind === 'file');
    if (found?.sha256 !== expected || found.mode !== mode) return `${path} is not the file that was laid`;
  }
  return null;
}

/**
 * Puts the writable places back to what they were before a reference: of every top entry below which anything
 * differs, what is there is taken away and what the case lays there is laid again, as old as it was.
 *
 * `ran` null or cut off: nothing is known of what is there, so that all is put back.
 */
export function undoReference(
  files: readonly CompiledFile[],
  before: Snapshot,
  ran: Snapshot | null,
): readonly FileTreeEntry[] {
  const tops = changedTops(before, ran);
  const isChanged = (path: string): boolean => tops.has(topOf(path));
  const laid = files.filter(({ path }) => isChanged(path));
  const times = before.entries.filter(({ path }) => isChanged(path));
  return [
    ...[...tops].map((path): FileTreeEntry => ({ kind: 'remove', path })),
    ...toFileTree(laid.filter(({ kind }) => kind !== 'owner')),
    // Folders last and from the inside: what is laid in one makes it new.
    ...[...times]
      .sort((one, other) => other.path.length - one.path.length)
      .map(({ path, mtimeMs }): FileTreeEntry => ({ kind: 'times', path, mtimeMs })),
    // The holder cannot lay what is not its own any more.
    ...toFileTree(laid.filter(({ kind }) => kind === 'owner')),
  ];
}

function changedTops(before: Snapshot, ran: Snapshot | null): ReadonlySet<string> {
  const all = [...before.entries, ...(ran?.entries ?? [])].filter(({ path }) => topOf(path) !== '');
  if (ran === null || ran.truncated.length > 0) return new Set(all.map(({ path }) => topOf(path)));
  const describe = (snapshot: Snapshot): ReadonlySet<string> => new Set(snapshot.entries.map(toLine));
  const [old, now] = [describe(before), describe(ran)];
  const differs = (entry: SnapshotEntry): boolean => !old.has(toLine(entry)) || !now.has(toLine(entry));
  return new Set(all.filter(differs).map(({ path }) => topOf(path)));
}

/** Folders have no time here: it changes with what is laid in them. */
function toLine(entry: SnapshotEntry): string {
  return JSON.stringify({ ...entry, mtimeMs: entry.kind === 'directory' ? 0 : entry.mtimeMs });
}

/** The path directly below a writable place that leads to this one; empty when there is none. */
function topOf(path: string): string {
  const root = WRITABLE.find((one) => path.startsWith(`${one}/`));
  if (root === undefined) return '';
  const [name = ''] = path.slice(root.length + 1).split('/');
  return `${root}/${name}`;
}
