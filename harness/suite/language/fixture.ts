import { posix } from 'node:path';
import { isMap, isScalar, type Node } from 'yaml';
import type { CompiledFile } from '../compiled.ts';
import { FOREIGN_CWD, WRITABLE } from '../layout.ts';
import type { Context } from './context.ts';
import { FILE_KINDS, FOLDER_MODE, type PlacedFile, readEntry, readLaidMode, readTime } from './files.ts';
import type { FixtureTree } from './fixture-trees.ts';
import { FIXTURE_KEYS, KEYS } from './keys.ts';
import { readOwner } from './owners.ts';
import { readFilledText } from './placeholders.ts';
import { addOnce, type Fields, readFields, readInteger, readList, readPath, readText } from './read.ts';
import { suggest } from './suggest.ts';

/**
 * What the fixture of a case lays, parents first: the tree of a folder beside the suite with what its
 * `fixture.yaml` declares of it and adds to it. Nothing where a case has none, or turns that of its suite away.
 */
export function readFixture(node: Node | undefined, context: Context): readonly PlacedFile[] {
  const named = node ?? context.suiteFixture;
  if (named === undefined || (isScalar(named) && named.value === null)) return [];
  const { dir, at } = readPlace(named, context);
  if (dir === '') return [];
  const tree = context.trees.open(dir, named, context);
  return new Fixture(tree, { ...context, problems: tree.problems }, at)
    .files()
    .map((file) => ({ file, place: named }));
}

function readPlace(node: Node, context: Context): { readonly dir: string; readonly at: string } {
  const { problems } = context;
  if (!isMap(node)) return { dir: toFolder(readFilledText(node, context)), at: FOREIGN_CWD };
  const fields = readFields(node, { keys: KEYS.fixture, required: ['dir'] }, problems);
  const [dir, at] = [fields.get('dir'), fields.get('at')];
  return {
    dir: dir === undefined ? '' : toFolder(readFilledText(dir, context)),
    at: at === undefined ? FOREIGN_CWD : readPath(at, FOREIGN_CWD, problems),
  };
}

/** One spelling, so that a tree is read once. */
function toFolder(text: string): string {
  return text === '' ? '' : posix.normalize(`${text}/`).slice(0, -1);
}

/** The path of the fixture's own folder. */
const OWN_FOLDER = '.';

interface Laid {
  readonly entry: CompiledFile;
  readonly facts: readonly CompiledFile[];
}

class Fixture {
  readonly #context: Context;
  readonly #at: string;
  readonly #laid: Map<string, Laid>;

  constructor(tree: FixtureTree, context: Context, at: string) {
    this.#context = context;
    this.#at = at;
    const entries = tree.entries.map((entry) => ({ ...entry, path: `${at}/${entry.path}` }));
    this.#laid = new Map(entries.map((entry) => [entry.path, { entry, facts: [] }]));
    if (tree.root !== null) this.#declare(tree.root);
  }

  /** Entries in byte order of path, and each with what is said of it. */
  files(): readonly CompiledFile[] {
    const sorted = [...this.#laid].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.flatMap(([, { entry, facts }]) => [entry, ...facts]);
  }

  #declare(root: Node): void {
    const { problems } = this.#context;
    const required = ['formatVersion', 'entries'];
    const fields = readFields(root, { keys: FIXTURE_KEYS.fixture, required }, problems);
    const version = fields.get('formatVersion');
    if (version !== undefined && readInteger(version, { min: 0, max: 999 }, problems) !== 1) {
      problems.add(version, 'SUITE_VERSION_UNSUPPORTED', { expected: '1', actual: 'another' });
    }
    const entries = fields.get('entries');
    const seen = new Set<string>();
    for (const item of entries === undefined ? [] : readList(entries, problems)) this.#readItem(item, seen);
  }

  #readItem(item: Node, seen: Set<string>): void {
    const { problems } = this.#context;
    const fields = readFields(item, { keys: FIXTURE_KEYS.entry, required: ['path'] }, problems);
    const pathNode = fields.get('path');
    if (pathNode === undefined) return;
    if (readText(pathNode, problems).startsWith('/')) {
      problems.add(pathNode, 'PATH_WRONG', {
        expected: 'a path below the fixture',
        actual: 'an absolute one',
      });
      return;
    }
    const path = this.#readPath(pathNode);
    const isNew = !seen.has(path);
    addOnce(path, seen, pathNode, problems);
    if (!isNew) return;
    const entry = this.#toEntry(fields, path, pathNode);
    const times = readTime(fields, path, item, this.#context).map(({ file }) => file);
    const facts = [...times, ...readOwner(fields.get('owner'), path, this.#context)];
    if (entry !== null) this.#laid.set(path, { entry, facts });
  }

  /** Below the fixture, or `.` for its own folder, which is in the tree then as any other. */
  #readPath(node: Node): string {
    const { problems } = this.#context;
    const at = this.#at;
    if (readText(node, problems) !== OWN_FOLDER) return readPath(node, at, problems);
    if (WRITABLE.includes(at)) {
      const expected = 'a path below the fixture, whose own folder is part of every box';
      problems.add(node, 'PATH_WRONG', { expected, actual: at });
    }
    this.#laid.set(at, { entry: { kind: 'directory', path: at, mode: FOLDER_MODE }, facts: [] });
    return at;
  }

  /** What is declared to lie there, or what the tree has there with another mode. */
  #toEntry(fields: Fields, path: string, place: Node): CompiledFile | null {
    const { problems } = this.#context;
    const found = this.#laid.get(path)?.entry;
    if (FILE_KINDS.some((kind) => fields.has(kind))) {
      if (found !== undefined) {
        problems.add(place, 'ID_REPEATED', { expected: 'a path that the tree does not have', actual: path });
      }
      return readEntry(fields, path, this.#context);
    }
    if (found === undefined || !('mode' in found)) {
      const names = [...this.#laid.keys()].map((known) => known.slice(this.#at.length + 1));
      const actual = path.slice(this.#at.length + 1);
      const expected = 'a path of the tree, or a key for what lies there';
      problems.add(place, 'FIXTURE_PATH_UNKNOWN', { expected, actual: `${actual}${suggest(actual, names)}` });
      return null;
    }
    if (!['mode', 'owner', 'time'].some((key) => fields.has(key))) {
      problems.add(place, 'KEY_MISSING', { expected: 'a key mode, owner or time', actual: 'none' });
    }
    return { ...found, mode: readLaidMode(fields.get('mode'), found.mode, this.#context) };
  }
}

/** The files of a case over those of its fixture: what both have at a path is the case's, in the fixture's place. */
export function layOver(fixture: readonly PlacedFile[], own: readonly PlacedFile[]): readonly PlacedFile[] {
  const byPath = new Map<string, PlacedFile[]>();
  const told = new Set(own.map(({ file }) => file.path));
  for (const item of [...fixture.filter(({ file }) => !told.has(file.path)), ...own]) {
    byPath.set(item.file.path, [...(byPath.get(item.file.path) ?? []), item]);
  }
  const order = new Set([...fixture, ...own].map(({ file }) => file.path));
  return [...order].flatMap((path) => byPath.get(path) ?? []);
}
