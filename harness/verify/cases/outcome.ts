import { classify } from '../evaluate/classify.ts';
import { type Derived, evaluateCase } from '../evaluate/evaluate.ts';
import { spokenReferences } from '../evaluate/references.ts';
import { Scene, type SeenCase } from '../evaluate/scene.ts';
import { once } from '../files/once.ts';
import type { Findings } from '../finding.ts';
import type { Outcome, Receipt } from '../shape/receipt.ts';
import type { Execution, JudgedExecution } from './declared.ts';
import type { StoredAttempt } from './stored-attempt.ts';

/** A receipt of a declared case. */
export interface StoredReceipt {
  readonly execution: Execution;
  readonly receipt: Receipt;
  readonly path: string;
  /** Every attempt of the receipt could be read. */
  readonly whole: boolean;
  /** Programs of the controls and references that ran, by path; null: no listed file is its. */
  readonly programs: readonly (string | null)[];
}

/** The same with all of its attempts that could be read, while it is held against them. */
export interface SeenReceipt extends Omit<StoredReceipt, 'execution' | 'programs'> {
  readonly execution: JudgedExecution;
  readonly attempts: readonly StoredAttempt[];
}

/** Finds the receipt of another case on the same Node version. */
export type FindReceipt = (caseId: string, node: string) => SeenReceipt | null;

/** Reasons that are the harness's own: nothing in the bundle shows that an evaluation would have been possible. */
const UNJUDGED: readonly Receipt['reason'][] = [
  'box-not-opened',
  'box-lost',
  'not-observed',
  'not-evaluated',
  'image-unread',
];

/** Re-derives the outcome of one receipt from the raw bytes, and holds what it says against that. */
export function checkOutcome(
  stored: SeenReceipt,
  find: FindReceipt,
  place: { readonly repeat: number; readonly findings: Findings },
): void {
  const { receipt, path, execution, whole } = stored;
  const { findings } = place;
  const judged = receipt.outcome === 'pass' || receipt.outcome === 'fail';
  if (judged !== (receipt.reason === null)) {
    findings.add('RECEIPT_REASON', `${path}.reason`, judged ? 'null' : 'a reason', receipt.reason);
  }
  checkCheckList(stored, findings);
  if (receipt.attempts.length === 0) {
    if (judged || receipt.outcome === 'flaky') {
      findings.add('RECEIPT_NOT_OBSERVED', `${path}.attempts`, 'an attempt behind the outcome', 'none');
    }
    if (receipt.checks.length > 0) {
      findings.add('RECEIPT_CHECKS', `${path}.checks`, 'none without an attempt', receipt.checks.length);
    }
    return;
  }
  // A case behind a receipt that cannot be read has findings of its own.
  if (!whole) return;
  const derived = stored.attempts.map(({ attempt, seen }) =>
    evaluateCase(execution.declared, sceneOf(stored, { seen, number: attempt.attempt }, find)),
  );
  checkDerived(stored, derived, place);
}

/** What an evaluation of one attempt may look at; of other cases the same attempt, else their last. */
function sceneOf(
  { execution }: SeenReceipt,
  own: { readonly seen: SeenCase; readonly number: number },
  find: FindReceipt,
): Scene {
  return new Scene(execution.declared.id, own.seen, (caseId) => {
    const attempts = find(caseId, execution.node)?.attempts.filter(isJudgeable) ?? [];
    const chosen = attempts.find(({ attempt }) => attempt.attempt === own.number) ?? attempts.at(-1);
    return chosen?.seen ?? null;
  });
}

/** Attempts that the end of the run or of the box cut off are seen in part, and looked at by no other case. */
function isJudgeable({ attempt }: StoredAttempt): boolean {
  const cut = attempt.steps.some(({ termination }) => ['budget', 'interrupted'].includes(termination.kind));
  return !cut && attempt.steps.every(({ killedBy }) => killedBy !== 'engine');
}

/** The class of a classification case by its last attempt that was seen in full; null when there is none. */
export function classOf(stored: SeenReceipt, find: FindReceipt): string | null {
  // Every case that requires a class asks for it.
  return once(stored, 'class', () => deriveClass(stored, find));
}

function deriveClass(stored: SeenReceipt, find: FindReceipt): string | null {
  const last = stored.attempts.filter(isJudgeable).at(-1);
  if (last === undefined) return null;
  return classify(sceneOf(stored, { seen: last.seen, number: last.attempt.attempt }, find), null);
}

