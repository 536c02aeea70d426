import type { BaseBundle } from './base-bundle.ts';
import type { Change } from './change.ts';

/**
 * a: bytes and names, no digest recomputed; b: every digest recomputed, no signature; c: signatures.
 */
export type Level = 'a' | 'b' | 'c';

export const LEVELS: readonly Level[] = ['a', 'b', 'c'];

/** Where a change was made, in names that stand for all places of its sort. */
export interface Field {
  /** Path with a star for every part that differs from bundle to bundle, such as the name of a case. */
  readonly document: string;
  /** Members from the root, such as `attempts[].steps[].durationMs`; empty: the document as a whole. */
  readonly field: string;
}

/** One change that could be tried. Built only when it is chosen. */
export interface Draft extends Field {
  /** The very place, for people. */
  readonly place: string;
  readonly changes: () => readonly Change[];
}

/** One way to tamper with evidence. */
export interface Kind {
  /** Unique, in kebab case. */
  readonly id: string;
  readonly level: Level;
  readonly what: string;
  /** Every opportunity that this bundle gives; none: the kind cannot be exercised on it. */
  readonly drafts: (bundle: BaseBundle, keys: Keys) => Iterable<Draft>;
  /** How many changes of one field are tried; more say hardly more. */
  readonly perField: number;
}

/** Keys that changes of level c are made with. */
export interface Keys {
  /** Signs as the key that the verifier trusts would; null: only its public half is known here. */
  readonly own: Signer | null;
  /** A key that the verifier does not trust. */
  readonly stranger: Signer;
  /** The envelopes that the verifier accepts, by the path of their statement. */
  readonly envelopes: ReadonlyMap<string, Buffer>;
  /** The same of each shard of merged evidence, by its folder, where the trusted key signed all of them. */
  readonly shards: ReadonlyMap<string, ReadonlyMap<string, Buffer>>;
}

export interface Signer {
  readonly keyId: string;
  /** The DSSE envelope over a statement. */
  readonly sign: (statement: Uint8Array) => Buffer;
}
