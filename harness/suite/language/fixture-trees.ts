import type { Node } from 'yaml';
import { toBoxPath } from '../../document/box-path.ts';
import type { CompiledFile } from '../compiled.ts';
import { FILE_BYTES_LIMIT, FILES_LIMIT } from '../limits.ts';
import { SuiteTextError, type SuiteTextErrorCode } from './errors.ts';
import { Problems } from './problems.ts';
import type { BesideEntry, ReadBeside } from './read-beside.ts';
import { readSource } from './source.ts';

/** The document of a fixture, at the root of its tree; it is not laid. */
export const FIXTURE_FILE = 'fixture.yaml';

/** A folder or file of a tree on disk; its path is below the tree's root, in the text form of a box. */
export type TreeEntry = Extract<CompiledFile, { readonly kind: 'directory' | 'file' }>;

interface Surroundings {
  readonly problems: Problems;
  readonly readBeside: ReadBeside;
}

export interface FixtureTree {
  /** Parents first; none when there are problems. */
  readonly entries: readonly TreeEntry[];
  /** What `fixture.yaml` says, null where there is none. */
  readonly root: Node | null;
  /** Of that document, whose places are its own. */
  readonly problems: Problems;
}

/**
 * What git keeps of a mode, so that a tree is laid alike from every checkout: whether its owner may run a file.
 * What else a file or folder shall be is declared.
 */
const MODES = { directory: '0755', file: '0644', program: '0755' } as const;

/** What a checkout or another system changes, with where it belongs. */
const REFUSED = {
  link: {
    code: 'FIXTURE_LINK',
    expected: `files and folders; links, which a checkout may change, are declared in ${FIXTURE_FILE}`,
  },
  name: {
    code: 'FIXTURE_NAME',
    expected: `names in UTF-8; others are declared in ${FIXTURE_FILE}, with %XX for such a byte`,
  },
  other: {
    code: 'FIXTURE_KIND',
    expected: `files and folders; FIFOs and sockets are declared in ${FIXTURE_FILE}`,
  },
} as const;

/** The fixture trees beside one suite, each read once. */
export class FixtureTrees {
  readonly #trees = new Map<string, FixtureTree>();

  /** The tree of a folder beside the suite; what is wrong with its files is a problem at `place`. */
  open(dir: string, place: Node, context: Surroundings): FixtureTree {
    const known = this.#trees.get(dir);
    if (known !== undefined) return known;
    const entries = new TreeReader(dir, place, context).read();
    const tree = { entries, ...readDocument(`${dir}/${FIXTURE_FILE}`, context) };
    this.#trees.set(dir, tree);
    return tree;
  }

  get problems(): readonly Problems[] {
    return [...this.#trees.values()].map(({ problems }) => problems);
  }
}

function readDocument(path: string, context: Surroundings): Pick<FixtureTree, 'root' | 'problems'> {
  const problems = new Problems(path);
  const found = context.readBeside(path);
  if (found.bytes === null) return { root: null, problems };
  try {
    return { root: readSource(found.bytes, problems), problems };
  } catch (error) {
    if (error instanceof SuiteTextError) return { root: null, problems };
    throw error;
  }
}

/** Reads one tree, never through a link, and refuses what is not the same in every checkout. */
class TreeReader {
  readonly #dir: string;
  readonly #place: Node;
  readonly #context: Surroundings;
  readonly #entries: TreeEntry[] = [];
  #sizeBytes = 0;
  #isTooLarge = false;

  constructor(dir: string, place: Node, context: Surroundings) {
    this.#dir = dir;
    this.#place = place;
    this.#context = context;
  }

  read(): readonly TreeEntry[] {
    this.#readFolder('');
    return this.#entries;
  }

  #readFolder(below: string): void {
    const path = `${this.#dir}${below}`;
    const found = this.#context.readBeside(path);
    if (found.bytes !== null || found.entries === undefined) {
      const actual = `${path}: ${found.bytes === null ? found.reason : 'a file'}`;
      this.#refuse('FIXTURE_UNREADABLE', 'a folder beside the suite or below', actual);
      return;
    }
    const names = found.entries.map(({ name }) => name);
    this.#refuseTwins(path, names);
    for (const { name, kind } of found.entries) {
      if (this.#isTooLarge) return;
      this.#readEntry(`${below}/${name}`, kind);
    }
  }

  #readEntry(below: string, kind: BesideEntry['kind']): void {
    if (below === `/${FIXTURE_FILE}`) return;
    if (kind === 'directory') {
      this.#add({ kind, path: toPath(below), mode: MODES.directory }, 0);
      this.#readFolder(below);
    } else if (kind === 'file') {
      this.#readFile(below);
    } else {
      const { code, expected } = REFUSED[kind];
      this.#refuse(code, expected, `${this.#dir}${below}`);
    }
  }

  #readFile(below: string): void {
    const found = this.#context.readBeside(`${this.#dir}${below}`);
    if (found.bytes === null) {
      const actual = `${this.#dir}${below}: ${found.reason}`;
      this.#refuse('FIXTURE_UNREADABLE', 'a file that can be read', actual);
      return;
    }
    const mode = found.isExecutable === true ? MODES.program : MODES.file;
    const contentBase64 = Buffer.from(found.bytes).toString('base64');
    this.#add({ kind: 'file', path: toPath(below), mode, contentBase64 }, found.bytes.byteLength);
  }

  #add(entry: TreeEntry, sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
    if (this.#entries.length < FILES_LIMIT && this.#sizeBytes <= FILE_BYTES_LIMIT) {
      this.#entries.push(entry);
      return;
    }
    this.#isTooLarge = true;
    const expected = `at most ${FILES_LIMIT} entries and ${FILE_BYTES_LIMIT} bytes`;
    this.#refuse('FIXTURE_TOO_LARGE', expected, `${this.#dir} has more`);
  }

  /** Some file systems keep only one of two such names, and the tree would be another there. */
  #refuseTwins(folder: string, names: readonly string[]): void {
    const seen = new Map<string, string>();
    for (const name of names) {
      const folded = name.normalize('NFC').toLowerCase();
      const twin = seen.get(folded);
      if (twin !== undefined) {
        const expected = `names that every file system tells apart; ${FIXTURE_FILE} declares the other`;
        this.#refuse('FIXTURE_TWINS', expected, `${folder}/${twin} and ${name}`);
      }
      seen.set(folded, name);
    }
  }

  #refuse(code: SuiteTextErrorCode, expected: string, actual: string): void {
    this.#context.problems.add(this.#place, code, { expected, actual });
  }
}

function toPath(below: string): string {
  return toBoxPath(Buffer.from(below.slice(1), 'utf8'));
}
