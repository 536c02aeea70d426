import { isMap, type Node } from 'yaml';
import { sha256Hex } from '../../document/digest.ts';
import type { Expectation } from '../compiled.ts';
import { FOREIGN_CWD } from '../layout.ts';
import { readBesideAsBase64, toBase64 } from './content.ts';
import type { Context } from './context.ts';
import { readMode } from './files.ts';
import { KEYS, WORDS } from './keys.ts';
import { readFilledText, readTarget } from './placeholders.ts';
import { readBase64, readFields, readOneOrMore, readPath, readWord } from './read.ts';
import type { Statement } from './streams.ts';

/** What a file is held against besides a stream. */
export const FILE_STATEMENTS = ['equals', 'equalsBase64', 'equalsFile', 'target', 'is'] as const;

/** Paths of which each is stated by itself. */
const CHANGES = ['created', 'removed', 'changed'] as const;

/** What lies at a path: its content, a link's target, or its kind, and where it is given its mode. */
export function readFileIs(
  stated: {
    readonly key: (typeof FILE_STATEMENTS)[number];
    readonly value: Node;
    readonly path: string;
    readonly mode: Node | undefined;
    readonly control: string | null;
  },
  context: Context,
): Expectation {
  const { key, value, path } = stated;
  const mode = stated.mode === undefined ? null : readMode(stated.mode, '0644', context);
  const { control } = stated;
  const found = { kind: 'file-is', path, mode, sha256: null, target: null, control } as const;
  if (key === 'is') return { ...found, type: readWord(value, WORDS.fileType, context.problems) };
  if (key === 'target') return { ...found, type: 'symlink', target: readTarget(value, context) };
  return {
    ...found,
    type: 'file',
    sha256: sha256Hex(Buffer.from(readContentOf(key, value, context), 'base64')),
  };
}

function readContentOf(key: 'equals' | 'equalsBase64' | 'equalsFile', node: Node, context: Context): string {
  if (key === 'equalsBase64') return readBase64(node, context.problems);
  return key === 'equalsFile' ? readBesideAsBase64(node, context) : toBase64(readFilledText(node, context));
}

/** What became of files, each key and each path a statement of its own. */
export function readFilesStatements(
  node: Node,
  control: string | null,
  context: Context,
): readonly Statement[] {
  const { problems } = context;
  const fields = readFields(node, { keys: KEYS.files }, problems);
  if (isMap(node) && node.items.length === 0) {
    problems.add(node, 'LIST_EMPTY', { expected: 'at least one statement', actual: 'none' });
  }
  const each = (key: string, toExpectation: (path: string) => Expectation): readonly Statement[] => {
    const found = fields.get(key);
    if (found === undefined) return [];
    return readOneOrMore(found, problems).map((place) => ({
      label: `files.${key}`,
      expect: toExpectation(readPath(place, FOREIGN_CWD, problems)),
      place,
    }));
  };
  const unchanged = fields.get('unchanged');
  if (unchanged !== undefined && control !== null) {
    const expected = 'no unchanged after a control, whose undo is checked by itself';
    problems.add(unchanged, 'KEY_CONFLICT', { expected, actual: 'one' });
  }
  return [
    ...(unchanged === undefined ? [] : [readUnchanged(unchanged, context)]),
    ...CHANGES.flatMap((change) => each(change, (path) => ({ kind: 'path-changed', path, change, control }))),
    ...each('absent', (path) => ({ kind: 'path-absent', path, control })),
  ];
}

function readUnchanged(node: Node, { problems }: Context): Statement {
  const fields = readFields(node, { keys: KEYS.unchanged, required: ['below'] }, problems);
  const paths = (key: string): readonly string[] => {
    const found = fields.get(key);
    if (found === undefined) return [];
    return readOneOrMore(found, problems).map((item) => readPath(item, FOREIGN_CWD, problems));
  };
  const compare = fields.get('compare');
  const aspects =
    compare === undefined
      ? WORDS.aspect
      : readOneOrMore(compare, problems).map((item) => readWord(item, WORDS.aspect, problems));
  const expect: Expectation = {
    kind: 'files-unchanged',
    below: paths('below'),
    except: paths('except'),
    compare: [...new Set(aspects)],
  };
  return { label: 'files.unchanged', expect, place: node };
}
