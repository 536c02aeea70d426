import type { CandidateFacts } from '../facts.ts';
import type { Problems } from './problems.ts';

/**
 * Bytes of a file beside the suite, by its path from the suite's folder; null with a reason in words when
 * there are none to be had.
 */
export type ReadBeside = (
  path: string,
) => { readonly bytes: Uint8Array } | { readonly bytes: null; readonly reason: string };

/** What compiling one suite file needs besides its text. */
export interface Context {
  readonly problems: Problems;
  /** Null: the file is only looked at; what depends on the candidate is not checked. */
  readonly facts: CandidateFacts | null;
  readonly readBeside: ReadBeside;
  /** What `${matrix:NAME}` stands for in the case that is read; empty outside of cases with a matrix. */
  readonly matrix: ReadonlyMap<string, string>;
}
