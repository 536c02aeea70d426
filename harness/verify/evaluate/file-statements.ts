import type { Entry } from '../shape/receipt.ts';
import type { PlainExpectation } from '../shape/suite.ts';
import type { Scene, SeenCase } from './scene.ts';
import { least, NO, opposite, type Truth, truthOf, UNKNOWN, YES } from './truth.ts';

type Of<K extends PlainExpectation['kind']> = Extract<PlainExpectation, { readonly kind: K }>;
type FileKind = 'files-unchanged' | 'path-changed' | 'path-absent' | 'file-is' | 'control-undone';

/** One rule for each statement about what became of files. */
export const fileRules: { readonly [K in FileKind]: (stated: Of<K>, scene: Scene) => Truth } = {
  'files-unchanged': (stated, { own }) => {
    if (own === null || own.after === null) return UNKNOWN;
    const scope = (lines: readonly Entry[]): readonly Entry[] =>
      lines.filter(({ path }) => lies(path, stated.below) && !lies(path, stated.except));
    const before = scope(own.listed.before);
    const alike = areAlike(before, scope(own.listed.after), stated.compare);
    return alike === YES ? ifWhole(own, truthOf(before.length > 0)) : alike;
  },
  'control-undone': ({ control }, { own }) => {
    const undone = own?.controls.get(control)?.undone ?? null;
    if (own === null || undone === null) return UNKNOWN;
    const alike = areAlike(own.listed.before, undone, ['bytes', 'modes', 'times']);
    return alike === YES ? ifWhole(own, YES) : alike;
  },
  'path-changed': ({ path, change, control }, { own }) => {
    const after = entriesAfter(own, control);
    if (own === null || after === null) return UNKNOWN;
    const [was, is] = [at(own.listed.before, path), at(after, path)];
    if (was !== undefined && is !== undefined) {
      return change === 'changed' ? opposite(isAlike(was, is, ['bytes'])) : ifWhole(own, NO);
    }
    const here = change === 'created' ? is : change === 'removed' ? was : undefined;
    return ifWhole(own, truthOf(here !== undefined));
  },
  'path-absent': ({ path, control }, { own }) => {
    const after = entriesAfter(own, control);
    if (own === null || after === null) return UNKNOWN;
    if (at(after, path) !== undefined) return NO;
    const parts = path.split('/');
    for (let length = 2; length < parts.length; length += 1) {
      const above = at(after, parts.slice(0, length).join('/'));
      if (above?.kind === 'symlink') return UNKNOWN;
    }
    return ifWhole(own, YES);
  },
  'file-is': ({ path, type, mode, sha256, target, control }, { own }) => {
    const after = entriesAfter(own, control);
    if (own === null || after === null) return UNKNOWN;
    const line = at(after, path);
    if (line === undefined) return ifWhole(own, NO);
    if (line.kind !== type || line.mode !== (mode ?? line.mode)) return NO;
    if (target !== null && line.target !== target) return NO;
    if (sha256 === null) return YES;
    return line.sha256 === null ? UNKNOWN : truthOf(line.sha256 === sha256);
  },
};

/** The entries after a control, before its undo; without one those after the last step. */
function entriesAfter(own: SeenCase | null, control: string | null): readonly Entry[] | null {
  if (own === null) return null;
  if (control !== null) return own.controls.get(control)?.ran ?? null;
  return own.after === null ? null : own.listed.after;
}

/** The same entries, each alike in what is compared. */
function areAlike(before: readonly Entry[], after: readonly Entry[], compare: readonly string[]): Truth {
  const later = new Map(after.map((line) => [line.path, line]));
  const same = before.length === later.size && before.every((line) => later.has(line.path));
  return same ? least(before.map((line) => isAlike(line, later.get(line.path), compare))) : NO;
}

function ifWhole({ filesWhole }: SeenCase, truth: Truth): Truth {
  return filesWhole ? truth : UNKNOWN;
}

function at(lines: readonly Entry[], path: string): Entry | undefined {
  return lines.find((line) => line.path === path);
}

function isAlike(was: Entry, is: Entry | undefined, compare: readonly string[]): Truth {
  if (is === undefined || was.kind !== is.kind) return NO;
  const modes = was.mode === is.mode && was.uid === is.uid && was.gid === is.gid;
  if (compare.includes('modes') && !modes) return NO;
  if (compare.includes('times') && was.kind !== 'directory' && was.mtimeMs !== is.mtimeMs) return NO;
  if (!compare.includes('bytes')) return YES;
  if (was.target !== is.target) return NO;
  if (was.kind !== 'file') return YES;
  if (was.sizeBytes !== is.sizeBytes) return NO;
  return was.sha256 === null || is.sha256 === null ? UNKNOWN : truthOf(was.sha256 === is.sha256);
}

function lies(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => `${path}/`.startsWith(`${root}/`));
}
