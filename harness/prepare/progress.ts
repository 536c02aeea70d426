/** The stages of prepare, in their order. */
export type PrepareStage = 'seal' | 'audit' | 'resolve' | 'fetch' | 'install' | 'write';

/** One thing worth telling a waiting person. Candidate text in `detail` is for a printer to escape. */
export interface PrepareProgress {
  readonly stage: PrepareStage;
  readonly detail: string;
  /** How far a countable stage is; null where nothing is counted. */
  readonly done: number | null;
  readonly total: number | null;
}

export type Reporter = (progress: PrepareProgress) => void;

/** Tells a stage without a count. */
export function reportStage(report: Reporter, stage: PrepareStage, detail: string): void {
  report({ stage, detail, done: null, total: null });
}
