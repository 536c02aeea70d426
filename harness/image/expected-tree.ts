import { posix } from 'node:path';
import { type BinMap, binMapOf } from './bin-map.ts';
import { normaliseFileMode } from './layer-plan.ts';
import type { ArchiveEntry, ContentDigest, ReadArchive } from './npm-archive.ts';

/** What the installer changed between an archive's bytes and the tree: the closed list. */
export type TransformKind =
  | 'bin-mode'
  | 'mode-mask'
  | 'crlf-shebang'
  | 'link-dropped'
  | 'renamed'
  | 'bin-link';

/**
 * One change, with the path it concerns (from the install's root; for `link-dropped` and `renamed` as the
 * archive had it), and what was before and after it. Null: there was, or is, nothing.
 */
export interface Transform {
  readonly kind: TransformKind;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A file or link of an installed tree. Directories are implied. */
export type TreeEntry =
  | ({ readonly kind: 'file'; readonly path: string; readonly mode: string } & ContentDigest)
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string };

/** A package of the install, or (without an archive) one that lies in its parent's archive. */
export interface PackageInput {
  /** Its lock path, such as `node_modules/@scope/name`. */
  readonly path: string;
  readonly archive: ReadArchive | null;
  /** The bins that get links: those of its lock entry. */
  readonly bins: BinMap;
}

export interface ExpectedTree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly transforms: readonly Transform[];
}

interface PlannedFile extends ContentDigest {
  readonly mode: 0o644 | 0o755;
  readonly unixForm: ContentDigest | null;
}

/**
 * The tree that `npm ci --ignore-scripts` makes of these archives, derived from the archives alone.
 *
 * Every rule is one of npm 11: pacote lib/fetcher.js (links dropped, `.gitignore` renamed, modes widened),
 * pacote lib/file.js (the package's own bins become executable), bin-links lib/fix-bin.js (CRLF hashbang,
 * mode 0755) and link-gently.js (the first package that names a bin in a folder has it). Modes are those of
 * an image: 0755 where the owner may execute, else 0644.
 */
export function expectedTree(packages: readonly PackageInput[]): ExpectedTree {
  const files = new Map<string, PlannedFile>();
  const transforms: Transform[] = [];
  for (const { path, archive } of packages) {
    if (archive !== null) unpack(path, archive, { files, transforms });
  }
  const links = linkBins(packages, { files, transforms });
  const entries = new Map<string, TreeEntry>();
  for (const [path, { mode, sizeBytes, sha256 }] of files) {
    entries.set(path, { kind: 'file', path, mode: toOctal(mode), sizeBytes, sha256 });
  }
  for (const [path, target] of links) entries.set(path, { kind: 'symlink', path, target });
  return { entries, transforms };
}

interface Draft {
  readonly files: Map<string, PlannedFile>;
  readonly transforms: Transform[];
}

function unpack(root: string, archive: ReadArchive, draft: Draft): void {
  const ignores = new Set<string>();
  for (const entry of archive.entries) {
    const path = stripFirst(entry.path);
    if (path === null) continue;
    if (entry.kind === 'link') {
      note(draft, { kind: 'link-dropped', path: posix.join(root, path), before: entry.target, after: null });
    }
    if (entry.kind !== 'file') continue;
    const kept = keepIgnoreFile(root, path, ignores, draft);
    if (kept !== null) unpackFile(posix.join(root, kept), entry, draft);
  }
  const paths = archive.entries.flatMap((entry) => stripFirst(entry.path) ?? []);
  for (const target of binMapOf(archive.packageJson, paths).values()) {
    makeExecutable(posix.join(root, target), draft);
  }
}

function unpackFile(path: string, entry: ArchiveEntry, draft: Draft): void {
  const mode = normaliseFileMode(entry.mode);
  if (mode !== entry.mode) {
    note(draft, { kind: 'mode-mask', path, before: toOctal(entry.mode), after: toOctal(mode) });
  }
  const { sizeBytes, sha256, unixForm } = entry;
  draft.files.set(path, { mode, sizeBytes, sha256, unixForm });
}

/** The path without its first part; null for what npm does not unpack at all. */
function stripFirst(path: string): string | null {
  const parts = path.split('/').slice(1);
  if (parts.includes('..')) return null;
  const kept = parts.filter((part) => part !== '' && part !== '.').join('/');
  return kept === '' ? null : kept;
}

/**
 * npm turns `.gitignore` into `.npmignore`, unless it saw one in that folder before: then it drops it.
 * Returns the path that is written, or null.
 */
function keepIgnoreFile(root: string, path: string, seen: Set<string>, draft: Draft): string | null {
  const name = posix.basename(path);
  if (name === '.npmignore') seen.add(path);
  if (name !== '.gitignore') return path;
  const renamed = path.replace(/\.gitignore$/u, '.npmignore');
  const after = seen.has(renamed) ? null : posix.join(root, renamed);
  const before = posix.join(root, path);
  note(draft, { kind: 'renamed', path: before, before, after });
  return after === null ? null : renamed;
}

function makeExecutable(path: string, draft: Draft): void {
  const file = draft.files.get(path);
  if (file === undefined || file.mode === 0o755) return;
  note(draft, { kind: 'bin-mode', path, before: toOctal(file.mode), after: toOctal(0o755) });
  draft.files.set(path, { ...file, mode: 0o755 });
}

function linkBins(packages: readonly PackageInput[], draft: Draft): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  const claimed = new Set<string>();
  for (const { path, bins } of [...packages].sort(byDepthThenPath)) {
    const folder = `${path.slice(0, path.lastIndexOf('node_modules/'))}node_modules/.bin`;
    for (const [name, target] of bins) {
      const link = `${folder}/${name}`;
      const file = posix.join(path, target);
      if (claimed.has(link)) continue;
      claimed.add(link);
      if (!exists(file, draft)) continue;
      const after = posix.relative(folder, file);
      links.set(link, after);
      note(draft, { kind: 'bin-link', path: link, before: null, after });
      makeExecutable(file, draft);
      rewriteHashbang(file, draft);
    }
  }
  return links;
}

/** A bin's target may also be a folder; npm links it all the same. */
function exists(path: string, draft: Draft): boolean {
  if (draft.files.has(path)) return true;
  for (const file of draft.files.keys()) if (file.startsWith(`${path}/`)) return true;
  return false;
}

function rewriteHashbang(path: string, draft: Draft): void {
  const file = draft.files.get(path);
  if (file === undefined || file.unixForm === null) return;
  note(draft, { kind: 'crlf-shebang', path, before: file.sha256, after: file.unixForm.sha256 });
  draft.files.set(path, { ...file, ...file.unixForm, unixForm: null });
}

/** arborist lib/arborist/rebuild.js: the order in which packages claim bin names. */
function byDepthThenPath(left: PackageInput, right: PackageInput): number {
  const depth = (path: string): number => path.split('node_modules/').length;
  return depth(left.path) - depth(right.path) || left.path.localeCompare(right.path, 'en');
}

function note(draft: Draft, transform: Transform): void {
  draft.transforms.push(transform);
}

function toOctal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
