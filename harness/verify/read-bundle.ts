import type { OutsideViews } from './boundary/outside-files.ts';
import type { Bundle } from './bundle.ts';
import type { DeclaredRun } from './cases/declared.ts';
import type { StoredReceipt } from './cases/outcome.ts';
import type { RecordedImage } from './inputs/image.ts';
import type { Inputs } from './inputs/inputs.ts';
import type { RunOutcome } from './run-record.ts';
import type { Report } from './shape/report.ts';

/** A run whose documents could be read; whether they are in order is in the findings. */
export interface ReadBundle {
  readonly bundle: Bundle;
  readonly run: DeclaredRun;
  readonly report: Report;
  readonly inputs: Inputs;
  readonly images: readonly RecordedImage[];
  readonly receipts: readonly StoredReceipt[];
  readonly views: OutsideViews;
  readonly outcome: RunOutcome;
  /** Kinds of boxes whose boundary was measured. */
  readonly measuredKinds: number;
}
