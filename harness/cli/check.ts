import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refuseNonEmpty } from '../evidence/bundle-folder.ts';
import { toPathSegment } from '../evidence/paths.ts';
import { readSigningKey } from '../evidence/signing/key.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import { readDurationsFlag } from './durations.ts';
import { EngineSlot } from './engine-slot.ts';
import { type CheckFlags, parseRunFlags } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { listenForInterruption, untilInterrupted } from './interruption.ts';
import { Leavings } from './leavings.ts';
import { requireUsable } from './out-folder.ts';
import { contextBeside, prepareByFlags } from './prepare-job.ts';
import { runAndReport } from './run-context.ts';
import type { Session } from './session.ts';
import { preferSmallHeap } from './small-heap.ts';
import { Update } from './update/update.ts';

/** `packproof check`: prepare, run, export and read back. Without evidence nothing is left behind. */
export async function checkCommand(candidate: string, flags: CheckFlags, session: Session): Promise<number> {
  const startedAt = performance.now();
  preferSmallHeap();
  const values = parseRunFlags(flags);
  const update = await Update.open(flags);
  const asked = flags.out === undefined ? null : toAbsolute(flags.out);
  if (asked !== null) await refuseNonEmpty(asked);
  await requireUsable('--out', asked ?? evidenceRoot());
  const durations = await readDurationsFlag(flags.durations);
  const signer = flags.sign === undefined ? null : await readSigningKey(toAbsolute(flags.sign));
  const { cache, state } = await openOwnFolders(process.env);
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    session.progress,
  );
  const interruption = listenForInterruption((signal) =>
    session.progress.say('run', `${signal}: ending in order`),
  );
  const leavings = new Leavings();
  let target = asked ?? join(evidenceRoot(), runId);
  try {
    const out = contextBeside(target);
    leavings.expect(dirname(out));
    leavings.adopt(out);
    const shared = {
      flags,
      session,
      cacheDir: cache,
      stateDir: state,
      runId,
      engine: engine.open,
      interruption,
    };
    const preparing = prepareByFlags({ ...shared, candidate, out });
    let context: PreparedContext = await untilInterrupted(preparing, interruption, engine.release);
    if (asked === null) {
      target = placeByName(context, runId);
      context = await moveBeside(context, target, leavings);
    }
    const preparedAt = performance.now();
    return await runAndReport({
      ...shared,
      context,
      target,
      values,
      durations,
      embedArchives: flags.embedArchives === true,
      signer,
      update,
      selfCheck: true,
      startedAt,
      prepareMs: Math.round(preparedAt - startedAt),
    });
  } catch (error) {
    if (!existsSync(target)) await leavings.undo();
    throw error;
  } finally {
    await engine.release();
    interruption.stop();
  }
}

function evidenceRoot(): string {
  return join(process.cwd(), '.packproof', 'evidence');
}

/** The default place, `.packproof/evidence/<encoded name>@<version>/<run id>`: known once the candidate is read. */
function placeByName({ document }: PreparedContext, runId: string): string {
  const { name, version } = document.candidate;
  return join(evidenceRoot(), toPathSegment(`${name ?? 'unknown'}@${version ?? 'unknown'}`), runId);
}

async function moveBeside(
  context: PreparedContext,
  target: string,
  leavings: Leavings,
): Promise<PreparedContext> {
  const folder = contextBeside(target);
  leavings.expect(dirname(folder));
  leavings.adopt(folder);
  await mkdir(dirname(folder), { recursive: true });
  await rename(context.folder, folder);
  return { ...context, folder };
}
