import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  at,
  type Base,
  encode,
  type Files,
  type KeptFile,
  type StoredBase,
  sortedPaths,
  sum,
  toFiles,
} from './bundle.ts';
import { type Json, sha256 } from './canonical.ts';
import { apply, type Mutation, type Placement } from './mutation.ts';
import { seal } from './seal.ts';
import { envelope, type KeyName } from './signing.ts';

/** `vectors/<name>/vector.json`. */
export interface Vector {
  readonly expect: 'accept' | 'reject';
  /** Of the verifier; null for accepted ones, as is the path. */
  readonly code: string | null;
  readonly path: string | null;
  readonly why: string;
  /** Of the verifier's process: 4 for a rejection, else the run's own. */
  readonly exitCode: number;
  readonly base: string;
  /** Signed with this key before the mutation; null: unsigned. */
  readonly signedBy: KeyName | null;
  /** Names a file of `mutations/`; null: the base itself. */
  readonly mutation: string | null;
  readonly ask: Ask;
}

/** What the verifier is told from outside. */
export interface Ask {
  readonly nonce?: string;
  readonly candidate?: string;
  readonly suite?: string;
  readonly finishedAfter?: string;
  readonly require?: string;
  /** What stands in each file of the folder of archives that is given. */
  readonly archives?: readonly string[];
  /** A key of the kit, or text that is none. */
  readonly key?: KeyName | 'unusable';
  /** The statement of a replay of the base `passing`, which is given beside the bundle. */
  readonly replay?: GivenReplay;
  /** Whose replay is asked for. */
  readonly replayedBy?: KeyName;
}

export interface GivenReplay {
  /** Null: the bare statement. */
  readonly signedBy: KeyName | null;
  /** Names a file of `mutations/`, done before it is signed; null: the statement as it is. */
  readonly mutation: string | null;
}

export interface BuiltVector {
  readonly files: Files;
  readonly placement: Placement | null;
  /** The document of a replay that is given beside the bundle. */
  readonly replay: Buffer | null;
}

const REPLAY = 'replay.json';

/** Reads the kit that lies below a folder. */
export class Kit {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  names(): readonly string[] {
    return readdirSync(join(this.#root, 'vectors')).sort();
  }

  mutations(): readonly string[] {
    return readdirSync(join(this.#root, 'mutations')).map((file) => file.replace(/\.json$/, ''));
  }

  vector(name: string): Vector {
    return this.#read(`vectors/${name}/vector.json`);
  }

  build(vector: Vector): BuiltVector {
    const { replay } = vector.ask;
    return {
      ...buildBundle(this.#base(vector.base), vector.signedBy, this.#mutation(vector.mutation)),
      replay: replay === undefined ? null : this.#replay(replay),
    };
  }

  #base(name: string): Base {
    const { runId, nonce, files, shards = [] }: StoredBase = this.#read(`base/${name}.json`);
    const resolved = Object.entries(files).map(([path, file]): [string, KeptFile] => {
      if (!('of' in file)) return [path, file];
      const other = this.#base(file.of).files[path];
      if (other === undefined) throw new Error(`the base ${file.of} has no ${path}`);
      return [path, other];
    });
    return {
      runId,
      nonce,
      files: Object.fromEntries(resolved),
      shards: shards.map((one) => this.#base(one)),
    };
  }

  #mutation(name: string | null): Mutation | null {
    return name === null ? null : this.#read(`mutations/${name}.json`);
  }

  #replay({ signedBy, mutation }: GivenReplay): Buffer {
    const statement: Json = this.#read(`base/${REPLAY}`);
    const files: Files = new Map([[REPLAY, encode(statement)]]);
    for (const change of this.#mutation(mutation)?.changes ?? []) apply(files, change);
    const bytes = at(files, REPLAY);
    return signedBy === null ? bytes : envelope(bytes, signedBy);
  }

  #read<T>(path: string): T {
    const value: T = JSON.parse(readFileSync(join(this.#root, path), 'utf8'));
    return value;
  }
}

export function buildBundle(
  base: Base,
  signedBy: KeyName | null,
  mutation: Mutation | null,
): Omit<BuiltVector, 'replay'> {
  const files = toFiles(base);
  if (mutation === null || mutation.seal !== 'all') seal(files, signedBy);
  for (const change of mutation?.changes ?? []) apply(files, change);
  if (mutation?.seal === 'all') seal(files, signedBy);
  if (mutation?.seal === 'sums') sum(files);
  return { files, placement: mutation?.placement ?? null };
}

/** One digest of everything that a vector puts on disk, and of what is given beside it. */
export function digestOf({ files, placement, replay }: BuiltVector): string {
  const lines = sortedPaths(files).map((path) => `${sha256(files.get(path) ?? Buffer.alloc(0))}  ${path}\n`);
  const beside = replay === null ? '' : `${sha256(replay)}  ${REPLAY}\n`;
  return sha256(Buffer.from(`${lines.join('')}${JSON.stringify(placement)}\n${beside}`));
}

export function writeVector(root: string, { files, placement }: BuiltVector): void {
  if (placement?.kind === 'nothing') return;
  if (placement?.kind === 'one-file') {
    writeFileSync(root, 'no folder');
    return;
  }
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (placement?.kind === 'link' && placement.file === path) symlinkSync(placement.to, join(root, path));
    else writeFileSync(join(root, path), bytes);
  }
  if (placement?.kind === 'folder') mkdirSync(join(root, placement.path), { recursive: true });
}
