import { type ReferenceRun, toReportedReferences } from '../evidence/references.ts';
import { countOutcomes, type RunReport } from '../evidence/report.ts';
import type { Selection } from '../run/request.ts';
import type { CaseRun, RunResult } from '../run/result.ts';
import { claimsOfCases, countVolatile } from '../suite/claims.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import type { AuditSummary } from './audit-summary.ts';
import type { ReportedExceptions } from './exceptions.ts';
import { readHarnessIdentity } from './harness-identity.ts';
import type { RunJob } from './job.ts';
import { resultOf } from './outcome.ts';

export interface ReportInput {
  readonly job: RunJob;
  readonly cases: readonly CaseRun[];
  /** Null when nothing ran. */
  readonly result: RunResult | null;
  readonly audit: AuditSummary;
  readonly exceptions: ReportedExceptions;
  readonly suites: readonly CompiledSuite[];
  readonly exitCode: number;
}

/** `report.json` of a run, also of one in which nothing could run. */
export function toReport(input: ReportInput): RunReport {
  const { job, cases, result, audit, exceptions, exitCode } = input;
  const { document } = job.context;
  const now = new Date().toISOString();
  return {
    formatVersion: 1,
    runId: job.runId,
    nonce: job.nonce,
    result: resultOf(exitCode),
    exitCode,
    candidate: candidateOf(input),
    platform: document.platform,
    engine: result?.engine ?? null,
    nodeVersions: document.nodes,
    npmVersion: document.npm?.version ?? null,
    scripts: document.withScripts ? 'on' : 'off',
    startedAt: result?.startedAt ?? now,
    finishedAt: result?.finishedAt ?? now,
    durationMs: result?.timings.totalMs ?? 0,
    budget: result?.budget ?? { limitMs: job.limits.budgetMs, usedMs: 0, exhausted: false },
    limits: {
      caseTimeoutMs: job.limits.caseTimeoutMs,
      jobs: job.limits.jobs,
      repeat: job.limits.repeat,
    },
    selection: toRecordedSelection(job.selection),
    watchdog: result?.watchdog ?? null,
    timings: result === null ? null : { ...result.timings, prepareMs: job.prepareMs },
    interruptedBy: job.interruptedBy(),
    counts: countOutcomes(cases.map((run) => run.outcome)),
    declared: cases.length,
    executed: cases.filter((run) => run.attempts.some((attempt) => attempt.observation !== null)).length,
    blocked: document.blocked,
    ...exceptions,
    references: toReportedReferences(input.suites, cases.map(toReferenceRun)),
    waivers: audit.findings.flatMap(({ code, path, waived }) =>
      waived === null ? [] : [{ code, path, ...waived }],
    ),
    harness: readHarnessIdentity(),
    suites: job.context.suites.map(({ bytes }) => toReportedSuite(bytes)),
  };
}

function toReferenceRun({ caseId, node, attempts }: CaseRun): ReferenceRun {
  const seen = attempts.map(({ attempt, observation }) => ({ attempt, steps: observation?.steps ?? [] }));
  return { caseId, node, attempts: seen };
}

function toRecordedSelection({ only, shard, shuffle }: Selection): RunReport['selection'] {
  if (shard === null) return { only, shard, shuffle };
  const { index, count, durations } = shard;
  return { only, shard: { index, count, durationsSha256: durations?.sha256 ?? null }, shuffle };
}

function candidateOf({ job }: ReportInput): RunReport['candidate'] {
  const { candidate } = job.context.document;
  return {
    name: candidate.name ?? 'unknown',
    version: candidate.version ?? 'unknown',
    sha256: candidate.sha256,
    sha512: Buffer.from(candidate.integrity.replace(/^sha512-/, ''), 'base64').toString('hex'),
  };
}

function toReportedSuite(bytes: Uint8Array): RunReport['suites'][number] {
  const suite = parseCompiledSuiteBytes(Buffer.from(bytes));
  const { id, proves, doesNotProve, cases } = suite;
  return { id, proves, doesNotProve, caseClaims: claimsOfCases(cases), volatile: countVolatile(suite) };
}
