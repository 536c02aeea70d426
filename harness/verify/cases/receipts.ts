import type { Bundle } from '../bundle.ts';
import { once } from '../files/once.ts';
import type { Findings } from '../finding.ts';
import { type Attempt, type Receipt, receiptShape } from '../shape/receipt.ts';
import type { Report } from '../shape/report.ts';
import type { SuiteCase } from '../shape/suite.ts';
import { checkPrograms } from './control-programs.ts';
import { checkControls } from './controls.ts';
import type { DeclaredRun, Execution, JudgedExecution } from './declared.ts';
import { checkFiles } from './files.ts';
import { type FindImage, toFindImage } from './find-image.ts';
import { checkNodeVersion } from './node-versions.ts';
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
  checkEachHasOne(bundle, run);
  const judged =
    bundle.source.memory() === null ? judgeAll(bundle, run, report) : judgeApart(bundle, run, report);
  const boxes = new Set<string>();
  for (const stored of judged) checkBoxes(stored, boxes, findings);
  checkOrder(report, judged, findings);
  return judged;
}

/** One receipt after another; those that others speak of are read first, and kept. */
function judgeAll(bundle: Bundle, run: DeclaredRun, report: Report): readonly StoredReceipt[] {
  const spokenOf = namedCases(run);
  const kept = new Map<string, SeenReceipt | null>();
  for (const execution of run.executions) {
    if (spokenOf.has(execution.declared.id)) {
      kept.set(keyOf(execution), readReceipt(bundle, execution, report.runId));
    }
  }
  const find: FindReceipt = (id, node) => kept.get(keyOf({ declared: { id }, node })) ?? null;
  const images = toFindImage(bundle, report.nodeVersions);
  return run.executions.flatMap((execution) => {
    const key = keyOf(execution);
    const stored = kept.has(key) ? kept.get(key) : readReceipt(bundle, execution, report.runId);
    if (stored === null || stored === undefined) return [];
    const programs = judge(stored, { facts: report, find, images, findings: bundle.findings });
    const { receipt, path, whole } = stored;
    return [{ execution, receipt, path, whole, programs }];
  });
}

/**
 * Each receipt as a part of its own, which reads again what it needs of others: so that of a changed bundle only
 * those are judged again that the change concerns.
 */
function judgeApart(bundle: Bundle, run: DeclaredRun, report: Report): readonly StoredReceipt[] {
  const executions = new Map(run.executions.map((execution) => [keyOf(execution), execution]));
  const facts = toFacts(report);
  return run.executions.flatMap((execution) => {
    const inputs = {
      facts,
      execution: alone(execution),
      others: spokenOfBy(execution, executions).map(alone),
    };
    const judged = bundle.part(receiptPath(execution), inputs, judgeOne);
    return judged === null ? [] : [{ ...judged, execution }];
  });
}

/** An execution without the rest of its suite, which is no business of its receipt. */
function alone({ suite: { id, proves, doesNotProve }, ...execution }: Execution): JudgedExecution {
  return { ...execution, suite: { id, proves, doesNotProve } };
}

interface CaseInputs {
  readonly facts: RunFacts;
  readonly execution: JudgedExecution;
  /** Cases that it speaks of, and those that they speak of. */
  readonly others: readonly JudgedExecution[];
}

function judgeOne(
  bundle: Bundle,
  { facts, execution, others }: CaseInputs,
): Omit<StoredReceipt, 'execution'> | null {
  const kept = new Map<string, SeenReceipt | null>();
  const stored = readReceipt(bundle, execution, facts.runId);
  kept.set(keyOf(execution), stored);
  const find: FindReceipt = (id, node) => {
    const key = keyOf({ declared: { id }, node });
    const other = others.find((one) => keyOf(one) === key);
    // What is wrong with another receipt is said where that one is judged.
    if (!kept.has(key) && other !== undefined) {
      kept.set(key, readReceipt(bundle.aside(), other, facts.runId));
    }
    return kept.get(key) ?? null;
  };
  if (stored === null) return null;
  const images = toFindImage(bundle, facts.nodeVersions);
  const programs = judge(stored, { facts, find, images, findings: bundle.findings });
  const { receipt, path, whole } = stored;
  return { receipt, path, whole, programs };
}

interface Judging {
  readonly facts: RunFacts;
  readonly find: FindReceipt;
  readonly images: FindImage;
  readonly findings: Findings;
}

/** Returns the programs of controls and references. */
function judge(stored: SeenReceipt, judging: Judging): StoredReceipt['programs'] {
  const { facts, find, images, findings } = judging;
  const { declared, node } = stored.execution;
  for (const attempt of stored.attempts) checkAttempt(stored, attempt, facts, findings);
  if (!checkNodeVersion(stored, findings)) checkRequirement(stored, find, findings);
  checkOutcome(stored, find, { repeat: facts.limits.repeat, findings });
  if (declared.controls.length + declared.references.length === 0) return [];
  const image = images(node);
  if (image === null) return [];
  return stored.attempts.flatMap((attempt) => checkPrograms(declared, attempt, { image, findings }));
}

