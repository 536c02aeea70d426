import { adviceLines } from './audit-advice.ts';
import { type Paint, paint, toLogText } from './output.ts';
import type { Failure, ResultDocument } from './result-document.ts';

/** More lines than a person reads; the rest is in the evidence. */
const SHOWN_FAILURES = 40;
/** Characters of a message: what was seen and what was expected, each cut where it is written. */
const FAILURE_LENGTH = 600;

/** The result for people: one line that says it, what failed and what to do, where the evidence lies. */
export function toResultText(result: ResultDocument, color: boolean): string {
  const lines = [headline(result, color), ...failureLines(result, color), ...auditLines(result, color)];
  const signature = result.signedBy === null ? 'unsigned' : `signed by ${result.signedBy}`;
  lines.push(`  evidence ${toLogText(result.evidence, 1000)} (${result.verdict}, ${signature})`);
  return `${lines.join('\n')}\n`;
}

const HUES: Readonly<Record<ResultDocument['result'], Paint>> = {
  passed: 'green',
  failed: 'red',
  error: 'yellow',
};

function headline(result: ResultDocument, color: boolean): string {
  const { name, version } = result.candidate;
  const counts = Object.entries(result.counts)
    .filter(([outcome, count]) => count > 0 || outcome === 'pass')
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
  const word = paint(result.result, HUES[result.result], color);
  const engine = result.engine === null ? 'no engine' : result.engine.name;
  const seconds = (result.durationMs / 1000).toFixed(1);
  return `${word}  ${toLogText(`${name}@${version}`)}  ${counts}  on ${engine}, ${seconds} s${preparing(result)}, exit ${result.exitCode}`;
}

/** A first check fetches and installs; nobody should take that for the run, or for what its budget limits. */
function preparing({ prepareMs }: ResultDocument): string {
  if (prepareMs === null) return '';
  return ` (${(prepareMs / 1000).toFixed(1)} s to prepare, not in the budget)`;
}

function failureLines({ failures }: ResultDocument, color: boolean): readonly string[] {
  const shown = failures.slice(0, SHOWN_FAILURES).flatMap((failure, index) => {
    // Once for all that lies in the same place.
    const isLast = failure.evidencePath !== failures[index + 1]?.evidencePath || index === SHOWN_FAILURES - 1;
    return [...toLines(failure, color), ...(isLast ? evidenceLines(failure, color) : [])];
  });
  const rest = failures.length - SHOWN_FAILURES;
  return rest > 0 ? [...shown, `  … ${rest} more`] : shown;
}

function toLines(failure: Failure, color: boolean): readonly string[] {
  const head = severityWord(failure.severity, color);
  const place = [failure.case, failure.check].filter((part) => part !== '').join(' ');
  const line = `  ${head} ${toLogText(place)}: ${toLogText(failure.message, FAILURE_LENGTH)}`;
  return [line, ...adviceLines(failure.advice, color)];
}

/** Where in the evidence a failure is read. */
function evidenceLines({ evidencePath }: Failure, color: boolean): readonly string[] {
  return [`       ${paint(`in ${toLogText(evidencePath, 400)}`, 'dim', color)}`];
}

function auditLines({ audit }: ResultDocument, color: boolean): readonly string[] {
  return audit
    .filter(({ severity }) => severity !== 'info')
    .slice(0, SHOWN_FAILURES)
    .flatMap((finding) => {
      const head = finding.waived ? paint('waiv', 'dim', color) : severityWord(finding.severity, color);
      const detail = `${finding.path}: expected ${finding.expected}, got ${finding.actual}`;
      const advice = finding.waived ? '' : finding.advice;
      return [`  ${head} ${finding.code} ${toLogText(detail, 300)}`, ...adviceLines(advice, color)];
    });
}

function severityWord(severity: string, color: boolean): string {
  return paint(severity, severity === 'gate' ? 'red' : severity === 'warn' ? 'yellow' : 'dim', color);
}
