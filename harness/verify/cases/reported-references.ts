import { toCanonicalText } from '../canonical.ts';
import { isExcluded } from '../evaluate/references.ts';
import type { Findings } from '../finding.ts';
import type { Termination } from '../shape/receipt.ts';
import type { Report } from '../shape/report.ts';
import type { StoredReceipt } from './outcome.ts';

type Reported = Report['references'];

/** What a report must say of references, by suites and receipts. */
export function toReportedReferences(receipts: readonly StoredReceipt[]): Reported {
  let observed = 0;
  const excluded: {
    readonly caseId: string;
    readonly node: string;
    readonly attempt: number;
    readonly step: string;
    readonly archive: string;
    readonly termination: Termination;
  }[] = [];
  for (const { receipt, execution } of receipts) {
    for (const { attempt, steps } of receipt.attempts) {
      for (const step of steps) {
        const found = execution.declared.references.find((one) => one.step === step.name);
        if (found === undefined) continue;
        const { caseId, node } = receipt;
        const { archive } = found;
        const { name, termination } = step;
        if (isExcluded(step)) excluded.push({ caseId, node, attempt, step: name, archive, termination });
        else observed += 1;
      }
    }
  }
  return { observed, excluded };
}

/** Holds what the report says of references against suites and receipts. */
export function checkReportedReferences(
  report: Report,
  receipts: readonly StoredReceipt[],
  findings: Findings,
): void {
  const { observed, excluded } = toReportedReferences(receipts);
  const at = 'report.json.references';
  findings.same('REFERENCE_MISMATCH', `${at}.observed`, observed, report.references.observed);
  const [ours, told] = [excluded, report.references.excluded].map((list) => toCanonicalText(list));
  findings.same('REFERENCE_MISMATCH', `${at}.excluded`, ours, told);
}
