import { toExecutionId, toPathSegment } from '../evidence/paths.ts';
import type { OutcomeCounts, RunReport } from '../evidence/report.ts';
import type { JobOutcome } from '../job/job.ts';
import type { CaseRun } from '../run/result.ts';
import { adviceOfFinding } from './audit-advice.ts';

/** The one document of `--json` for `check` and `run`; its schema is part of the contract. */
export interface ResultDocument {
  readonly formatVersion: 1;
  readonly result: 'passed' | 'failed' | 'error';
  readonly exitCode: number;
  readonly candidate: {
    readonly name: string;
    readonly version: string;
    readonly sha256: string;
    readonly sha512: string;
  };
  readonly engine: { readonly name: string; readonly version: string } | null;
  readonly counts: OutcomeCounts;
  readonly failures: readonly Failure[];
  readonly audit: readonly {
    readonly code: string;
    readonly severity: 'gate' | 'warn' | 'info';
    readonly unsafe: boolean;
    readonly path: string;
    readonly expected: string;
    readonly actual: string;
    readonly advice: string;
    readonly waived: boolean;
  }[];
  /** Path of the bundle as it was asked for. */
  readonly evidence: string;
  readonly verdict: 'accepted' | 'rejected';
  /** Id of the key that signed the evidence; null: it is unsigned. */
  readonly signedBy: string | null;
  /** What of `durationMs` the budget counts, and its limit. */
  readonly budget: RunReport['budget'];
  /** What of `durationMs` it does not count: making the context. Null when that was there. */
  readonly prepareMs: number | null;
  /** What tampering with this very evidence came to; null when it was not tried. */
  readonly selfCheck: SelfCheck | null;
  readonly durationMs: number;
}

/** The short form of `packproof tamper` on evidence that was just made. */
export interface SelfCheck {
  /** Kinds of changes that were tried, and changes of them. */
  readonly kinds: number;
  readonly mutations: number;
  /** Changes that the verifier accepted and must not have. */
  readonly accepted: readonly { readonly kind: string; readonly place: string }[];
}

export interface Failure {
  readonly case: string;
  readonly check: string;
  readonly severity: 'gate' | 'warn' | 'info';
  readonly message: string;
  readonly advice: string;
  readonly evidencePath: string;
}

export interface ResultInput {
  readonly outcome: JobOutcome;
  readonly evidence: string;
  /** After the read-back; stronger codes than the run's own win. */
  readonly exitCode: number;
  readonly verdict: 'accepted' | 'rejected';
  readonly signedBy: string | null;
  readonly prepareMs: number | null;
  readonly selfCheck: SelfCheck | null;
  readonly durationMs: number;
  /** Advice of a check, by suite, case and check id. */
  readonly adviceOf: (run: CaseRun, check: string) => string;
}

export function toResultDocument(input: ResultInput): ResultDocument {
  const { report, audit } = input.outcome;
  const { exitCode } = input;
  return {
    formatVersion: 1,
    result: exitCode === 0 ? 'passed' : exitCode === 1 ? 'failed' : 'error',
    exitCode,
    candidate: report.candidate,
    engine: report.engine === null ? null : { name: report.engine.name, version: report.engine.version },
    counts: report.counts,
    failures: [
      ...toBlockedFailure(report),
      ...toStaleFailures(report),
      ...input.outcome.cases.flatMap((run) => toFailures(run, input)),
    ],
    audit: audit.findings.map(({ waived, ...finding }) => ({
      ...finding,
      advice: adviceOfFinding(finding.code),
      waived: waived !== null,
    })),
    evidence: input.evidence,
    verdict: input.verdict,
    signedBy: input.signedBy,
    budget: { ...report.budget, usedMs: Math.round(report.budget.usedMs) },
    prepareMs: input.prepareMs,
    selfCheck: input.selfCheck,
    durationMs: input.durationMs,
  };
}

/** One line for a candidate that could not be installed, instead of one for every case that did not run. */
function toBlockedFailure({ blocked, counts }: RunReport): readonly Failure[] {
  if (blocked === null) return [];
  const { stage, code, where, expected, actual } = blocked;
  const message = `${stage} stopped the run, ${counts.unrun} cases unrun: ${where}: expected ${expected}, got ${actual}`;
  return [{ case: '', check: code, severity: 'gate', message, advice: '', evidencePath: 'report.json' }];
}

/** An expectation that grew old fails the run even when its case passed. */
function toStaleFailures({ staleExpectations, expectedUnsupported }: RunReport): readonly Failure[] {
  const reasons = new Map(expectedUnsupported.map(({ caseId, reason }) => [caseId, reason]));
  return staleExpectations.map(({ caseId, node, outcome }) => {
    const execution = toExecutionId(caseId, node);
    return {
      case: execution,
      check: 'EXPECTED_UNSUPPORTED_STALE',
      severity: 'gate',
      message: `expected to be unsupported (${reasons.get(caseId) ?? ''}), is ${outcome}`,
      advice: 'take the case out of expectedUnsupported, or find out why it is supported now',
      evidencePath: `cases/${toPathSegment(execution)}/receipt.json`,
    };
  });
}

/** Failed checks of any severity, and cases that could not be judged at all. */
function toFailures(run: CaseRun, input: ResultInput): readonly Failure[] {
  const execution = toExecutionId(run.caseId, run.node);
  const evidencePath = `cases/${toPathSegment(execution)}/receipt.json`;
  const failed = run.checks
    .filter(({ result }) => result === 'fail' || result === 'error')
    .map(({ id, severity, message }) => ({
      case: execution,
      check: id,
      severity,
      message,
      advice: input.adviceOf(run, id),
      evidencePath,
    }));
  if (failed.length > 0 || !['error', 'unrun', 'flaky'].includes(run.outcome)) return failed;
  if (run.reason === 'selection' || run.reason === 'audit') return [];
  const message = `${run.outcome}: ${run.reason ?? ''} ${run.detail}`.trim();
  return [{ case: execution, check: '', severity: 'gate', message, advice: '', evidencePath }];
}
