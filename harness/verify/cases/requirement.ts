import type { Findings } from '../finding.ts';
import { classOf, type FindReceipt, type SeenReceipt } from './outcome.ts';

/**
 * Holds a receipt against what its case requires: it ran only when the classification case gave one of the
 * classes asked for, and else says why not. Source of the rules: the format's `requires`.
 */
export function checkRequirement(stored: SeenReceipt, find: FindReceipt, findings: Findings): void {
  const { receipt, path, execution } = stored;
  const { requires } = execution.declared;
  const ran = receipt.attempts.length > 0;
  const refused = receipt.reason === 'not-of-this-class' || receipt.reason === 'classification-missing';
  if (requires === null) {
    if (refused)
      findings.add('RECEIPT_REQUIREMENT', `${path}.reason`, 'a case that requires a class', receipt.reason);
    return;
  }
  if (!execution.classifiable) {
    checkUnclassified(stored, findings);
    return;
  }
  const needed = find(requires.classification, execution.node);
  if (needed === null || !needed.whole) return;
  if (!ran) {
    checkRefusal(stored, needed, find, findings);
    return;
  }
  const found = classOf(needed, find);
  if (found === null || !requires.classes.some((wanted) => wanted === found)) {
    findings.add(
      'RECEIPT_REQUIREMENT',
      `${path}.attempts`,
      `a class of ${requires.classes.join(', ')}`,
      found,
    );
  }
}

/** Where the classification does not stand on this version, nothing can say of which class the candidate is. */
function checkUnclassified({ receipt, path }: SeenReceipt, findings: Findings): void {
  const { outcome, reason, attempts } = receipt;
  // What is left out, or blocked, is held against that elsewhere.
  if (outcome === 'excluded' || reason === 'selection' || reason === 'audit') return;
  if (outcome === 'unrun' && reason === 'classification-missing' && attempts.length === 0) return;
  const expected = 'unrun classification-missing without an attempt';
  findings.add('RECEIPT_REQUIREMENT', `${path}.outcome`, expected, `${outcome} ${reason ?? ''}`.trim());
}

function checkRefusal(
  { receipt, path, execution }: SeenReceipt,
  needed: SeenReceipt,
  find: FindReceipt,
  findings: Findings,
): void {
  // The end of the run, a selection or a blocked candidate come before any requirement; so does a box that
  // did not open.
  if (
    [
      'budget',
      'interrupted',
      'selection',
      'audit',
      'box-not-opened',
      'not-observed',
      'image-unread',
    ].includes(String(receipt.reason))
  ) {
    const inherited = needed.receipt.outcome === receipt.outcome && needed.receipt.reason === receipt.reason;
    if (receipt.outcome !== 'unsupported' || inherited) return;
  }
  const { outcome, reason, detail } = expectedRefusal(
    execution.declared.requires?.classes ?? [],
    needed,
    find,
  );
  findings.same('RECEIPT_REQUIREMENT', `${path}.outcome`, outcome, receipt.outcome);
  findings.same('RECEIPT_REQUIREMENT', `${path}.reason`, reason, receipt.reason);
  if (detail !== null) findings.same('RECEIPT_REQUIREMENT', `${path}.detail`, detail, receipt.detail);
}

interface Refusal {
  readonly outcome: string;
  readonly reason: string | null;
  readonly detail: string | null;
}

function expectedRefusal(classes: readonly string[], needed: SeenReceipt, find: FindReceipt): Refusal {
  const { outcome, reason, detail } = needed.receipt;
  if (outcome === 'unsupported' || outcome === 'unrun') return { outcome, reason, detail };
  const missing = { outcome: 'unrun', reason: 'classification-missing', detail: null };
  if (outcome === 'error') return missing;
  const found = classOf(needed, find);
  if (found === null) return missing;
  if (!classes.includes(found)) return { outcome: 'unsupported', reason: 'not-of-this-class', detail: found };
  return { outcome: `what its attempts show, as it is ${found}`, reason: null, detail: null };
}
