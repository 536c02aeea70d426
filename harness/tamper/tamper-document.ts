import type { Field, Level } from './kind.ts';

/** The one document of `packproof tamper --json`; its form is part of the contract. */
export interface TamperDocument {
  readonly formatVersion: 1;
  /** `held`: nothing that must be rejected was accepted. */
  readonly result: 'held' | 'broken';
  readonly exitCode: 0 | 4;
  readonly evidence: string;
  readonly runId: string;
  /** sha256 of `bundle.json`. */
  readonly bundleSha256: string;
  readonly seed: string;
  readonly extent: Extent;
  readonly levels: readonly Level[];
  /** The key that levels b and c were judged with; null when neither was tried. */
  readonly key: { readonly keyId: string; readonly origin: 'given' | 'made-for-this' } | null;
  /** What the verifier was given from outside, as a careful caller gives it. */
  readonly given: readonly string[];
  readonly mutations: number;
  readonly rejected: number;
  readonly kinds: readonly KindReport[];
  /** Changes that must have been rejected and were not. */
  readonly accepted: readonly AcceptedChange[];
  /** Fields of unsigned evidence that took a change: they need the signature or a replay. */
  readonly survivors: readonly Survivor[];
  /** Of the survivors, those that also survived with the key; each is in `accepted` too. */
  readonly survivorsWithKey: number;
  readonly durationMs: number;
}

/** `short`: a part of every kind. `whole`: every field of every document. `all`: every value of every document. */
export type Extent = 'short' | 'whole' | 'all';

export interface KindReport {
  readonly kind: string;
  readonly level: Level;
  readonly what: string;
  /** `not-exercised`: this bundle gives no opportunity. */
  /** `not-reached`: the time that was given ended before. */
  readonly state: 'exercised' | 'not-exercised' | 'not-reached';
  readonly opportunities: number;
  readonly mutations: number;
  readonly rejected: number;
  readonly survivors: number;
  readonly accepted: number;
}

export interface AcceptedChange extends Field {
  readonly kind: string;
  readonly level: Level;
  readonly place: string;
  readonly judgedWith: 'no-key' | 'key';
}

export interface Survivor extends Field {
  readonly kinds: readonly string[];
  readonly mutations: number;
  readonly why: string;
}
