import type { Findings } from './finding.ts';
import type { Audit } from './shape/inputs.ts';
import type { Report } from './shape/report.ts';

const AT = 'report.json';

type AuditFindings = Pick<Audit, 'findings' | 'omitted'>;

/**
 * A candidate with an unsafe finding is stopped by it, and by nothing else; a run that was stopped used no time.
 * What stopped it where the audit found nothing unsafe (a tree that does not resolve, an install that fails) is
 * known to the runner alone.
 */
export function checkBlocked(
  { blocked, budget, durationMs }: Pick<Report, 'blocked' | 'budget' | 'durationMs'>,
  audit: AuditFindings,
  findings: Findings,
): void {
  const unsafe = audit.findings.filter((finding) => finding.unsafe && finding.severity === 'gate');
  const [first] = unsafe;
  if (first !== undefined && !unsafe.some((finding) => isCause(blocked, finding, audit))) {
    const expected = `audit ${first.code} ${first.path}: ${first.expected}, ${first.actual}`;
    const actual =
      blocked === null
        ? 'a run'
        : `${blocked.stage} ${blocked.code} ${blocked.where}: ${blocked.expected}, ${blocked.actual}`;
    findings.add('REPORT_FACT', `${AT}.blocked`, expected, actual);
  }
  if (blocked === null) return;
  findings.same('REPORT_BUDGET', `${AT}.budget.usedMs`, 0, budget.usedMs);
  findings.same('REPORT_TIME', `${AT}.durationMs`, 0, durationMs);
}

/** The first finding speaks for all, and says how many more there are. */
function isCause(
  blocked: Report['blocked'],
  { code, path, expected, actual }: Audit['findings'][number],
  { findings, omitted }: AuditFindings,
): boolean {
  if (blocked === null || blocked.stage !== 'audit') return false;
  const total = findings.filter(({ unsafe, severity }) => unsafe && severity === 'gate').length;
  const more = total > 1 ? ` (and ${total - 1} more)` : '';
  const tells =
    omitted.length === 0 ? blocked.actual === `${actual}${more}` : blocked.actual.startsWith(actual);
  return blocked.code === code && blocked.where === path && blocked.expected === expected && tells;
}
