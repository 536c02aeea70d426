import { isScalar, type Node } from 'yaml';
import type { CompiledFile, CompiledStep } from '../compiled.ts';
import { FOREIGN_CWD, isWritable, WRITABLE } from '../layout.ts';
import { CONTENT_KEYS, readContent } from './content.ts';
import type { Context } from './context.ts';
import { KEYS } from './keys.ts';
import { readOwner } from './owners.ts';
import { readTarget } from './placeholders.ts';
import {
  addOnce,
  type Fields,
  pickOne,
  readBoolean,
  readFields,
  readFormed,
  readList,
  readPath,
  readSize,
  wrongType,
} from './read.ts';

const FILE_MODE = '0644';
export const FOLDER_MODE = '0755';
/** The keys that say what lies at a path. */
export const FILE_KINDS = [...CONTENT_KEYS, 'symlink', 'fifo', 'socket', 'sparse', 'directory'] as const;
const TIME = {
  pattern: /^(19[7-9][0-9]|20[0-9]{2})-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z$/,
  expected: 'a time such as 2001-02-03T04:05:06Z',
};

export interface PlacedFile {
  readonly file: CompiledFile;
  readonly place: Node;
}

/** The files that a case names, in its order. */
export function readFiles(node: Node | undefined, context: Context): readonly PlacedFile[] {
  if (node === undefined) return [];
  const seen = new Set<string>();
  return readList(node, context.problems).flatMap((item) => {
    const fields = readFields(item, { keys: KEYS.file, required: ['path'] }, context.problems);
    const pathNode = fields.get('path');
    const path = pathNode === undefined ? FOREIGN_CWD : readPath(pathNode, FOREIGN_CWD, context.problems);
    if (pathNode !== undefined) addOnce(path, seen, pathNode, context.problems);
    const owner = readOwner(fields.get('owner'), path, context);
    return [
      { file: readEntry(fields, path, context), place: item },
      ...readTime(fields, path, item, context),
      ...owner.map((file) => ({ file, place: item })),
    ];
  });
}

/** When the entry was last modified, in whole seconds: what every way of reading it back can tell. */
export function readTime(
  fields: Fields,
  path: string,
  place: Node,
  { problems }: Context,
): readonly PlacedFile[] {
  const node = fields.get('time');
  if (node === undefined) return [];
  const text = readFormed(node, TIME, problems);
  const seconds = Date.parse(text) / 1000;
  if (TIME.pattern.test(text) && Number.isNaN(seconds)) {
    problems.add(node, 'VALUE_WRONG', { expected: 'a time that exists', actual: text });
  }
  return [{ file: { kind: 'times', path, mtimeSeconds: Number.isNaN(seconds) ? 0 : seconds }, place }];
}

/** What is said to lie at a path. */
export function readEntry(fields: Fields, path: string, context: Context): CompiledFile {
  const kind = pickOne(fields, FILE_KINDS, context.problems);
  const node = kind === null ? undefined : fields.get(kind);
  const modeOr = (mode: string): string => readLaidMode(fields.get('mode'), mode, context);
  if (kind === 'symlink' && node !== undefined) {
    const mode = fields.get('mode');
    if (mode !== undefined) {
      context.problems.add(mode, 'KEY_CONFLICT', { expected: 'no mode for a link', actual: 'one' });
    }
    return { kind, path, target: readTarget(node, context) };
  }
  if (kind === 'sparse' && node !== undefined) {
    return { kind, path, mode: modeOr(FILE_MODE), sizeBytes: readSize(node, context.problems) };
  }
  if ((kind === 'fifo' || kind === 'socket' || kind === 'directory') && node !== undefined) {
    if (!readBoolean(node, context.problems)) {
      context.problems.add(node, 'VALUE_WRONG', { expected: 'true, or no such key', actual: 'false' });
    }
    return { kind, path, mode: modeOr(kind === 'directory' ? FOLDER_MODE : FILE_MODE) };
  }
  const contentBase64 = kind === null ? '' : readContent(fields, context);
  return { kind: 'file', path, mode: modeOr(FILE_MODE), contentBase64 };
}

/** Octal digits in quotes: YAML 1.2 reads a bare 0644 as six hundred and forty-four. */
export function readMode(node: Node | undefined, fallback: string, context: Context): string {
  if (node === undefined) return fallback;
  const expected = 'four octal digits in quotes';
  if (!isScalar(node) || typeof node.value !== 'string') {
    wrongType(node, expected, context.problems);
    return fallback;
  }
  if (/^[0-7]{4}$/.test(node.value)) return node.value;
  context.problems.add(node, 'MODE_WRONG', { expected, actual: node.value });
  return fallback;
}

/** The same for what is laid, where nothing may change its user. */
export function readLaidMode(node: Node | undefined, fallback: string, context: Context): string {
  const mode = readMode(node, fallback, context);
  if (node === undefined || /^[01]/.test(mode)) return mode;
  const expected = 'a mode without set-user-id and set-group-id bit';
  context.problems.add(node, 'MODE_WRONG', { expected, actual: mode });
  return fallback;
}

/**
 * Adds the folders that named files, working folders and output files lie in: nobody should have to write
 * them, and a step whose working folder is missing does not start.
 */
export function withFolders(
  named: readonly PlacedFile[],
  around: {
    readonly steps: readonly CompiledStep[];
    /** Files that controls lay later. */
    readonly laid: readonly PlacedFile[];
    readonly place: Node;
  },
): readonly PlacedFile[] {
  const { steps, place } = around;
  const laid = new Set<string>(WRITABLE);
  const all: PlacedFile[] = [];
  const own = new Set(named.map(({ file }) => file.path));
  const lay = (path: string): void => {
    if (laid.has(path) || own.has(path) || !isWritable(path)) return;
    lay(path.slice(0, path.lastIndexOf('/')));
    laid.add(path);
    all.push({ file: { kind: 'directory', path, mode: FOLDER_MODE }, place });
  };
  // The default working folder is there for files of a case whose steps all go elsewhere, too.
  lay(FOREIGN_CWD);
  // Times go after all entries, since one that is laid later changes that of its folder; owners go last.
  for (const item of named.filter(({ file }) => file.kind !== 'times' && file.kind !== 'owner')) {
    lay(item.file.path.slice(0, item.file.path.lastIndexOf('/')));
    laid.add(item.file.path);
    all.push(item);
  }
  for (const { file } of around.laid) lay(file.path.slice(0, file.path.lastIndexOf('/')));
  for (const step of steps) {
    lay(step.cwd);
    if (typeof step.stdout === 'object' && 'file' in step.stdout) {
      lay(step.stdout.file.slice(0, step.stdout.file.lastIndexOf('/')));
    }
  }
  const facts = (kind: 'times' | 'owner'): readonly PlacedFile[] =>
    named.filter(({ file }) => file.kind === kind);
  return [...all, ...facts('times'), ...facts('owner')];
}
