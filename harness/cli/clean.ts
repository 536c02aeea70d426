import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { diagnoseEngines } from '../job/diagnosis.ts';
import { openEngine, removeCachedImages } from '../job/engines.ts';
import { sweepScratch } from '../job/scratch.ts';
import { EXIT } from './exit-code.ts';
import { newRunId, openOwnFolders } from './folders.ts';
import { toJsonLine, toLogText, writeResult } from './output.ts';
import type { Session } from './session.ts';

/** `packproof clean`: removes what dead runs left on every usable engine, and with `--cache` what can be made anew. */
export async function cleanCommand(cache: boolean, session: Session): Promise<number> {
  const folders = await openOwnFolders(process.env);
  const removed = [...(await sweepScratch(folders.state))];
  for (const { name, state } of await diagnoseEngines(process.env)) {
    if (state !== 'usable') continue;
    const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
    const engine = await openEngine({
      choice: name,
      runId,
      stateDir: folders.state,
      cacheDir: folders.cache,
      environment: process.env,
    });
    removed.push(...(await engine.sweep('dead-runs')).map((object) => `${name} ${object}`));
    await engine.dispose();
  }
  if (cache) {
    removed.push(...(await removeCachedImages(process.env)).map((name) => `docker image ${name}`));
    await rm(folders.cache, { recursive: true, force: true });
    removed.push(`cache ${folders.cache}`);
  }
  const text =
    removed.length === 0
      ? 'nothing to clean\n'
      : `${removed.map((line) => `removed ${toLogText(line)}\n`).join('')}`;
  await writeResult(
    session.json ? toJsonLine({ formatVersion: 1, result: 'passed', exitCode: EXIT.passed, removed }) : text,
  );
  return EXIT.passed;
}
