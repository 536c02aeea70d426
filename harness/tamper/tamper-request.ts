import type { Level } from './kind.ts';
import type { Extent } from './tamper-document.ts';

export interface TamperRequest {
  /** Absolute path of evidence that the verifier accepts. It is never written to. */
  readonly evidence: string;
  /** Absolute path of the verifier's program. */
  readonly verifier: string;
  /** Public key that signed the evidence, SPKI PEM; null: levels b and c use one made for this. */
  readonly key: string | null;
  readonly levels: readonly Level[];
  /** Ids of kinds; none: all. */
  readonly only: readonly string[];
  readonly seed: string;
  readonly extent: Extent;
  /** Once it is over, kinds that are left are left out, and then they are tried in an order of the seed. Null: no end. */
  readonly budgetMs: number | null;
  /** Leaves out what is left as well. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}
