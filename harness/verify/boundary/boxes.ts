import type { StoredReceipt } from '../cases/outcome.ts';
import { once } from '../files/once.ts';
import { Findings } from '../finding.ts';
import type { Outside } from '../shape/receipt.ts';
import { keyOf } from './kind.ts';
import { type OutsideViews, outsidePath } from './outside-files.ts';
import { checkOutside, type Standard } from './outside-view.ts';

type Standards = ReadonlyMap<string, Standard>;

/**
 * Holds the view that each attempt names against the boundary of its kind. Boxes of one kind look alike; a
 * view is compared once for each kind that names it.
 */
export function checkBoxes(
  seen: { readonly receipts: readonly StoredReceipt[]; readonly views: OutsideViews },
  standards: Standards,
  findings: Findings,
): void {
  const compared = new Set<string>();
  for (const { execution, receipt, path } of seen.receipts) {
    const kind = keyOf({ ...execution.declared, node: execution.node });
    for (const [index, { outsideSha256 }] of receipt.attempts.entries()) {
      const view = seen.views.get(outsideSha256);
      const key = `${kind} ${outsideSha256}`;
      if (view === undefined || compared.has(key)) continue;
      compared.add(key);
      const standard = standards.get(kind);
      // Both are read once, and stay as they are.
      const found = once(view, standard, () => compare(view, standard, outsideSha256));
      if (found.length === 0) continue;
      const other = [...standards].find(([, standard]) => compare(view, standard, '').length === 0);
      if (other === undefined) findings.addAll(found);
      else {
        findings.add('OUTSIDE_VIEW_KIND', `${path}.attempts[${index}].outsideSha256`, kind, other[0]);
      }
    }
  }
}

/** A kind without a standard was not measured, which has a finding of its own. */
function compare(
  view: Outside,
  standard: Standard | undefined,
  sha256: string,
): ReturnType<Findings['list']> {
  const found = new Findings();
  if (standard !== undefined) checkOutside(view, standard, `${outsidePath(sha256)}.outside`, found);
  return found.list();
}
