import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Base, bind, type Files, list, sortedPaths, statementsOf, sum, toFiles } from './bundle.ts';
import { sha256 } from './canonical.ts';
import { apply, type Mutation, type Placement } from './mutation.ts';
import { type KeyName, signStatements } from './signing.ts';

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
}

export interface BuiltVector {
  readonly files: Files;
  readonly placement: Placement | null;
}

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
    const base: Base = this.#read(`base/${vector.base}.json`);
    const mutation: Mutation | null =
      vector.mutation === null ? null : this.#read(`mutations/${vector.mutation}.json`);
    return buildVector(base, vector.signedBy, mutation);
  }

  #read<T>(path: string): T {
    const value: T = JSON.parse(readFileSync(join(this.#root, path), 'utf8'));
    return value;
  }
}

export function buildVector(base: Base, signedBy: KeyName | null, mutation: Mutation | null): BuiltVector {
  const files = toFiles(base);
  const seal = (): void => {
    list(files);
    bind(files);
    if (signedBy !== null) signStatements(files, statementsOf(files), signedBy);
    sum(files);
  };
  if (mutation === null || mutation.seal !== 'all') seal();
  for (const change of mutation?.changes ?? []) apply(files, change);
  if (mutation?.seal === 'all') seal();
  if (mutation?.seal === 'sums') sum(files);
  return { files, placement: mutation?.placement ?? null };
}

/** One digest of everything that a vector puts on disk. */
export function digestOf({ files, placement }: BuiltVector): string {
  const lines = sortedPaths(files).map((path) => `${sha256(files.get(path) ?? Buffer.alloc(0))}  ${path}\n`);
  return sha256(Buffer.from(`${lines.join('')}${JSON.stringify(placement)}\n`));
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
