import { quoteText } from '../document/fault.ts';
import { CATALOGUE, type FindingCode } from './catalogue/catalogue.ts';
import { FINDING_TEXT_LENGTH, FINDINGS_PER_CODE } from './limits.ts';
import { compareSeverities, type Severity } from './severity.ts';

/** One fault or fact. All text is safe to print: control and direction characters are escaped. */
export interface AuditFinding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly unsafe: boolean;
  /** An entry of the archive, a JSON pointer behind `package.json#`, or `candidate.tgz` for the whole. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
  /** Set by a waiver; a waived finding no longer gates. */
  readonly waived: WaivedBy | null;
}

export interface WaivedBy {
  readonly reason: string;
  readonly expires: string;
}

/** Findings of one code beyond the number that is kept. */
export interface OmittedFindings {
  readonly code: FindingCode;
  readonly count: number;
}

export interface SeenFact {
  readonly expected: string;
  readonly actual: string;
}

/** Builds a finding with the severity its code has in the catalogue. */
export function toFinding(code: FindingCode, path: string, seen: SeenFact): AuditFinding {
  const { severity, unsafe } = CATALOGUE[code];
  return {
    code,
    severity,
    unsafe,
    path: quoteText(path, FINDING_TEXT_LENGTH),
    expected: quoteText(seen.expected, FINDING_TEXT_LENGTH),
    actual: quoteText(seen.actual, FINDING_TEXT_LENGTH),
    waived: null,
  };
}

/** Collects findings in any order; a hostile archive can cause many, so only the first of each code are kept. */
export class FindingList {
  readonly #kept: AuditFinding[] = [];
  readonly #counts = new Map<FindingCode, number>();

  add(code: FindingCode, path: string, seen: SeenFact): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= FINDINGS_PER_CODE) this.#kept.push(toFinding(code, path, seen));
  }

  /** Whether this code was given already; for facts that are told once for a whole archive. */
  has(code: FindingCode): boolean {
    return this.#counts.has(code);
  }

  sorted(): readonly AuditFinding[] {
    return [...this.#kept].sort(compareFindings);
  }

  omitted(): readonly OmittedFindings[] {
    return [...this.#counts]
      .filter(([, count]) => count > FINDINGS_PER_CODE)
      .map(([code, count]) => ({ code, count: count - FINDINGS_PER_CODE }))
      .sort((left, right) => compareText(left.code, right.code));
  }
}

/** Gravest first, then by code, path and what was seen, so that the same bytes give the same document. */
export function compareFindings(left: AuditFinding, right: AuditFinding): number {
  return (
    compareSeverities(left.severity, right.severity) ||
    compareText(left.code, right.code) ||
    compareText(left.path, right.path) ||
    compareText(left.expected, right.expected) ||
    compareText(left.actual, right.actual)
  );
}

/** Order by UTF-16 code units: the same on every machine and locale. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
