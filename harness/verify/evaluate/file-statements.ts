import type { FilesLine } from '../shape/receipt.ts';
import type { PlainExpectation } from '../shape/suite.ts';
import type { Scene, SeenCase } from './scene.ts';
import { NO, opposite, type Truth, truthOf, UNKNOWN, YES } from './truth.ts';

type Of<K extends PlainExpectation['kind']> = Extract<PlainExpectation, { readonly kind: K }>;
type FileKind = 'files-unchanged' | 'path-changed' | 'path-absent' | 'file-is';

/** One rule for each statement about what became of files. */
export const fileRules: { readonly [K in FileKind]: (stated: Of<K>, scene: Scene) => Truth } = {
  'files-unchanged': (stated, { own }) => {
    if (own === null || own.after === null) return UNKNOWN;
    const scope = (lines: readonly FilesLine[]): ReadonlyMap<string, FilesLine> =>
      new Map(
        lines
          .filter(({ path }) => lies(path, stated.below) && !lies(path, stated.except))
          .map((line) => [nameOf(line), line]),
      );
    const [before, after] = [scope(own.listed.before), scope(own.listed.after)];
    const gone = [...before.keys()].some((name) => !after.has(name));
    if (gone || before.size !== after.size) return NO;
    const truths = [...before].map(([name, line]) => isAlike(line, after.get(name), stated.compare));
    if (truths.includes(NO)) return NO;
    if (truths.includes(UNKNOWN)) return UNKNOWN;
    return ifWhole(own, truthOf(before.size > 0));
  },
  'path-changed': ({ path, change }, { own }) => {
    if (own === null || own.after === null) return UNKNOWN;
    const [was, is] = [at(own.listed.before, path), at(own.listed.after, path)];
    if (was !== undefined && is !== undefined) {
      return change === 'changed' ? opposite(isAlike(was, is, ['bytes'])) : ifWhole(own, NO);
    }
    const here = change === 'created' ? is : change === 'removed' ? was : undefined;
    return ifWhole(own, truthOf(here !== undefined));
  },
  'path-absent': ({ path }, { own }) => {
    if (own === null || own.after === null) return UNKNOWN;
    if (at(own.listed.after, path) !== undefined) return NO;
    const parts = path.split('/');
    for (let length = 2; length < parts.length; length += 1) {
      const above = at(own.listed.after, parts.slice(0, length).join('/'));
      if (above?.kind === 'symlink') return UNKNOWN;
    }
    return ifWhole(own, YES);
  },
  'file-is': ({ path, type, mode, sha256, target }, { own }) => {
    if (own === null || own.after === null) return UNKNOWN;
    const line = at(own.listed.after, path);
    if (line === undefined) return ifWhole(own, NO);
    if (line.kind !== type || line.mode !== (mode ?? line.mode)) return NO;
    if (target !== null && line.target !== target) return NO;
    if (sha256 === null) return YES;
    return line.sha256 === null ? UNKNOWN : truthOf(line.sha256 === sha256);
  },
};

function ifWhole({ filesWhole }: SeenCase, truth: Truth): Truth {
  return filesWhole ? truth : UNKNOWN;
}

/** Names that are no UTF-8 are told apart by their own bytes. */
function nameOf({ path, rawPath }: FilesLine): string {
  return rawPath === null ? path : `\0${rawPath}`;
}

function at(lines: readonly FilesLine[], path: string): FilesLine | undefined {
  return lines.find((line) => line.rawPath === null && line.path === path);
}

function isAlike(was: FilesLine, is: FilesLine | undefined, compare: readonly string[]): Truth {
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
