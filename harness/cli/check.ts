import { randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refuseNonEmpty } from '../evidence/bundle-folder.ts';
import { toPathSegment } from '../evidence/paths.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import { EngineSlot } from './engine-slot.ts';
import { type CheckFlags, parseRunFlags } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { listenForInterruption } from './interruption.ts';
import { contextBeside, prepareByFlags } from './prepare-job.ts';
import { runAndReport } from './run-context.ts';
import type { Session } from './session.ts';

/** `packproof check`: prepare, run, export and read back. */
export async function checkCommand(candidate: string, flags: CheckFlags, session: Session): Promise<number> {
  const startedAt = performance.now();
  const values = parseRunFlags(flags);
  const { cache, state } = await openOwnFolders(process.env);
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const asked = flags.out === undefined ? null : toAbsolute(flags.out);
  if (asked !== null) await refuseNonEmpty(asked);
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    session.progress,
  );
  const interruption = listenForInterruption((signal) =>
    session.progress.say('run', `${signal}: ending in order`),
  );
  try {
    const context = await prepareByFlags({
      candidate,
      flags,
      session,
      out: contextBeside(asked ?? join(evidenceRoot(), runId)),
      cacheDir: cache,
      runId,
      engine: engine.open,
    });
    const placed = asked === null ? await placeByName(context, runId) : { context, target: asked };
    return await runAndReport({
      ...placed,
      runId,
      values,
      embedArchives: flags.embedArchives === true,
      cacheDir: cache,
      engine: engine.open,
      interruption,
      session,
      startedAt,
    });
  } finally {
    await engine.release();
    interruption.stop();
  }
}

function evidenceRoot(): string {
  return join(process.cwd(), '.packproof', 'evidence');
}

/** The default place, `.packproof/evidence/<encoded name>@<version>/<run id>`: known once the candidate is read. */
async function placeByName(
  context: PreparedContext,
  runId: string,
): Promise<{ readonly context: PreparedContext; readonly target: string }> {
  const { name, version } = context.document.candidate;
  const target = join(evidenceRoot(), toPathSegment(`${name ?? 'unknown'}@${version ?? 'unknown'}`), runId);
  const folder = contextBeside(target);
  await mkdir(dirname(target), { recursive: true });
  await rename(context.folder, folder);
  return { context: { ...context, folder }, target };
}
