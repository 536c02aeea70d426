import type { Node } from 'yaml';
import type { CandidateFacts } from '../facts.ts';
import type { FixtureTrees } from './fixture-trees.ts';
import type { Problems } from './problems.ts';
import type { ReadBeside } from './read-beside.ts';

/** What compiling one suite file needs besides its text. */
export interface Context {
  readonly problems: Problems;
  /** Null: the file is only looked at; what depends on the candidate is not checked. */
  readonly facts: CandidateFacts | null;
  readonly readBeside: ReadBeside;
  /** What `${matrix:NAME}` stands for in the case that is read; empty outside of cases with a matrix. */
  readonly matrix: ReadonlyMap<string, string>;
  readonly trees: FixtureTrees;
  /** The fixture of every case that names no other. */
  readonly suiteFixture: Node | undefined;
  /** Names of the suite's archives. */
  readonly archives: readonly string[];
  /** The archive of the reference step that is read; null elsewhere, where no program of it may run. */
  readonly archive: string | null;
}
