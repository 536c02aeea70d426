import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { refuseNonEmpty } from '../evidence/bundle-folder.ts';
import { readSigningKey } from '../evidence/signing/key.ts';
import { readContext } from '../prepare/read-context.ts';
import { readDurationsFlag } from './durations.ts';
import { EngineSlot } from './engine-slot.ts';
import { UsageError } from './errors.ts';
import { type CheckFlags, parseRunFlags } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { listenForInterruption } from './interruption.ts';
import { Leavings } from './leavings.ts';
import { requireUsable } from './out-folder.ts';
import { runAndReport } from './run-context.ts';
import type { Session } from './session.ts';
import { preferSmallHeap } from './small-heap.ts';
import { Update } from './update/update.ts';

/** `packproof run`: runs the suites of a context and exports evidence. */
export async function runCommand(folder: string, flags: CheckFlags, session: Session): Promise<number> {
  const startedAt = performance.now();
  preferSmallHeap();
  const values = parseRunFlags(flags);
  const update = await Update.open(flags);
  if (flags.suite !== undefined && update === null) {
    throw new UsageError('FLAG_MISSING', 'flag', { where: '--suite', expected: '--update', actual: 'none' });
  }
  const target = toAbsolute(flags.out ?? '');
  await refuseNonEmpty(target);
  await requireUsable('--out', target);
  const durations = await readDurationsFlag(flags.durations);
  const signer = flags.sign === undefined ? null : await readSigningKey(toAbsolute(flags.sign));
  const { cache, state } = await openOwnFolders(process.env);
  const context = await readContext(toAbsolute(folder));
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    session.progress,
  );
  const interruption = listenForInterruption((signal) =>
    session.progress.say('run', `${signal}: ending in order`),
  );
  const leavings = new Leavings();
  leavings.expect(dirname(target));
  try {
    return await runAndReport({
      context,
      target,
      runId,
      values,
      durations,
      embedArchives: flags.embedArchives === true,
      signer,
      update,
      selfCheck: false,
      cacheDir: cache,
      stateDir: state,
      engine: engine.open,
      interruption,
      session,
      startedAt,
      prepareMs: null,
    });
  } catch (error) {
    await leavings.undo();
    throw error;
  } finally {
    await engine.release();
    interruption.stop();
  }
}
