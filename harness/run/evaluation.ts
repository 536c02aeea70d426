import type { BinClass, CompiledCase } from '../suite/compiled.ts';
import type { KeptFile } from '../suite/evaluator-protocol.ts';
import type { CaseObservation } from '../suite/observation.ts';
import type { CheckVerdict, OutcomeReason } from './result.ts';
import type { SpooledStep } from './spool.ts';

/** An observation with the places of its raw bytes: all that an evaluation is given. */
export interface Observed {
  readonly observation: CaseObservation;
  readonly spooled: readonly SpooledStep[];
  readonly kept: readonly KeptFile[];
}

export interface Judged {
  readonly checks: readonly CheckVerdict[];
  readonly outcome: 'pass' | 'fail' | 'error' | 'unrun' | 'unsupported';
  readonly reason: OutcomeReason | null;
}

/**
 * Matches candidate bytes in another process, which can be killed: a slow pattern or a hostile megabyte then
 * costs one case its evaluation and never the run its deadline.
 */
export interface Judge {
  /** Rejects when there is no answer within `limitMs`; the process was then killed. */
  evaluate(compiled: CompiledCase, observed: readonly Observed[], limitMs: number): Promise<Judged>;
  classify(observed: Observed, limitMs: number): Promise<BinClass>;
  close(): Promise<void>;
}
