import { dirname, join, resolve } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { hostPlatform } from '../job/engines.ts';
import { readWaivers, toPreparePorts } from '../job/prepare-ports.ts';
import { Scratch } from '../job/scratch.ts';
import { DEFAULT_SUITE_FILE, findDefaultSuite, readSuite, type SuiteSource } from '../job/suite-sources.ts';
import { parseBase } from '../prepare/base-selection.ts';
import { type PrepareResult, prepareContext } from '../prepare/prepare.ts';
import { type CheckFlags, parseNodeList } from './flags.ts';
import type { Interruption } from './interruption.ts';
import { findLockFile } from './lock-flag.ts';
import { toPrepareReporter } from './run-reporter.ts';
import type { Session } from './session.ts';

export interface PrepareJob {
  readonly candidate: string;
  readonly flags: CheckFlags;
  readonly session: Session;
  /** Absolute path of the context folder. */
  readonly out: string;
  readonly cacheDir: string;
  readonly stateDir: string;
  readonly runId: string;
  readonly engine: () => Promise<Engine>;
  readonly interruption: Interruption;
}

/**
 * Prepares a context as the flags say. What the flags name is read before anything else is done, so that a
 * misspelt file costs no download.
 *
 * @throws the reason of the interruption's signal, at the next stage or archive after it
 */
export async function prepareByFlags(job: PrepareJob): Promise<PrepareResult> {
  const { flags, session, interruption } = job;
  const cwd = process.cwd();
  const suites = await readSuites(job, cwd);
  const waivers = await readWaivers(flags.waive === undefined ? null : resolve(cwd, flags.waive));
  const lockFile = await findLockFile(flags, suites, cwd);
  if (lockFile !== null && flags.lock === undefined) session.progress.say('prepare', `lock ${lockFile}`);
  const report = toPrepareReporter(session.progress);
  const scratch = await Scratch.open(job.stateDir, job.runId);
  try {
    const prepared = await prepareContext(
      {
        candidate: job.candidate,
        siblings: flags.with ?? [],
        platform: flags.platform ?? hostPlatform(),
        node: parseNodeList(flags),
        base: flags.base === undefined ? null : parseBase(flags.base),
        out: job.out,
        cwd,
        withScripts: flags.withScripts === true,
        lockFile,
        frozen: flags.frozen === true,
        refresh: flags.refresh === true,
        archives: flags.archives === undefined ? null : resolve(cwd, flags.archives),
        debianMirror: flags.debianMirror ?? null,
        cacheFolder: job.cacheDir,
      },
      toPreparePorts({
        cacheDir: job.cacheDir,
        runId: job.runId,
        engine: job.engine,
        generate: flags.suite === undefined,
        suites,
        waivers,
        report: (event) => {
          interruption.signal.throwIfAborted();
          report(event);
        },
        announce: (folder) => scratch.announce(folder),
      }),
    );
    sayLock(prepared, lockFile, session);
    return prepared;
  } finally {
    await scratch.close();
  }
}

/** A lock is a file of the user's: that it was written anew is said, with the first thing that no longer held. */
function sayLock(prepared: PrepareResult, lockFile: string | null, { progress }: Session): void {
  const [first] = prepared.lockDifferences;
  if (!prepared.lockWritten || lockFile === null) return;
  const why =
    first === undefined
      ? 'made'
      : `written anew, ${prepared.lockDifferences.length} pins no longer held, first ${first.code} ${first.where}: ${first.expected}, now ${first.actual}`;
  progress.say('prepare', `lock ${lockFile} ${why}`);
}

/** The suites that the flags name; without any, the one of the current folder is added to the generated one. */
async function readSuites({ flags, session }: PrepareJob, cwd: string): Promise<readonly SuiteSource[]> {
  if (flags.suite !== undefined) return Promise.all(flags.suite.map((path) => readSuite(resolve(cwd, path))));
  const found = await findDefaultSuite(cwd);
  if (found === null) return [];
  session.progress.say('prepare', `suite ${DEFAULT_SUITE_FILE} of this folder runs beside the generated one`);
  return [found];
}

/** Where a check puts its context: beside the evidence, with the run's id. */
export function contextBeside(evidence: string): string {
  return join(dirname(evidence), `${evidence.slice(dirname(evidence).length + 1)}.context`);
}
