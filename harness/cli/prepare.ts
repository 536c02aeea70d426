import { randomBytes } from 'node:crypto';
import { quoteText } from '../document/fault.ts';
import { summariseAudit } from '../job/audit-summary.ts';
import { EngineSlot } from './engine-slot.ts';
import { EXIT } from './exit-code.ts';
import type { CheckFlags } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { writeResult } from './output.ts';
import { prepareByFlags } from './prepare-job.ts';
import type { Session } from './session.ts';

/** `packproof prepare`: makes a context; 1 when the audit or the install found the candidate at fault. */
export async function prepareCommand(
  candidate: string,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  const { cache, state } = await openOwnFolders(process.env);
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    session.progress,
  );
  try {
    const out = toAbsolute(flags.out ?? '');
    const context = await prepareByFlags({
      candidate,
      flags,
      session,
      out,
      cacheDir: cache,
      runId,
      engine: engine.open,
    });
    const { document } = context;
    const { openGates, findings } = summariseAudit(context.audit);
    const exitCode = document.blocked !== null || openGates > 0 ? EXIT.candidateFailed : EXIT.passed;
    const result = {
      result: exitCode === 0 ? 'passed' : 'failed',
      exitCode,
      context: flags.out,
      contextSha256: context.sha256,
      candidate: {
        name: document.candidate.name,
        version: document.candidate.version,
        sha256: document.candidate.sha256,
      },
      platform: document.platform,
      nodes: document.nodes,
      dependencies: document.dependencies.length,
      installScripts: document.installScripts,
      blocked: document.blocked,
      audit: findings,
    };
    const identity = quoteText(`${document.candidate.name}@${document.candidate.version}`);
    const text = `${result.result}  ${identity}  ${result.dependencies} packages, node ${document.nodes.join(', ')}, context ${quoteText(String(flags.out))}\n`;
    await writeResult(session.json ? `${JSON.stringify(result)}\n` : text);
    return exitCode;
  } finally {
    await engine.release();
  }
}
