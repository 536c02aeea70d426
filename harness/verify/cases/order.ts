import { createHash } from 'node:crypto';
import type { Findings } from '../finding.ts';
import type { Report } from '../shape/report.ts';
import type { StoredReceipt } from './outcome.ts';

/** Clocks of runner and record are one; a second covers their rounding. In milliseconds. */
const SLACK_MS = 1000;

/**
 * A shuffled run began its cases in the order that the seed gives: when a case begins, all earlier ones have
 * begun, so at most one less than `jobs` of them still go on. Cases that wait for a classification begin when
 * they can and show nothing.
 */
export function checkOrder(report: Report, receipts: readonly StoredReceipt[], findings: Findings): void {
  const { shuffle } = report.selection;
  if (shuffle === null) return;
  const ordered = inOrder(receipts, shuffle).flatMap(toSpan);
  for (const [index, { path, beginsMs }] of ordered.entries()) {
    const going = ordered.slice(0, index).filter(({ endsMs }) => endsMs > beginsMs + SLACK_MS).length;
    if (going < report.limits.jobs) continue;
    const expected = `at most ${report.limits.jobs - 1} earlier cases still going on`;
    findings.add('ORDER_MISMATCH', path, expected, going);
  }
}

function inOrder(receipts: readonly StoredReceipt[], seed: string): readonly StoredReceipt[] {
  const selected = receipts.filter(({ execution }) => execution.standing.kind === 'selected');
  const needed = new Set(selected.map(({ execution }) => execution.declared.requires?.classification));
  const keyed = selected.map((one) => {
    const { declared, node } = one.execution;
    const digest = createHash('sha256').update(`${seed}\n${declared.id}\n${node}`).digest('hex');
    return { one, key: `${needed.has(declared.id) ? 0 : 1} ${digest}` };
  });
  return keyed.sort((left, right) => (left.key < right.key ? -1 : 1)).map(({ one }) => one);
}

interface Span {
  readonly path: string;
  readonly beginsMs: number;
  readonly endsMs: number;
}

/** From the first step of the first attempt to the last step of the last. */
function toSpan({ execution, receipt, path }: StoredReceipt): readonly Span[] {
  const steps = receipt.attempts.flatMap((attempt) => attempt.steps);
  const [first, last] = [steps[0], steps.at(-1)];
  if (execution.declared.requires !== null || first === undefined || last === undefined) return [];
  return [
    { path, beginsMs: Date.parse(first.startedAt), endsMs: Date.parse(last.startedAt) + last.durationMs },
  ];
}
