/** A finding of `audit.json` as results show it. */
export interface AuditLine {
  readonly code: string;
  readonly severity: 'gate' | 'warn' | 'info';
  readonly unsafe: boolean;
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
  readonly waived: { readonly reason: string; readonly expires: string } | null;
}

export interface AuditSummary {
  /** The parsed document, which the bundle keeps in the same byte form. */
  readonly document: unknown;
  readonly findings: readonly AuditLine[];
  /** Gates that no waiver covers. */
  readonly openGates: number;
}

/** Reads the audit document of a context, whose bytes were compared with `context.json` before. */
export function summariseAudit(bytes: Buffer): AuditSummary {
  const document: { readonly findings: readonly AuditLine[] } = JSON.parse(bytes.toString('utf8'));
  const { findings } = document;
  const openGates = findings.filter(({ severity, waived }) => severity === 'gate' && waived === null).length;
  return { document, findings, openGates };
}
