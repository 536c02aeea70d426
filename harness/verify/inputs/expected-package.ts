import { posix } from 'node:path';
import type { Transform } from '../shape/inputs.ts';
import { type Bins, binsOf, parseManifest } from './bins.ts';
import type { ArchiveFile, CandidateArchive, Content } from './candidate-archive.ts';

/** A file of the installed package, with the mode that an image gives it. */
export interface ExpectedFile extends Content {
  readonly mode: '0644' | '0755';
}

export interface ExpectedPackage {
  /** By path from the install's root. */
  readonly files: ReadonlyMap<string, ExpectedFile>;
  readonly transforms: readonly Transform[];
}

/** A file that was unpacked, before bins are linked. */
export type UnpackedFile = ExpectedFile & { readonly unixForm: Content | null };

interface Draft {
  readonly root: string;
  readonly files: Map<string, UnpackedFile>;
  readonly transforms: Transform[];
}

/**
 * What the installer makes of the candidate's archive, by the closed list of its changes: links are dropped,
 * `.gitignore` becomes `.npmignore`, modes are widened, bins become executable and lose a CR after `#!`.
 *
 * `root` is the package's lock path, `linked` the bins that its lock entry has.
 * Source: npm 11, pacote lib/fetcher.js and lib/file.js, bin-links lib/fix-bin.js.
 */
export function expectPackage(archive: CandidateArchive, root: string, linked: Bins): ExpectedPackage {
  const draft = draftPackage(archive, root);
  for (const target of linked.values()) linkBin(posix.join(root, target), draft);
  return draft;
}

/** What is unpacked of an archive, by path from the install's root, before any bin is linked. */
export function unpackPackage(archive: CandidateArchive, root: string): ReadonlyMap<string, UnpackedFile> {
  return draftPackage(archive, root).files;
}

function draftPackage(archive: CandidateArchive, root: string): Draft {
  const draft: Draft = { root, files: new Map(), transforms: [] };
  const ignored = new Set<string>();
  for (const entry of archive.entries) unpack(entry, ignored, draft);
  const paths = archive.entries.flatMap(({ path }) => withoutTop(path) ?? []);
  const own = binsOf(parseManifest(archive.packageJson), paths);
  for (const target of own.values()) makeExecutable(posix.join(root, target), draft);
  return draft;
}

/** The file that a link in `.bin` leads to becomes executable, and loses a CR after `#!`. */
export function linkBin(file: string, draft: Omit<Draft, 'root'>): void {
  makeExecutable(file, draft);
  dropCarriageReturn(file, draft);
}

function unpack(entry: ArchiveFile, ignored: Set<string>, draft: Draft): void {
  const path = withoutTop(entry.path);
  if (path === null) return;
  const place = posix.join(draft.root, path);
  if (entry.kind === 'link') {
    draft.transforms.push({ kind: 'link-dropped', path: place, before: entry.linkTarget, after: null });
  }
  if (entry.kind !== 'file') return;
  if (posix.basename(path) === '.npmignore') ignored.add(path);
  if (posix.basename(path) !== '.gitignore') {
    lay(place, entry, draft);
    return;
  }
  const renamed = path.replace(/\.gitignore$/u, '.npmignore');
  const after = ignored.has(renamed) ? null : posix.join(draft.root, renamed);
  draft.transforms.push({ kind: 'renamed', path: place, before: place, after });
  if (after !== null) lay(after, entry, draft);
}

function lay(path: string, { mode, sizeBytes, sha256, unixForm }: ArchiveFile, draft: Draft): void {
  const kept = (mode & 0o100) === 0 ? '0644' : '0755';
  const written = mode.toString(8).padStart(4, '0');
  if (written !== kept) draft.transforms.push({ kind: 'mode-mask', path, before: written, after: kept });
  draft.files.set(path, { mode: kept, sizeBytes, sha256, unixForm });
}

/** npm cuts the first part off; what climbs is not unpacked. */
function withoutTop(path: string): string | null {
  const parts = path.split('/').slice(1);
  if (parts.includes('..')) return null;
  return parts.filter((part) => part !== '' && part !== '.').join('/') || null;
}

function makeExecutable(path: string, draft: Omit<Draft, 'root'>): void {
  const file = draft.files.get(path);
  if (file === undefined || file.mode === '0755') return;
  draft.transforms.push({ kind: 'bin-mode', path, before: file.mode, after: '0755' });
  draft.files.set(path, { ...file, mode: '0755' });
}

function dropCarriageReturn(path: string, draft: Omit<Draft, 'root'>): void {
  const file = draft.files.get(path);
  if (file === undefined || file.unixForm === null) return;
  const { unixForm, sha256 } = file;
  draft.transforms.push({ kind: 'crlf-shebang', path, before: sha256, after: unixForm.sha256 });
  draft.files.set(path, { ...file, ...unixForm, unixForm: null });
}
