import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Audit as AuditType } from '../../evidence-schema/types/audit.d.ts';
import type { BoundaryOutside } from '../../evidence-schema/types/boundary-outside.d.ts';
import type { CompiledSuite as CompiledSuiteType } from '../../evidence-schema/types/compiled-suite.d.ts';
import type { Context } from '../../evidence-schema/types/context.d.ts';
import type { FilesLine as FilesLineType } from '../../evidence-schema/types/files-line.d.ts';
import type { Lock } from '../../evidence-schema/types/lock.d.ts';
import type { ReceiptAttempt, Receipt as ReceiptType } from '../../evidence-schema/types/receipt.d.ts';
import type { Replay } from '../../evidence-schema/types/replay.d.ts';
import type { Report } from '../../evidence-schema/types/report.d.ts';
import type { Result } from '../../evidence-schema/types/result.d.ts';
import type { TranscriptLine as TranscriptLineType } from '../../evidence-schema/types/transcript-line.d.ts';
import type { Verdict as VerdictType } from '../../evidence-schema/types/verdict.d.ts';
import type { AuditReport } from '../../harness/audit/report.ts';
import type { ResultDocument } from '../../harness/cli/result-document.ts';
import type { OutsideDocument } from '../../harness/evidence/outside-files.ts';
import type { AttemptRecord, FilesLine, Receipt, TranscriptLine } from '../../harness/evidence/receipt.ts';
import type { RunReport } from '../../harness/evidence/report.ts';
import type { ContextDocument } from '../../harness/prepare/context-document.ts';
import type { PackproofLock } from '../../harness/prepare/lock.ts';
import type { ReplayDocument } from '../../harness/replay/replay-document.ts';
import type { CompiledSuite } from '../../harness/suite/compiled.ts';
import type { Verdict } from '../../harness/verify/verify.ts';

/**
 * Compiles only while every type of the runner is one of what its schema says. The runner knows reasons and signals
 * as texts, and what an engine says of a box as whatever it said; only the verifier looks into them.
 */
interface Pairs {
  readonly audit: Pair<AuditReport, AuditType>;
  readonly context: Pair<ContextDocument, Context>;
  readonly files: Pair<FilesLine, FilesLineType>;
  readonly lock: Pair<PackproofLock, Lock>;
  readonly outside: Pair<
    Omit<OutsideDocument['outside'], 'inspect'>,
    Omit<BoundaryOutside['outside'], 'inspect'>
  >;
  readonly attempt: Pair<Omit<AttemptRecord, 'end'>, Omit<ReceiptAttempt, 'end'>>;
  readonly receipt: Pair<Omit<Receipt, 'attempts' | 'reason'>, Omit<ReceiptType, 'attempts' | 'reason'>>;
  readonly replay: Pair<ReplayDocument, Replay>;
  readonly report: Pair<Omit<RunReport, 'interruptedBy'>, Omit<Report, 'interruptedBy'>>;
  readonly result: Pair<ResultDocument, Result>;
  readonly suite: Pair<CompiledSuite, CompiledSuiteType>;
  readonly transcript: Pair<TranscriptLine, TranscriptLineType>;
  readonly verdict: Pair<Verdict, VerdictType>;
}

/** What the left one accepts, as the right one. */
type Pair<Made extends Published, Published> = readonly [Made, Published];

test('the types of the runner are those of the published documents', () => {
  const names: readonly (keyof Pairs)[] = ['audit', 'context', 'receipt', 'report', 'verdict'];
  assert.equal(new Set(names).size, names.length);
});
