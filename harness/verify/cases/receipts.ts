import type { Bundle } from '../bundle.ts';
import type { Findings } from '../finding.ts';
import { type Attempt, type Receipt, receiptShape } from '../shape/receipt.ts';
import type { Report } from '../shape/report.ts';
import { checkControls } from './controls.ts';
import type { DeclaredRun, Execution } from './declared.ts';
import { checkFiles } from './files.ts';
import { checkOrder } from './order.ts';
import { checkOutcome, type FindReceipt, type SeenReceipt, type StoredReceipt } from './outcome.ts';
import { checkRequirement } from './requirement.ts';
import { checkSteps } from './step-record.ts';
import { readAttempt, type StoredAttempt } from './stored-attempt.ts';
import { namedBy } from './suite-rules.ts';
import { checkTeardown } from './teardown.ts';
import { checkTranscript } from './transcript.ts';

const RECEIPT = /^cases\/([^/]+)\/receipt\.json$/;

/**
 * Every declared case has exactly one receipt; every receipt is held against its suite, its attempts against
 * their own files, and every result and outcome is derived again from the raw bytes.
 *
 * Of ten thousand cases not all attempts are held in memory: those of a case are let go when it is done, unless
 * another case speaks of it.
 */
export function checkReceipts(bundle: Bundle, run: DeclaredRun, report: Report): readonly StoredReceipt[] {
  const { findings } = bundle;
  const spokenOf = namedCases(run);
  const found = findReceipts(bundle, run);
  const kept = new Map(
    found
      .filter(({ execution }) => spokenOf.has(execution.declared.id))
      .map((one) => [keyOf(one.execution), readReceipt(bundle, one, report)]),
  );
  const find: FindReceipt = (id, node) => kept.get(keyOf({ declared: { id }, node })) ?? null;
  const boxes = new Set<string>();
  const receipts = found.map((one): StoredReceipt => {
    const stored = kept.get(keyOf(one.execution)) ?? readReceipt(bundle, one, report);
    for (const attempt of stored.attempts) checkAttempt(stored, attempt, report, findings);
    checkBoxes(stored, boxes, findings);
    checkRequirement(stored, find, findings);
    checkOutcome(stored, find, { repeat: report.limits.repeat, findings });
    const { execution, receipt, path, whole } = stored;
    return { execution, receipt, path, whole };
  });
  checkOrder(report, receipts, findings);
  return receipts;
}

/** Ids of cases that another case requires, or of which its checks speak. */
function namedCases(run: DeclaredRun): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { requires, checks } of run.suites.flatMap(({ cases }) => cases)) {
    if (requires !== null) named.add(requires.classification);
    for (const { precondition, expect } of checks) {
      for (const { caseId } of [precondition, expect].flatMap((stated) =>
        stated === null ? [] : namedBy(stated),
      )) {
        if (caseId !== null) named.add(caseId);
      }
    }
  }
  return named;
}

function keyOf({
  declared,
  node,
}: {
  readonly declared: Pick<Execution['declared'], 'id'>;
  readonly node: string;
}): string {
  return `${declared.id}\n${node}`;
}

/** A receipt that has the form of one, before its attempts are read. */
type FoundReceipt = Omit<StoredReceipt, 'whole'>;

function findReceipts(bundle: Bundle, run: DeclaredRun): readonly FoundReceipt[] {
  const wanted = new Map(run.executions.map((execution) => [execution.folder, execution]));
  for (const path of bundle.list.files.keys()) {
    const folder = RECEIPT.exec(path)?.[1];
    if (folder !== undefined && !wanted.has(folder)) {
      bundle.know(path);
      bundle.findings.add('RECEIPT_EXTRA', path, 'a declared case', 'none declares it');
    }
  }
  return run.executions.flatMap((execution) => {
    const path = `cases/${execution.folder}/receipt.json`;
    if (!bundle.has(path)) {
      bundle.findings.add('RECEIPT_MISSING', path, 'a receipt of every declared case', 'none');
      return [];
    }
    const receipt = bundle.document(path, receiptShape);
    return receipt === null ? [] : [{ execution, receipt, path }];
  });
}

function readReceipt(bundle: Bundle, stored: FoundReceipt, report: Report): SeenReceipt {
  const { execution, receipt, path } = stored;
  const { findings } = bundle;
  findings.same('RECEIPT_IDENTITY', `${path}.runId`, report.runId, receipt.runId);
  findings.same('RECEIPT_IDENTITY', `${path}.suite`, execution.suite.id, receipt.suite);
  findings.same('RECEIPT_IDENTITY', `${path}.caseId`, execution.declared.id, receipt.caseId);
  findings.same('RECEIPT_IDENTITY', `${path}.node`, execution.node, receipt.node);
  checkNumbers(receipt, path, findings);
  const attempts = receipt.attempts.flatMap(
    (attempt) => readAttempt(bundle, `cases/${execution.folder}`, attempt) ?? [],
  );
  return { ...stored, attempts, whole: attempts.length === receipt.attempts.length };
}

