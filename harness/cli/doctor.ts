import { diagnoseBases, diagnoseEngines, type EngineDiagnosis } from '../job/diagnosis.ts';
import { hostPlatform } from '../job/engines.ts';
import { EXIT } from './exit-code.ts';
import { openOwnFolders } from './folders.ts';
import { type Paint, paint, toJsonLine, toLogText, writeResult } from './output.ts';
import type { Session } from './session.ts';

const HUES: Readonly<Record<EngineDiagnosis['state'], Paint>> = {
  usable: 'green',
  absent: 'yellow',
  refused: 'red',
};

/** `packproof doctor`: 0 when an engine is usable, else 3 and the command that mends it. */
export async function doctorCommand(session: Session): Promise<number> {
  const engines = await diagnoseEngines(process.env);
  const bases = diagnoseBases(engines);
  const folders = await openOwnFolders(process.env);
  const usable = engines.some(({ state }) => state === 'usable');
  const exitCode = usable ? EXIT.passed : EXIT.infrastructure;
  const machine = { node: process.version, platform: hostPlatform(), uid: process.getuid?.() ?? null };
  if (session.json) {
    await writeResult(
      toJsonLine({
        formatVersion: 1,
        result: usable ? 'passed' : 'error',
        exitCode,
        machine,
        engines,
        bases,
        folders,
      }),
    );
    return exitCode;
  }
  const lines = engines.flatMap(({ name, state, detail, mend }) => [
    `${paint(state.padEnd(8), HUES[state], session.color)} ${name}: ${toLogText(detail, 400)}`,
    ...(mend === null ? [] : [`         mend: ${mend}`]),
  ]);
  lines.push(
    ...bases.map(
      ({ kind, state, detail }) =>
        `${paint(state.padEnd(8), HUES[state], session.color)} base ${kind}: ${detail}`,
    ),
  );
  lines.push(`         node ${machine.node} on ${machine.platform}, uid ${machine.uid}`);
  lines.push(`         cache ${folders.cache}, state ${folders.state}`);
  await writeResult(`${lines.join('\n')}\n`);
  return exitCode;
}
