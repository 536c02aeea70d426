import { toCanonicalBytes } from '../document/canonical.ts';
import type { AttemptRecord, Receipt, StepRecord } from '../evidence/receipt.ts';
import { nameKey, type Undecisive } from './asserted.ts';
import type { Difference } from './difference.ts';

/**
 * What two receipts of one case say otherwise; times, box ids and process numbers never count.
 *
 * `undecisive`: steps and checks of which another end or result is drift.
 */
export function compareReceipts(
  recorded: Receipt,
  replayed: Receipt,
  undecisive: Undecisive,
): readonly Difference[] {
  const { caseId } = recorded;
  return [
    ...compareText('outcome', '', [toOutcome(recorded), toOutcome(replayed)]),
    ...compareChecks(recorded, replayed).map((difference) => ({
      ...difference,
      decisive: !undecisive.checks.has(nameKey(caseId, difference.where)),
    })),
    ...compareText('attempts', '', [String(recorded.attempts.length), String(replayed.attempts.length)]),
    ...recorded.attempts.flatMap((attempt, index) => {
      const other = replayed.attempts[index];
      return other === undefined
        ? []
        : compareAttempts(attempt, other, (step) => !undecisive.ends.has(nameKey(caseId, step)));
    }),
  ];
}

function toOutcome({ outcome, reason }: Receipt): string {
  return reason === null ? outcome : `${outcome} (${reason})`;
}

function compareChecks(recorded: Receipt, replayed: Receipt): readonly Difference[] {
  const results = (receipt: Receipt): ReadonlyMap<string, string> =>
    new Map(receipt.checks.map(({ id, result }) => [id, result]));
  const [left, right] = [results(recorded), results(replayed)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((id) =>
    compareText('check', id, [left.get(id) ?? 'absent', right.get(id) ?? 'absent']),
  );
}

function compareAttempts(
  recorded: AttemptRecord,
  replayed: AttemptRecord,
  isDecisive: (step: string) => boolean,
): readonly Difference[] {
  const names = ({ steps }: AttemptRecord): string => steps.map(({ name }) => name).join(', ');
  const leftovers = compareText('leftovers', `attempt ${recorded.attempt}`, [
    String(recorded.leftovers.length),
    String(replayed.leftovers.length),
  ]).map((difference) => ({ ...difference, decisive: false }));
  const steps = compareText('steps', `attempt ${recorded.attempt}`, [names(recorded), names(replayed)]);
  if (steps.length > 0) return [...steps, ...leftovers];
  const terminations = recorded.steps.flatMap((step, index) => {
    const other = replayed.steps[index];
    if (other === undefined) return [];
    return compareText('termination', step.name, [toEnd(step), toEnd(other)]).map((difference) => ({
      ...difference,
      decisive: isDecisive(step.name),
    }));
  });
  return [...terminations, ...leftovers];
}

function toEnd({ termination, oomKilled }: StepRecord): string {
  return `${toCanonicalBytes(termination)}${oomKilled ? ' out of memory' : ''}`;
}

function compareText(
  kind: Difference['kind'],
  where: string,
  [recorded, replayed]: readonly [string, string],
): readonly Difference[] {
  return recorded === replayed
    ? []
    : [{ kind, decisive: true, volatile: null, where, recorded, replayed, bytes: null }];
}
