import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { summariseAudit } from '../job/audit-summary.ts';
import { hostPlatform } from '../job/engines.ts';
import { nameBase } from '../prepare/base-name.ts';
import type { PrepareResult } from '../prepare/prepare.ts';
import type { PreparedImage } from '../prepare/prepare-options.ts';
import { EngineSlot } from './engine-slot.ts';
import { EXIT } from './exit-code.ts';
import type { CheckFlags } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { listenForInterruption, untilInterrupted } from './interruption.ts';
import { Leavings } from './leavings.ts';
import { requireUsable } from './out-folder.ts';
import { toJsonLine, toLogText, writeResult } from './output.ts';
import { prepareByFlags } from './prepare-job.ts';
import type { Session } from './session.ts';

/** `packproof prepare`: makes a context; 1 when the audit or the install found the candidate at fault. */
export async function prepareCommand(
  candidate: string,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  const out = toAbsolute(flags.out ?? '');
  await requireUsable('--out', out);
  const { cache, state } = await openOwnFolders(process.env);
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    session.progress,
  );
  const interruption = listenForInterruption((signal) =>
    session.progress.say('prepare', `${signal}: ending in order`),
  );
  const leavings = new Leavings();
  leavings.expect(dirname(out));
  leavings.adopt(out);
  try {
    const preparing = prepareByFlags({
      candidate,
      flags,
      session,
      out,
      cacheDir: cache,
      stateDir: state,
      runId,
      engine: engine.open,
      interruption,
    });
    const context = await untilInterrupted(preparing, interruption, engine.release);
    return await report(context, flags, session);
  } catch (error) {
    await leavings.undo();
    throw error;
  } finally {
    await engine.release();
    interruption.stop();
  }
}

async function report(context: PrepareResult, flags: CheckFlags, session: Session): Promise<number> {
  const { document } = context;
  const { openGates, findings } = summariseAudit(context.audit);
  const exitCode = document.blocked !== null || openGates > 0 ? EXIT.candidateFailed : EXIT.passed;
  const { name, version, sha256 } = document.candidate;
  const result = {
    formatVersion: 1,
    result: exitCode === 0 ? 'passed' : 'failed',
    exitCode,
    context: flags.out,
    contextSha256: context.sha256,
    candidate: { name, version, sha256 },
    platform: document.platform,
    /** No box of this machine can run it: what was made of it is pinned and listed, and nothing more. */
    untested: document.platform !== hostPlatform(),
    base: nameBase(document.base),
    nodes: document.nodes,
    images: context.images,
    packages: document.dependencies.length,
    installScripts: document.installScripts,
    blocked: document.blocked,
    audit: findings,
  };
  const words = [
    `${result.packages} packages, node ${document.nodes.join(', ')}, context ${toLogText(String(flags.out))}`,
    ...(document.blocked === null ? [] : [`${document.blocked.stage}: ${document.blocked.code}`]),
  ];
  const lines = [
    `${result.result}  ${toLogText(`${name}@${version}`)}  ${words.join(', ')}`,
    ...context.images.map(describeImage),
    ...(result.untested
      ? [`  untested: ${document.platform} does not run on this machine, which is ${hostPlatform()}`]
      : []),
  ];
  await writeResult(session.json ? toJsonLine(result) : `${lines.join('\n')}\n`);
  return exitCode;
}

/** The image's identity: its layers' digests in order, and the config's. */
function describeImage({ node, files, configDigest, diffIds }: PreparedImage): string {
  return [
    `  image for node ${node}: ${files} files, config ${configDigest}`,
    ...diffIds.map((diffId) => `    layer ${diffId}`),
  ].join('\n');
}
