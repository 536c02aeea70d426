import { readFile, stat } from 'node:fs/promises';
import { auditCandidate } from '../audit/audit.ts';
import { listGates } from '../audit/report.ts';
import { applyWaivers } from '../audit/waivers.ts';
import { PUBLIC_REGISTRY, readWaivers } from '../job/prepare-ports.ts';
import { UsageError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { toAbsolute } from './folders.ts';
import { paint, toJsonLine, toLogText, writeResult } from './output.ts';
import type { Session } from './session.ts';

/** An archive is held in memory while it is audited; the registry refuses far smaller ones. */
const CANDIDATE_LIMIT_BYTES = 1024 ** 3;

/** `packproof audit`: findings on the bytes of a local archive; nothing is unpacked, fetched or run. */
export async function auditCommand(
  candidate: string,
  flags: { readonly waive?: string },
  session: Session,
): Promise<number> {
  const bytes = await readCandidate(candidate);
  const waivers = await readWaivers(flags.waive === undefined ? null : toAbsolute(flags.waive));
  const report = applyWaivers(
    auditCandidate(bytes, { publicRegistry: PUBLIC_REGISTRY }),
    waivers,
    new Date(),
  );
  const exitCode = listGates(report).length > 0 ? EXIT.candidateFailed : EXIT.passed;
  if (session.json) {
    await writeResult(toJsonLine({ result: exitCode === 0 ? 'passed' : 'failed', exitCode, ...report }));
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
  }
  await writeResult(`${lines.join('\n')}\n`);
  return exitCode;
}

async function readCandidate(candidate: string): Promise<Buffer> {
  const status = await stat(candidate).catch(() => null);
  if (status?.isFile() === true && status.size <= CANDIDATE_LIMIT_BYTES) return readFile(candidate);
  throw new UsageError('CANDIDATE_UNREADABLE', 'candidate', {
    where: candidate,
    expected: 'a packed archive, as npm pack makes it',
    actual:
      status === null ? 'nothing' : status.isDirectory() ? 'a folder' : 'no regular file of at most 1 GiB',
  });
}
