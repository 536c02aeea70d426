import { auditCandidate } from '../audit/audit.ts';
import { listGates } from '../audit/report.ts';
import { applyWaivers } from '../audit/waivers.ts';
import { PUBLIC_REGISTRY, readWaivers } from '../job/prepare-ports.ts';
import { readLoneCandidate } from '../prepare/lone-candidate.ts';
import { adviceLines, adviceOfFinding } from './audit-advice.ts';
import { EXIT } from './exit-code.ts';
import { openOwnFolders, toAbsolute } from './folders.ts';
import { paint, toJsonLine, toLogText, writeResult } from './output.ts';
import type { Session } from './session.ts';

/** `packproof audit`: findings on the bytes of an archive; nothing is unpacked or run. */
export async function auditCommand(
  candidate: string,
  flags: { readonly waive?: string },
  session: Session,
): Promise<number> {
  const { bytes, declared } = await readLoneCandidate(
    candidate,
    process.cwd(),
    async () => (await openOwnFolders(process.env)).cache,
  );
  const waivers = await readWaivers(flags.waive === undefined ? null : toAbsolute(flags.waive));
  const report = applyWaivers(
    auditCandidate(bytes, {
      publicRegistry: PUBLIC_REGISTRY,
      ...(declared === null ? {} : { expected: declared }),
    }),
    waivers,
    new Date(),
  );
  const exitCode = listGates(report).length > 0 ? EXIT.candidateFailed : EXIT.passed;
  if (session.json) {
    const findings = report.findings.map((one) => ({ ...one, advice: adviceOfFinding(one.code) }));
    const result = exitCode === 0 ? 'passed' : 'failed';
    await writeResult(toJsonLine({ result, exitCode, ...report, findings }));
    return exitCode;
  }
  const { name, version } = report.candidate;
  const word =
    exitCode === 0 ? paint('passed', 'green', session.color) : paint('failed', 'red', session.color);
  const lines = [
    `${word}  ${toLogText(`${name ?? 'unknown'}@${version ?? 'unknown'}`)}  ${report.entries} entries`,
  ];
  for (const finding of report.findings) {
    const detail = `${finding.path}: expected ${finding.expected}, got ${finding.actual}`;
    const waived = finding.waived === null ? '' : ' (waived)';
    lines.push(`  ${finding.severity}${waived} ${finding.code} ${toLogText(detail, 400)}`);
    // Of what is merely noted nothing has to be done.
    const isOpen = finding.waived === null && finding.severity !== 'info';
    if (isOpen) lines.push(...adviceLines(adviceOfFinding(finding.code), session.color));
  }
  await writeResult(`${lines.join('\n')}\n`);
  return exitCode;
}
