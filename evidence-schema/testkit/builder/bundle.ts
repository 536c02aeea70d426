import { canonical, isList, isObject, type Json, sha256 } from './canonical.ts';

/** A bundle in memory: its files by path. Folders follow from them, but for empty ones. */
export type Files = Map<string, Buffer>;

/** A file as the kit keeps it, so that people can read and compare it. */
export type KeptFile =
  | { readonly json: Json }
  | { readonly lines: readonly Json[] }
  | { readonly text: string }
  | { readonly base64: string };

/** `base/<name>.json`: a file that another base has too is kept there alone. */
export interface StoredBase {
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: Readonly<Record<string, KeptFile | { readonly of: string }>>;
  /** Names of the bases that were merged. */
  readonly shards?: readonly string[];
}

/** Everything of an accepted bundle that its digests are taken of. */
export interface Base {
  readonly runId: string;
  readonly nonce: string | null;
  readonly files: Readonly<Record<string, KeptFile>>;
  /** Bases of the shards of merged evidence, in their order; none of one run. */
  readonly shards: readonly Base[];
}

export const INDEX = 'bundle.json';
const SUMS = 'SHA256SUMS';
/** Statements, their envelopes and the sums bind the index, and so are not listed in it. */
const UNLISTED = /^(?:bundle\.json|SHA256SUMS|statement[^/]*)$/;

export function toFiles(base: Base): Files {
  const files: Files = new Map();
  for (const [path, file] of Object.entries(base.files)) files.set(path, toBytes(file));
  const { runId, nonce } = base;
  files.set(INDEX, encode({ formatVersion: 1, runId, nonce, files: [] }));
  for (const [position, shard] of base.shards.entries()) {
    for (const [path, bytes] of toFiles(shard)) files.set(`shards/${position + 1}/${path}`, bytes);
  }
  return files;
}

export function toBytes(file: KeptFile): Buffer {
  if ('json' in file) return encode(file.json);
  if ('lines' in file) return Buffer.from(file.lines.map((line) => `${canonical(line)}\n`).join(''));
  return 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64');
}

/** Lists every file in the index. */
export function list(files: Files): void {
  const entries = sortedPaths(files)
    .filter((path) => !UNLISTED.test(path))
    .map((path) => ({ path, sizeBytes: at(files, path).length, sha256: sha256(at(files, path)) }));
  changeJson(files, INDEX, (index) => (isObject(index) ? { ...index, files: entries } : index));
}

/** Writes the present digest wherever a statement names a file. */
export function bind(files: Files): void {
  for (const path of statementsOf(files)) changeJson(files, path, (value) => rebind(value, files));
}

export function statementsOf(files: Files): readonly string[] {
  return sortedPaths(files).filter((path) => /^statement(?:-[a-z]+)?\.json$/.test(path));
}

/** `<digest>  <path>` for every file but the sums themselves. */
export function sum(files: Files): void {
  const paths = sortedPaths(files).filter((path) => path !== SUMS);
  const lines = paths.map((path) => `${sha256(at(files, path))}  ${path}\n`);
  files.set(SUMS, Buffer.from(lines.join('')));
}

export function changeJson(files: Files, path: string, change: (value: Json) => Json): void {
  const value: Json = JSON.parse(at(files, path).toString('utf8'));
  files.set(path, encode(change(value)));
}

export function encode(value: Json): Buffer {
  return Buffer.from(canonical(value), 'utf8');
}

export function at(files: Files, path: string): Buffer {
  const bytes = files.get(path);
  if (bytes === undefined) throw new Error(`the bundle has no ${path}`);
  return bytes;
}

/** In byte order, as the index and the sums have it. */
export function sortedPaths(files: Files): readonly string[] {
  return [...files.keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

function rebind(value: Json, files: Files): Json {
  if (isList(value)) return value.map((item) => rebind(item, files));
  if (!isObject(value)) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, rebind(item, files)]),
  );
  const bytes = typeof members['name'] === 'string' ? files.get(members['name']) : undefined;
  const isBound = bytes !== undefined && members['digest'] !== undefined;
  return isBound ? { ...members, digest: { sha256: sha256(bytes) } } : members;
}
