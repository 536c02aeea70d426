import { relative } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import type { SigningKey } from '../evidence/signing/key.ts';
import { runJob } from '../job/run-job.ts';
import type { PreparedContext } from '../prepare/read-context.ts';
import type { Durations } from '../run/durations.ts';
import { adviceIn } from './check-advice.ts';
import { EXIT, strongestExit } from './exit-code.ts';
import type { RunValues } from './flags.ts';
import type { Interruption } from './interruption.ts';
import { toJsonLine, writeResult } from './output.ts';
import { type ResultDocument, toResultDocument } from './result-document.ts';
import { toResultText } from './result-text.ts';
import { toRunReporter } from './run-reporter.ts';
import { selfCheck } from './self-check.ts';
import type { Session } from './session.ts';
import { readBackAndSign } from './signing.ts';
import { collectGarbage } from './small-heap.ts';
import type { Update } from './update/update.ts';

export interface ContextRun {
  readonly context: PreparedContext;
  readonly target: string;
  readonly runId: string;
  readonly values: RunValues;
  /** Balances the shards; null when not asked for. */
  readonly durations: Durations | null;
  readonly embedArchives: boolean;
  /** Signs the evidence once it was accepted; null leaves it unsigned. */
  readonly signer: SigningKey | null;
  /** Whether the evidence is tampered with once it was accepted, to see what the verifier takes. */
  readonly selfCheck: boolean;
  /** Asks after the run which expectations shall follow what was seen; null when not asked for. */
  readonly update: Update | null;
  readonly cacheDir: string;
  readonly stateDir: string;
  readonly engine: () => Promise<Engine>;
  readonly interruption: Interruption;
  readonly session: Session;
  /** `performance.now()` at the start of the command. */
  readonly startedAt: number;
  /** What this command took to make the context; null when it was there. */
  readonly prepareMs: number | null;
}

/** Runs a context, writes its evidence, reads it back with the verifier, and says what came of it. */
export async function runAndReport(run: ContextRun): Promise<number> {
  const { context, values, session } = run;
  run.update?.requireIn(context);
  const outcome = await runJob({
    context,
    target: run.target,
    runId: run.runId,
    nonce: values.nonce,
    embedArchives: run.embedArchives,
    prepareMs: run.prepareMs,
    limits: values,
    selection: {
      only: values.only,
      shard: values.shard === null ? null : { ...values.shard, durations: run.durations },
      shuffle: values.shuffle,
    },
    cacheDir: run.cacheDir,
    stateDir: run.stateDir,
    engine: run.engine,
    reporter: toRunReporter(session.progress),
    signal: run.interruption.signal,
    interruptedBy: run.interruption.by,
  });
  session.progress.say('verify', 'reading the evidence back');
  collectGarbage();
  const { sha512 } = outcome.report.candidate;
  const verdict = await readBackAndSign({
    evidence: run.target,
    args: ['--candidate', sha512, ...(values.nonce === null ? [] : ['--nonce', values.nonce])],
    signer: run.signer,
    progress: session.progress,
  });
  const options = { progress: session.progress, signal: run.interruption.signal };
  const checked = verdict.accepted && run.selfCheck ? await selfCheck(run.target, options) : null;
  const held = verdict.accepted && (checked === null || checked.accepted.length === 0);
  const exitCode = strongestExit([outcome.report.exitCode, held ? verdict.exitCode : EXIT.evidenceRejected]);
  const result = toResultDocument({
    outcome,
    evidence: relative(process.cwd(), run.target) || run.target,
    exitCode,
    verdict: verdict.accepted ? 'accepted' : 'rejected',
    signedBy: verdict.signedBy,
    prepareMs: run.prepareMs,
    selfCheck: checked,
    durationMs: Math.round(performance.now() - run.startedAt),
    adviceOf: adviceIn(context),
  });
  await writeOutcome(result, session);
  const { signal } = run.interruption;
  if (run.update === null || !held || signal.aborted) return exitCode;
  const written = await run.update.apply(run.target, context, signal);
  return strongestExit([exitCode, written ? EXIT.passed : EXIT.usage]);
}

async function writeOutcome(result: ResultDocument, session: Session): Promise<void> {
  await writeResult(session.json ? toJsonLine(result) : toResultText(result, session.color));
}
