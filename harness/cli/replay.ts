import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { refuseNonEmpty } from '../evidence/bundle-folder.ts';
import { replayEvidence } from '../replay/replay.ts';
import { EngineSlot } from './engine-slot.ts';
import { findEvidence } from './evidence-argument.ts';
import type { EngineChoice } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { listenForInterruption } from './interruption.ts';
import { Leavings } from './leavings.ts';
import { requireUsable } from './out-folder.ts';
import { toJsonLine, writeResult } from './output.ts';
import { openReplayFile, writeReplayFile } from './replay-file.ts';
import { toReplayText } from './replay-text.ts';
import { toRunReporter } from './run-reporter.ts';
import type { Session } from './session.ts';
import { readBack } from './signing.ts';
import { preferSmallHeap } from './small-heap.ts';

export interface ReplayFlags {
  readonly engine: EngineChoice;
  readonly archives?: string;
  readonly allowExec?: boolean;
  readonly withScripts?: boolean;
  readonly out?: string;
  readonly document?: string;
  readonly sign?: string;
}

/** `packproof replay`: rebuilds the image of evidence, runs its suites again, and compares. */
export async function replayCommand(argument: string, flags: ReplayFlags, session: Session): Promise<number> {
  preferSmallHeap();
  const { progress } = session;
  const evidence = await findEvidence(argument);
  const target = flags.out === undefined ? null : toAbsolute(flags.out);
  if (target !== null) {
    await refuseNonEmpty(target);
    await requireUsable('--out', target);
  }
  const file = await openReplayFile(flags);
  const { cache, state } = await openOwnFolders(process.env);
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    progress,
  );
  const interruption = listenForInterruption((signal) =>
    progress.say('replay', `${signal}: ending in order`),
  );
  const leavings = new Leavings();
  if (target !== null) leavings.expect(dirname(target));
  try {
    const document = await replayEvidence({
      evidence,
      target,
      archives: flags.archives === undefined ? null : toAbsolute(flags.archives),
      permissions: { exec: flags.allowExec === true, scripts: flags.withScripts === true },
      runId,
      cacheDir: cache,
      stateDir: state,
      engine: engine.open,
      readBack: async (folder) => (await readBack(folder, [], progress)).accepted,
      reporter: toRunReporter(progress),
      say: (text) => progress.say('replay', text),
      signal: interruption.signal,
      interruptedBy: interruption.by,
    });
    if (file !== null) await writeReplayFile(file, document);
    await writeResult(session.json ? toJsonLine(document) : toReplayText(document, session.color));
    return document.exitCode;
  } catch (error) {
    await leavings.undo();
    throw error;
  } finally {
    await engine.release();
    interruption.stop();
  }
}
