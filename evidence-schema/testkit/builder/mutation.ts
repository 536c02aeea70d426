import { at, changeJson, type Files, type KeptFile, sortedPaths, toBytes } from './bundle.ts';
import { canonical, isList, isObject, type Json } from './canonical.ts';

type Key = string | number;

/** One change to the files of a bundle. `place` leads to a value of a document, or of a list of lines. */
export type Change =
  | { readonly kind: 'set'; readonly file: string; readonly place: readonly Key[]; readonly value: Json }
  | { readonly kind: 'remove'; readonly file: string; readonly place: readonly Key[] }
  | { readonly kind: 'write'; readonly file: string; readonly content: KeptFile }
  | { readonly kind: 'replace'; readonly file: string; readonly find: string; readonly put: string }
  | { readonly kind: 'fill'; readonly file: string; readonly sizeBytes: number }
  /** A file, or everything below a folder. */
  | { readonly kind: 'delete'; readonly file: string }
  | { readonly kind: 'rename'; readonly file: string; readonly to: string }
  | { readonly kind: 'list-absent'; readonly count: number };

/** What only a file system can hold, done when the bundle is written. */
export type Placement =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly file: string; readonly to: string }
  /** Nothing at all, or one file, in place of the whole bundle. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'one-file' };

/** `mutations/<name>.json`: what is wrong with one rejected vector. */
export interface Mutation {
  readonly changes: readonly Change[];
  readonly placement: Placement | null;
  /**
   * What is recomputed after the changes, as an attacker would: `all` digests; the `sums` and nothing else, which
   * leaves the changed list as it is; or `none`.
   */
  readonly seal: 'all' | 'sums' | 'none';
}

export function apply(files: Files, change: Change): void {
  switch (change.kind) {
    case 'set':
    case 'remove':
      changeValue(files, change);
      return;
    case 'write':
      files.set(change.file, toBytes(change.content));
      return;
    case 'replace':
      replaceText(files, change);
      return;
    case 'fill':
      files.set(change.file, Buffer.alloc(change.sizeBytes, 0x20));
      return;
    case 'delete':
      moveAll(files, change.file, null);
      return;
    case 'rename':
      moveAll(files, change.file, change.to);
      return;
    case 'list-absent':
      changeJson(files, 'bundle.json', (index) => listAbsent(index, change.count));
      return;
    default:
      change satisfies never;
  }
}

function changeValue(files: Files, change: Extract<Change, { readonly kind: 'set' | 'remove' }>): void {
  const edit = (value: Json): Json =>
    edited(value, change.place, change.kind === 'set' ? change.value : undefined);
  if (!change.file.endsWith('.ndjson')) {
    changeJson(files, change.file, edit);
    return;
  }
  const lines = at(files, change.file).toString('utf8').split('\n').slice(0, -1);
  const values: Json = edit(lines.map((line): Json => JSON.parse(line)));
  if (!isList(values)) throw new Error(`${change.file}: expected a list of lines`);
  files.set(change.file, Buffer.from(values.map((value) => `${canonical(value)}\n`).join('')));
}

/** A copy with another value at a place, or without it. */
function edited(value: Json, place: readonly Key[], put: Json | undefined): Json {
  const [key, ...rest] = place;
  if (key === undefined) {
    if (put === undefined) throw new Error('a whole document is deleted, not removed');
    return put;
  }
  if (isList(value) && typeof key === 'number') {
    const tail = value.slice(key + 1);
    if (rest.length === 0) return [...value.slice(0, key), ...(put === undefined ? [] : [put]), ...tail];
    return [...value.slice(0, key), edited(value[key] ?? null, rest, put), ...tail];
  }
  if (!isObject(value)) throw new Error(`nothing at ${String(key)}`);
  const { [key]: inner, ...others } = value;
  if (rest.length > 0) return { ...value, [key]: edited(inner ?? null, rest, put) };
  return put === undefined ? others : { ...value, [key]: put };
}

function replaceText(files: Files, change: Extract<Change, { readonly kind: 'replace' }>): void {
  const text = at(files, change.file).toString('utf8');
  if (!text.includes(change.find)) throw new Error(`${change.file} has no ${change.find}`);
  files.set(change.file, Buffer.from(text.replace(change.find, () => change.put)));
}

function moveAll(files: Files, from: string, to: string | null): void {
  const moved = sortedPaths(files).filter((path) => path === from || path.startsWith(`${from}/`));
  if (moved.length === 0) throw new Error(`the bundle has no ${from}`);
  for (const path of moved) {
    const bytes = at(files, path);
    files.delete(path);
    if (to !== null) files.set(to + path.slice(from.length), bytes);
  }
}

function listAbsent(index: Json, count: number): Json {
  if (!isObject(index) || !isList(index['files'] ?? null)) return index;
  const absent = Array.from({ length: count }, (_, number) => ({
    path: `z/${String(number).padStart(7, '0')}`,
    sizeBytes: 1,
    sha256: '0'.repeat(64),
  }));
  return { ...index, files: [...(index['files'] as readonly Json[]), ...absent] };
}
