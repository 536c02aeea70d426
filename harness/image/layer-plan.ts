import { sortByBytes } from './byte-order.ts';
import { type ImageCode, ImageError } from './errors.ts';
import type { LayerEntry } from './layer-entry.ts';

/** Where engines mount, and what leads there: nothing but real directories may lie at these paths. */
const MOUNT_POINTS = ['dev', 'home', 'home/node', 'proc', 'sys', 'tmp', 'work', 'etc'];
/** Engines lay a file of their own over these; a link there would lead their write elsewhere. */
const MOUNT_FILES = ['etc/passwd', 'etc/group', 'etc/hosts', 'etc/hostname', 'etc/resolv.conf'];
/** Linux PATH_MAX: a longer path or target could not be opened in the box. */
const PATH_MAX_BYTES = 4095;
/** Linux NAME_MAX. */
const NAME_MAX_BYTES = 255;
/** A string with one of these has no UTF-8 form. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** The ustar size field holds eleven octal digits. */
const SIZE_MAX_BYTES = 8 ** 11 - 1;

/** What a layer may hold. */
export interface LayerRules {
  /** Every path lies at or below this one; null for the base layer, which may lie anywhere. */
  readonly prefix: string | null;
  /**
   * `candidate` when the content is the candidate's doing, so that a refusal counts against it; `usage` when
   * it was handed in as the base, or pinned by a suite.
   */
  readonly fault: 'candidate' | 'infrastructure' | 'usage';
  /** Files have no bit to write them, not even for root. */
  readonly readOnly?: boolean;
}

/**
 * Brings entries into the one form in which a layer is written: checked, modes normalised, parents added and
 * first, byte order of path.
 *
 * @throws {ImageError} PATH_INVALID, PATH_DUPLICATE, PATH_OUTSIDE_PREFIX, PARENT_NOT_DIRECTORY,
 * MOUNT_POINT_NOT_DIRECTORY, MODE_FORBIDDEN, LINK_TARGET_INVALID, LINK_ESCAPES_PREFIX, FILE_TOO_LARGE,
 * LAYER_EMPTY; `where` is the path.
 * Source of "no duplicates": OCI image-spec layer.md; of mode and owner rules: evidence-standards §7.
 */
export function planLayer(entries: readonly LayerEntry[], rules: LayerRules): readonly LayerEntry[] {
  const byPath = new Map<string, LayerEntry>();
  for (const entry of entries) {
    checkEntry(entry, rules);
    if (byPath.has(entry.path)) refuse(rules, 'PATH_DUPLICATE', entry.path, 'one entry a path');
    byPath.set(entry.path, toReadOnly(normaliseEntry(entry), rules));
  }
  if (byPath.size === 0) refuse(rules, 'LAYER_EMPTY', rules.prefix ?? '/', 'at least one entry');
  addParents(byPath, rules);
  return sortByBytes([...byPath.values()], (entry) => entry.path);
}

/** Permission bits as an image holds them: what its owner could execute, all can; nobody writes. */
export function normaliseFileMode(mode: number): 0o644 | 0o755 {
  return (mode & 0o100) === 0 ? 0o644 : 0o755;
}

function toReadOnly(entry: LayerEntry, { readOnly }: LayerRules): LayerEntry {
  return readOnly === true && entry.kind === 'file' ? { ...entry, mode: entry.mode & 0o555 } : entry;
}

function normaliseEntry(entry: LayerEntry): LayerEntry {
  switch (entry.kind) {
    case 'directory':
      return { ...entry, mode: entry.path === 'tmp' ? 0o1777 : 0o755 };
    case 'file':
      return { ...entry, mode: normaliseFileMode(entry.mode) };
    case 'symlink':
      return entry;
  }
}

function checkEntry(entry: LayerEntry, rules: LayerRules): void {
  checkPath(entry.path, rules);
  if (entry.kind !== 'directory' && MOUNT_POINTS.includes(entry.path)) {
    refuse(rules, 'MOUNT_POINT_NOT_DIRECTORY', entry.path, 'a directory', entry.kind);
  }
  if (entry.kind !== 'file' && MOUNT_FILES.includes(entry.path)) {
    refuse(rules, 'MOUNT_POINT_NOT_DIRECTORY', entry.path, 'a regular file', entry.kind);
  }
  if (entry.kind === 'symlink') checkTarget(entry.path, entry.target, rules);
  else if ((entry.mode & 0o6000) !== 0) {
    refuse(rules, 'MODE_FORBIDDEN', entry.path, 'no setuid or setgid bit', entry.mode.toString(8));
  }
  if (entry.kind === 'file' && entry.sizeBytes > SIZE_MAX_BYTES) {
    refuse(rules, 'FILE_TOO_LARGE', entry.path, `at most ${SIZE_MAX_BYTES} bytes`, String(entry.sizeBytes));
  }
}

function checkPath(path: string, rules: LayerRules): void {
  const parts = path.split('/');
  const bad = parts.some(
    (part) => part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > NAME_MAX_BYTES,
  );
  if (bad || path.includes('\0') || LONE_SURROGATE.test(path) || Buffer.byteLength(path) > PATH_MAX_BYTES) {
    refuse(rules, 'PATH_INVALID', path, 'a relative path without empty or dot parts');
  }
  const { prefix } = rules;
  if (prefix !== null && path !== prefix && !path.startsWith(`${prefix}/`)) {
    refuse(rules, 'PATH_OUTSIDE_PREFIX', path, `a path below ${prefix}`);
  }
}

function checkTarget(path: string, target: string, rules: LayerRules): void {
  const bytes = Buffer.byteLength(target);
  if (bytes === 0 || bytes > PATH_MAX_BYTES || target.includes('\0') || LONE_SURROGATE.test(target)) {
    refuse(rules, 'LINK_TARGET_INVALID', path, 'a link target', target);
  }
  const { prefix } = rules;
  if (prefix === null) return;
  const resolved = resolveTarget(path, target);
  if (resolved !== prefix && !resolved?.startsWith(`${prefix}/`)) {
    refuse(rules, 'LINK_ESCAPES_PREFIX', path, `a target below ${prefix}`, target);
  }
}

/** Where a link leads by its words alone, from the root; null when it climbs above the root. */
function resolveTarget(path: string, target: string): string | null {
  const parts = target.startsWith('/') ? [] : path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function addParents(byPath: Map<string, LayerEntry>, rules: LayerRules): void {
  for (const path of [...byPath.keys()]) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      const known = byPath.get(parent);
      if (known === undefined)
        byPath.set(parent, normaliseEntry({ kind: 'directory', path: parent, mode: 0o755 }));
      else if (known.kind !== 'directory')
        refuse(rules, 'PARENT_NOT_DIRECTORY', path, 'a directory above', parent);
      else break;
    }
  }
}

function refuse(rules: LayerRules, code: ImageCode, where: string, expected: string, actual = where): never {
  throw new ImageError(rules.fault, code, 'layer', { where, expected, actual });
}
