/** A command that the candidate declares, as npm would link it. */
export interface BinFact {
  readonly name: string;
  /** Path inside the package, as declared, without a leading `./`. */
  readonly path: string;
}

/**
 * What the manifest of a candidate declares, as far as a smoke suite needs it. Built from the audit's strict
 * scan; every value is the candidate's own claim and is used only to choose what to try.
 */
export interface CandidateFacts {
  readonly name: string;
  readonly version: string;
  readonly bins: readonly BinFact[];
  readonly type: 'module' | 'commonjs';
  readonly main: string | null;
  /** The `exports` field as parsed JSON; undefined when absent. */
  readonly exports: unknown;
  /** Paths of the archive's files inside the package, without the root folder. */
  readonly files: readonly string[];
  /** Names of `dependencies`, `optionalDependencies` and `bundledDependencies`; a hint at MCP servers. */
  readonly dependencies: readonly string[];
  /** Peers that the manifest calls optional: an entry point that needs one may be missing it here. */
  readonly optionalPeers: readonly string[];
  readonly keywords: readonly string[];
  readonly enginesNode: string | null;
}
