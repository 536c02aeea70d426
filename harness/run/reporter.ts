import type { CaseRun } from './result.ts';

export type RunPhase = 'probe' | 'cases' | 'finish';

export interface CaseName {
  readonly suiteId: string;
  readonly caseId: string;
  readonly node: string;
}

/**
 * Progress of a run, for whoever shows it; nothing in `run/` prints. Calls are synchronous and must be quick.
 * What a listener throws is a fault of the run.
 */
export interface Reporter {
  phase(phase: RunPhase, total: number): void;
  caseStarted(name: CaseName): void;
  /** Once for every case of the result, those that never started included. */
  caseEnded(run: CaseRun): void;
}

/** A reporter that shows nothing. */
export const SILENT_REPORTER: Reporter = {
  phase: () => {},
  caseStarted: () => {},
  caseEnded: () => {},
};