/** What of a run its receipts are held against. */
type RunFacts = Pick<Report, 'runId' | 'startedAt' | 'finishedAt' | 'nodeVersions'> & {
  readonly limits: Pick<Report['limits'], 'caseTimeoutMs' | 'repeat'>;
  readonly engine: Pick<NonNullable<Report['engine']>, 'evidenceWay'> | null;
};

function toFacts({ runId, startedAt, finishedAt, nodeVersions, limits, engine }: Report): RunFacts {
  const { caseTimeoutMs, repeat } = limits;
  return {
    runId,
    startedAt,
    finishedAt,
    nodeVersions,
    limits: { caseTimeoutMs, repeat },
    engine: engine && { evidenceWay: engine.evidenceWay },
  };
}

/** Executions on the same Node version that a case speaks of, and so on from there; itself left out. */
function spokenOfBy(execution: Execution, executions: ReadonlyMap<string, Execution>): readonly Execution[] {
  const found = new Map<string, Execution>();
  const open = [...namesIn(execution.declared)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const other = executions.get(keyOf({ declared: { id }, node: execution.node }));
    if (other === undefined || other === execution || found.has(id)) continue;
    found.set(id, other);
    open.push(...namesIn(other.declared));
  }
  return [...found.values()];
}

/** Ids of cases that another case requires, or of which its checks speak. */
function namedCases(run: DeclaredRun): ReadonlySet<string> {
  return new Set(run.suites.flatMap(({ cases }) => cases.flatMap(namesIn)));
}

/** Ids of the cases that this one requires, or of which its checks speak. */
function namesIn(declared: SuiteCase): readonly string[] {
  return once(declared, 'names', () => {
    const { requires, checks } = declared;
    const named = checks
      .flatMap(({ precondition, expect }) => [precondition, expect])
      .flatMap((stated) => (stated === null ? [] : namedBy(stated)))
      .flatMap(({ caseId }) => caseId ?? []);
    return [...new Set(requires === null ? named : [requires.classification, ...named])];
  });
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

function receiptPath({ folder }: Pick<Execution, 'folder'>): string {
  return `cases/${folder}/receipt.json`;
}

function checkEachHasOne(bundle: Bundle, run: DeclaredRun): void {
  const wanted = new Set(run.executions.map(({ folder }) => folder));
  for (const path of bundle.list.files.keys()) {
    const folder = RECEIPT.exec(path)?.[1];
    if (folder !== undefined && !wanted.has(folder)) {
      bundle.know(path);
      bundle.findings.add('RECEIPT_EXTRA', path, 'a declared case', 'none declares it');
    }
  }
  for (const execution of run.executions) {
    const path = receiptPath(execution);
    if (!bundle.has(path)) {
      bundle.findings.add('RECEIPT_MISSING', path, 'a receipt of every declared case', 'none');
    }
  }
}

/** Null when there is none that has the form of one. */
function readReceipt(bundle: Bundle, execution: JudgedExecution, runId: string): SeenReceipt | null {
  const { findings } = bundle;
  const path = receiptPath(execution);
  const receipt = bundle.has(path) ? bundle.document(path, receiptShape) : null;
  if (receipt === null) return null;
  findings.same('RECEIPT_IDENTITY', `${path}.runId`, runId, receipt.runId);
  findings.same('RECEIPT_IDENTITY', `${path}.suite`, execution.suite.id, receipt.suite);
  findings.same('RECEIPT_IDENTITY', `${path}.caseId`, execution.declared.id, receipt.caseId);
  findings.same('RECEIPT_IDENTITY', `${path}.node`, execution.node, receipt.node);
  for (const claim of ['proves', 'doesNotProve'] as const) {
    const expected = JSON.stringify([...execution.suite[claim], ...execution.declared[claim]]);
    findings.same('RECEIPT_CLAIM', `${path}.${claim}`, expected, JSON.stringify(receipt[claim]));
  }
  checkNumbers(receipt, path, findings);
  const references = execution.declared.references.map(({ step }) => step);
  const place = { place: `cases/${execution.folder}`, references };
  const attempts = receipt.attempts.flatMap((attempt) => readAttempt(bundle, place, attempt) ?? []);
  return { execution, receipt, path, attempts, whole: attempts.length === receipt.attempts.length };
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
  { execution, path, receipt }: SeenReceipt,
  stored: StoredAttempt,
  report: RunFacts,
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
function checkEngineWord({ boxId, end }: Attempt, at: string, report: RunFacts, findings: Findings): void {
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
function checkWindow({ steps }: Attempt, at: string, report: RunFacts, findings: Findings): void {
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
