import type { Findings } from '../finding.ts';
import { isAsked } from './node-choice.ts';
import type { SeenReceipt } from './outcome.ts';

/**
 * Holds a receipt to the Node versions of its case: on one that the case does not ask for nothing is run and the case
 * is `unsupported`, and on one that it asks for this is no reason. True: nothing else of the receipt is to be derived.
 */
export function checkNodeVersion({ receipt, path, execution }: SeenReceipt, findings: Findings): boolean {
  const { declared, node } = execution;
  const said = receipt.reason === 'no-node-version';
  if (isAsked(declared, node)) {
    // It may be that of the case whose class it requires, which that one's receipt decides.
    if (said && declared.requires === null)
      findings.add('RECEIPT_NODE_VERSION', `${path}.reason`, `a run on node ${node}`, receipt.reason);
    return false;
  }
  if (receipt.outcome === 'excluded' || ['selection', 'audit'].includes(String(receipt.reason))) return true;
  const { outcome, reason } = receipt;
  if (outcome === 'unsupported' && said && receipt.attempts.length === 0) {
    findings.same('RECEIPT_DETAIL', `${path}.detail`, '', receipt.detail);
    return true;
  }
  findings.add(
    'RECEIPT_NODE_VERSION',
    `${path}.outcome`,
    `unsupported no-node-version without an attempt, on node ${node}`,
    `${outcome} ${reason ?? ''}`.trim(),
  );
  return true;
}