/** Checks stand in the order of the suite, each once, with its severity; none at all where none was judged. */
function checkCheckList({ receipt, path, execution }: SeenReceipt, findings: Findings): void {
  if (receipt.checks.length === 0) return;
  const list = (checks: readonly { readonly id: string; readonly severity: string }[]): string =>
    checks.map(({ id, severity }) => `${id} ${severity}`).join(', ');
  findings.same('RECEIPT_CHECKS', `${path}.checks`, list(execution.declared.checks), list(receipt.checks));
}

function checkDerived(
  { receipt, path, execution, attempts }: SeenReceipt,
  derived: readonly Derived[],
  { repeat, findings }: { readonly repeat: number; readonly findings: Findings },
): void {
  const { outcome, reason } = receipt;
  if (outcome === 'error' || outcome === 'unrun') {
    const speaker = derived.find((one) => one.outcome === outcome && one.reason === reason);
    if (speaker !== undefined) compareResults({ receipt, path }, speaker, findings);
    else checkUnjudged({ receipt, path, attempts }, derived, findings);
    return;
  }
  if (attempts.length !== repeat) {
    findings.add('ATTEMPT_COUNT', `${path}.attempts`, repeat, attempts.length);
  }
  const last = derived.at(-1);
  if (last === undefined) return;
  const { declared } = execution;
  const counts = declared.checks.map((check) => spokenReferences(check, declared).length === 0);
  const own = signatureOf(last, counts);
  const odd = derived.findIndex((one) => signatureOf(one, counts) !== own);
  const unseen = derived.find((one) => one.outcome === 'error' || one.outcome === 'unrun');
  const expected: Outcome = unseen?.outcome ?? (odd === -1 ? last.outcome : 'flaky');
  findings.same('RECEIPT_OUTCOME', `${path}.outcome`, expected, outcome);
  const expectedReason = expected === 'flaky' ? 'attempts-differ' : (unseen ?? last).reason;
  if (expected === outcome) findings.same('RECEIPT_REASON', `${path}.reason`, expectedReason, reason);
  compareResults({ receipt, path }, unseen ?? last, findings);
  const told = (index: number): string =>
    `attempt ${attempts[index]?.attempt.attempt ?? 0} ${derived[index]?.outcome ?? ''}`;
  const detail = expected === 'flaky' ? `${told(odd)}, ${told(derived.length - 1)}` : '';
  if (expected === outcome && execution.declared.id === receipt.caseId) {
    findings.same('RECEIPT_DETAIL', `${path}.detail`, detail, receipt.detail);
  }
}

function compareResults(
  { receipt, path }: Pick<SeenReceipt, 'receipt' | 'path'>,
  { results }: Derived,
  findings: Findings,
): void {
  receipt.checks.forEach(({ id, result }, index) => {
    findings.same('CHECK_RESULT', `${path}.checks[${index}] ${id}`, results[index], result);
  });
  // What the end of the run cut off is not evaluated.
  if (receipt.checks.length === 0 && receipt.outcome !== 'unrun') {
    findings.add('RECEIPT_CHECKS', `${path}.checks`, 'the results of the attempt', 'none');
  }
}

/**
 * A case that the harness could not judge, or that the end of the run cut off, has no results. It cannot be
 * told from its bytes that it might have been judged; it counts as no pass, so nothing is gained by it.
 */
function checkUnjudged(
  { receipt, path, attempts }: Pick<SeenReceipt, 'receipt' | 'path' | 'attempts'>,
  derived: readonly Derived[],
  findings: Findings,
): void {
  const stopped = receipt.outcome === 'unrun' && ['budget', 'interrupted'].includes(String(receipt.reason));
  const unjudged = receipt.outcome === 'error' && UNJUDGED.includes(receipt.reason);
  if ((!stopped && !unjudged) || receipt.checks.length > 0) {
    const [first] = derived;
    findings.add(
      'RECEIPT_OUTCOME',
      `${path}.outcome`,
      `${first?.outcome} ${first?.reason ?? ''}`.trim(),
      `${receipt.outcome} ${receipt.reason ?? ''}`.trim(),
    );
  }
  const lost = attempts.some(({ attempt }) => attempt.teardown.some(({ action }) => action === 'kill-box'));
  if (receipt.reason === 'box-lost' && !lost) {
    findings.add('RECEIPT_REASON', `${path}.reason`, 'a box that was lost or killed', 'box-lost');
  }
}

/** Without the results of checks that speak of references, which may differ. */
function signatureOf({ outcome, results }: Derived, counts: readonly boolean[]): string {
  return `${outcome} ${results.filter((_, index) => counts[index] === true).join(' ')}`;
}
