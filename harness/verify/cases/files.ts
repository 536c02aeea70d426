import { createHash } from 'node:crypto';
import type { Findings } from '../finding.ts';
import { isPathText, toPathBytes } from '../path-text.ts';
import type { Entry, FilesLine } from '../shape/receipt.ts';
import type { SuiteCase, SuiteFile } from '../shape/suite.ts';
import type { StoredAttempt } from './stored-attempt.ts';

/** Owner of everything that is laid into a box, unless the suite gives it to another. */
const BOX_UID = 1000;

/** Holds the listing of an attempt's writable places to its order, and its start to the declared files. */
export function checkFiles(
  declared: SuiteCase,
  { attempt, base, files }: StoredAttempt,
  { seesSockets, findings }: { readonly seesSockets: boolean; readonly findings: Findings },
): void {
  const path = `${base}files.ndjson`;
  checkOrder(files, path, findings);
  for (const [index, line] of files.entries()) checkEntry(line, `${path}:${index + 1}`, findings);
  if (attempt.filesTruncated.length > 0) return;
  const before = files.filter(({ when }) => when === 'before').map(describe);
  const laid = listLaid(declared.files, seesSockets);
  for (let index = 0; index < Math.max(before.length, laid.length); index += 1) {
    const [expected, actual] = [laid[index] ?? 'nothing', before[index] ?? 'nothing'];
    if (expected !== actual) {
      findings.add('FILES_BEFORE', path, expected, actual);
      return;
    }
  }
  for (const file of declared.files) {
    if (file.kind !== 'times') continue;
    const found = files.find(({ when, path: at }) => when === 'before' && at === file.path);
    findings.same(
      'FILES_BEFORE',
      `${path} ${file.path} mtimeMs`,
      file.mtimeSeconds * 1000,
      found?.mtimeMs ?? 'nothing',
    );
  }
}

/** What a listing of the laid files is, in its order; an engine that packs files cannot pack sockets. */
export function listLaid(files: readonly SuiteFile[], seesSockets: boolean): readonly string[] {
  const owners = new Map<string, string>();
  for (const file of files) {
    if (file.kind === 'owner') owners.set(file.path, `${file.uid}:${file.gid}`);
  }
  return files
    .filter((file) => isEntry(file) && (seesSockets || file.kind !== 'socket'))
    .sort((a, b) => compareBytes(a.path, b.path))
    .map((file) => describeLaid(file, owners.get(file.path) ?? `${BOX_UID}:${BOX_UID}`));
}

/** First all entries before, then all after, each in byte order of path and no path twice. */
function checkOrder(files: readonly FilesLine[], path: string, findings: Findings): void {
  for (let index = 1; index < files.length; index += 1) {
    const [one, other] = [files[index - 1], files[index]];
    if (one === undefined || other === undefined) continue;
    const ordered =
      one.when === other.when
        ? comparePaths(one, other) < 0
        : one.when === 'before' && other.when === 'after';
    if (!ordered) {
      findings.add(
        'FILES_ORDER',
        `${path}:${index + 1}`,
        `after ${one.when} ${one.path}`,
        `${other.when} ${other.path}`,
      );
      return;
    }
  }
}

/** Only a link has a target, only a regular file a digest, and names are in their one text. */
export function checkEntry({ kind, target, sha256, path }: Entry, at: string, findings: Findings): void {
  if ((kind === 'symlink') !== (target !== null)) findings.add('FILES_ENTRY', `${at}.target`, kind, target);
  for (const [name, text] of [
    ['path', path],
    ['target', target ?? ''],
  ] as const) {
    if (!isPathText(text)) findings.add('FILES_NAME', `${at}.${name}`, 'the one text of its bytes', text);
  }
  if (kind !== 'file' && sha256 !== null) findings.add('FILES_ENTRY', `${at}.sha256`, null, sha256);
}

export function describe({ kind, path, mode, uid, gid, sizeBytes, sha256, target }: Entry): string {
  const size = kind === 'file' ? String(sizeBytes) : '';
  const parts = [
    size,
    kind,
    path,
    `${uid}:${gid}`,
    kind === 'symlink' ? '' : mode,
    sha256 ?? '',
    target ?? '',
  ];
  return parts.join(' ');
}

/** Something that lies there, and no fact about something that does. */
export function isEntry({ kind }: SuiteFile): boolean {
  return kind !== 'times' && kind !== 'owner';
}

function describeLaid(file: SuiteFile, owner: string): string {
  const mode = 'mode' in file ? file.mode : '';
  const content = contentOf(file);
  const sha256 = content === null ? '' : createHash('sha256').update(content).digest('hex');
  const size = content === null ? '' : String(content.length);
  const target = file.kind === 'symlink' ? file.target : '';
  const kind = file.kind === 'sparse' ? 'file' : file.kind;
  return [size, kind, file.path, owner, mode, sha256, target].join(' ');
}

/** Null for what is no regular file. */
function contentOf(file: SuiteFile): Buffer | null {
  if (file.kind === 'sparse') return Buffer.alloc(file.sizeBytes);
  return file.kind === 'file' ? Buffer.from(file.contentBase64, 'base64') : null;
}

export function comparePaths(one: Entry, other: Entry): number {
  return compareBytes(one.path, other.path);
}

/** By the bytes that the texts stand for. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(toPathBytes(one), toPathBytes(other));
}