/** Attempts are numbered upwards; one that opened no box is left out, and only where the case had no result. */
function checkNumbers({ attempts, outcome }: Receipt, path: string, findings: Findings): void {
  const mayMiss = outcome === 'error' || outcome === 'unrun';
  let previous = 0;
  for (const [index, { attempt, folder }] of attempts.entries()) {
    const at = `${path}.attempts[${index}]`;
    const follows = mayMiss ? attempt > previous : attempt === previous + 1;
    if (!follows) findings.add('ATTEMPT_ORDER', `${at}.attempt`, `after ${previous}`, attempt);
    findings.same('ATTEMPT_ORDER', `${at}.folder`, attempt === 1 ? '' : `attempts/${attempt}/`, folder);
    previous = attempt;
  }
}

function checkAttempt(
  { execution, path, receipt }: StoredReceipt,
  stored: StoredAttempt,
  report: Report,
  findings: Findings,
): void {
  const { declared } = execution;
  const at = `${path}.attempts[${receipt.attempts.indexOf(stored.attempt)}]`;
  const { caseTimeoutMs } = report.limits;
  const unjudged = receipt.outcome === 'unrun' || receipt.outcome === 'error';
  checkSteps(declared, stored, { path: at, caseTimeoutMs, unjudged, findings });
  checkTranscript(declared, stored, findings);
  checkTeardown(declared, stored, at, findings);
  const seesSockets = report.engine?.evidenceWay !== 'engine-archive';
  checkFiles(declared, stored, { seesSockets, findings });
  checkControls(declared, stored, { seesSockets, findings });
  checkWindow(stored.attempt, at, report, findings);
  checkEngineWord(stored.attempt, at, report, findings);
}

/** Members of an engine's word that are times of the box. */
const BOX_TIMES = ['created', 'StartedAt', 'FinishedAt'];
/** Boxes are opened before the first step of a run is timed, and removed after its last. In milliseconds. */
const BOX_SLACK_MS = 10_000;

/** What the engine tells of a box that ended is about this box, in this run. */
function checkEngineWord({ boxId, end }: Attempt, at: string, report: Report, findings: Findings): void {
  const path = `${at}.end.inspect`;
  const word = end.inspect;
  if (word['id'] !== undefined) findings.same('ATTEMPT_BOX', `${path}.id`, boxId, word['id']);
  if (word['OOMKilled'] === true && !end.oomKilled) {
    findings.add('ATTEMPT_BOX', `${path}.OOMKilled`, end.oomKilled, true);
  }
  const earliest = Date.parse(report.startedAt) - BOX_SLACK_MS;
  const latest = Date.parse(report.finishedAt) + BOX_SLACK_MS;
  for (const name of BOX_TIMES) {
    const told = word[name];
    if (told === undefined) continue;
    const time = Date.parse(String(told));
    if (!(time >= earliest && time <= latest)) {
      findings.add('ATTEMPT_TIME', `${path}.${name}`, 'within the run', told);
    }
  }
}

/** Clocks of runner and record are one; a second covers their rounding. In milliseconds. */
const WINDOW_SLACK_MS = 1000;

/** Steps ran within the run, one after another. */
function checkWindow({ steps }: Attempt, at: string, report: Report, findings: Findings): void {
  let earliest = Date.parse(report.startedAt) - WINDOW_SLACK_MS;
  const latest = Date.parse(report.finishedAt) + WINDOW_SLACK_MS;
  for (const [index, { startedAt, durationMs }] of steps.entries()) {
    const start = Date.parse(startedAt);
    if (!(start >= earliest && start + durationMs <= latest)) {
      findings.add('STEP_TIME', `${at}.steps[${index}].startedAt`, `within the run, in order`, startedAt);
    }
    earliest = start + durationMs - WINDOW_SLACK_MS;
  }
}

/** Each attempt had a box of its own. */
function checkBoxes({ receipt, path }: StoredReceipt, boxes: Set<string>, findings: Findings): void {
  for (const [index, { boxId }] of receipt.attempts.entries()) {
    if (boxes.has(boxId))
      findings.add('ATTEMPT_BOX', `${path}.attempts[${index}].boxId`, 'a box of its own', boxId);
    boxes.add(boxId);
  }
}
