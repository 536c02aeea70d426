import type { Bundle } from '../bundle.ts';
import type { DeclaredRun } from '../cases/declared.ts';
import type { StoredReceipt } from '../cases/outcome.ts';
import { outsideShape } from '../shape/boundary.ts';
import type { Outside } from '../shape/receipt.ts';

const VIEW = /^boundary\/outside\/([0-9a-f]{64})\.json$/;

/** Boxes as read from outside, by the digest that receipts name. */
export type OutsideViews = ReadonlyMap<string, Outside>;

/** Where the view of this digest stands in a bundle. */
export function outsidePath(sha256: string): string {
  return `boundary/outside/${sha256}.json`;
}

/**
 * Reads every outside view of the bundle. Each stands under the digest of its own bytes, every attempt names
 * one that is there, and none is there that no attempt names.
 */
export function readOutsideViews(
  bundle: Bundle,
  run: DeclaredRun,
  receipts: readonly StoredReceipt[],
): OutsideViews {
  const named = checkNamed(bundle, receipts);
  // An attempt that could not be read may be the one that names a view.
  const allRead = run.whole && receipts.length === run.executions.length;
  const views = new Map<string, Outside>();
  for (const { path, sha256 } of bundle.list.files.values()) {
    const name = VIEW.exec(path)?.[1];
    if (name === undefined) continue;
    bundle.know(path);
    if (!named.has(name) && allRead) {
      bundle.findings.add('OUTSIDE_VIEW_UNUSED', path, 'a view that an attempt names', 'none does');
    }
    if (name !== sha256) bundle.findings.add('OUTSIDE_VIEW_DIGEST', path, name, sha256);
    const document = bundle.document(path, outsideShape);
    if (document !== null) views.set(name, document.outside);
  }
  return views;
}

/** The digests that attempts name; one without its file is a finding at the attempt. */
function checkNamed(bundle: Bundle, receipts: readonly StoredReceipt[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { receipt, path } of receipts) {
    for (const [index, { outsideSha256 }] of receipt.attempts.entries()) {
      named.add(outsideSha256);
      const file = outsidePath(outsideSha256);
      if (bundle.has(file)) continue;
      const at = `${path}.attempts[${index}].outsideSha256`;
      bundle.findings.add('OUTSIDE_VIEW_MISSING', at, file, 'no such file');
    }
  }
  return named;
}
