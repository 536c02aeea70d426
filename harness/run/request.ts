import type { Boundary } from '../boundary/boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import type { Engine, LoadedImage } from '../engine/engine.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import type { ListedFile } from './box-files.ts';
import type { Durations } from './durations.ts';
import type { Reporter } from './reporter.ts';

export interface RunLimits {
  /** From the start of the run, probes included; the watchdog process owns it. */
  readonly budgetMs: number;
  /** For all steps of one case together; a step's own timeout holds when it is the lesser. */
  readonly caseTimeoutMs: number;
  /** Boxes that are open at the same time. */
  readonly jobs: number;
  /** Attempts of each case; more than one finds `flaky` ones. */
  readonly repeat: number;
}

export interface ShardSelection {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
  /** Balances the shards; null: by the digest of the case id. */
  readonly durations: Durations | null;
}

export interface Selection {
  /** Globs over case ids, or over tags after `tag:`; empty selects all. */
  readonly only: readonly string[];
  readonly shard: ShardSelection | null;
  /** Seed of the order in which cases are begun; no result depends on it. Null: suites take turns. */
  readonly shuffle: string | null;
}

export interface RunRequest {
  readonly runId: string;
  readonly engine: Engine;
  /** By exact Node version, in the order of the matrix; the first serves cases that ask for only one. */
  readonly images: ReadonlyMap<string, LoadedImage>;
  /** The inventory of each of them, with which the loaded image was compared. */
  readonly inventories: ReadonlyMap<string, readonly ListedFile[]>;
  /** Case ids are unique over all of them. */
  readonly suites: readonly CompiledSuite[];
  /** The declared boundary of a kind of boxes. */
  readonly boundary: (kind: BoundaryKind) => Boundary;
  readonly limits: RunLimits;
  readonly selection: Selection;
  /** Aborts on Ctrl-C; what has run is kept. */
  readonly signal: AbortSignal;
  /** Absolute path of an existing folder that takes the raw bytes; the caller removes it. */
  readonly spool: string;
  readonly reporter: Reporter;
}
