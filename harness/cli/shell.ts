import { randomBytes } from 'node:crypto';
import { openShell, type ShellEnd } from '../replay/shell.ts';
import { EngineSlot } from './engine-slot.ts';
import { UsageError } from './errors.ts';
import { findEvidence } from './evidence-argument.ts';
import { EXIT } from './exit-code.ts';
import type { EngineChoice } from './flags.ts';
import { newRunId, openOwnFolders, toAbsolute } from './folders.ts';
import { listenForInterruption, untilInterrupted } from './interruption.ts';
import type { Session } from './session.ts';
import { readBack } from './signing.ts';
import { toOwnStreams } from './terminal.ts';
import { parseCount, parseDuration } from './values.ts';

export interface ShellFlags {
  readonly engine: EngineChoice;
  readonly attempt?: string;
  readonly node?: string;
  readonly archives?: string;
  readonly allowExec?: boolean;
  readonly withScripts?: boolean;
  readonly budget: string;
}

export interface ShellArguments {
  readonly evidence: string;
  readonly caseId: string;
  /** Empty: a shell, for which somebody has to sit at a terminal. */
  readonly argv: readonly string[];
}

/** As `--repeat`. */
const MAX_ATTEMPT = 100;

/** `packproof shell`: the box of a recorded case, its streams joined to ours. Nothing of it is kept. */
export async function shellCommand(
  { evidence, caseId, argv }: ShellArguments,
  flags: ShellFlags,
  session: Session,
): Promise<number> {
  const { progress } = session;
  const attempt = flags.attempt === undefined ? null : parseCount('--attempt', flags.attempt, MAX_ATTEMPT);
  const limitMs = parseDuration('--budget', flags.budget);
  if (argv.length === 0) requireTerminal();
  const folder = await findEvidence(evidence);
  const { cache, state } = await openOwnFolders(process.env);
  const runId = newRunId(new Date(), randomBytes(3).toString('hex'));
  const engine = new EngineSlot(
    { choice: flags.engine, runId, stateDir: state, cacheDir: cache, environment: process.env },
    progress,
  );
  const interruption = listenForInterruption((signal) =>
    progress.say('shell', `${signal}: removing the box`),
  );
  try {
    const shell = openShell({
      evidence: folder,
      name: { caseId, attempt, node: flags.node ?? null },
      argv,
      archives: flags.archives === undefined ? null : toAbsolute(flags.archives),
      permissions: { exec: flags.allowExec === true, scripts: flags.withScripts === true },
      limitMs,
      runId,
      cacheDir: cache,
      stateDir: state,
      engine: engine.open,
      readBack: async (folder) => (await readBack(folder, [], progress)).accepted,
      console: { input: process.stdin, write: toOwnStreams(process) },
      say: (text) => progress.say('shell', text),
      signal: interruption.signal,
    });
    const end = await untilInterrupted(shell, interruption, engine.release);
    progress.say('shell', describe(end));
    return exitOf(end);
  } finally {
    await engine.release();
    interruption.stop();
    process.stdin.destroy();
  }
}

function requireTerminal(): void {
  if (process.stdin.isTTY === true) return;
  throw new UsageError('NO_TERMINAL', 'shell', {
    where: 'standard input',
    expected: 'a terminal, or what to run after --',
    actual: 'none',
  });
}

/** Our exit codes are a closed list: which code a process had is said, not repeated. */
function exitOf(end: ShellEnd): number {
  if (end.kind === 'limit') return EXIT.budget;
  return end.kind === 'exited' && end.code === 0 ? EXIT.passed : EXIT.candidateFailed;
}

function describe(end: ShellEnd): string {
  switch (end.kind) {
    case 'exited':
      return `ended with exit code ${end.code}`;
    case 'signaled':
      return `ended by ${end.signal}`;
    case 'limit':
      return 'ended by the end of its time';
  }
}
