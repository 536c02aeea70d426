import type { Platform } from '../boundary/boundary.ts';
import type { EngineFacts } from '../engine/engine.ts';
import type { ContextBlock } from '../prepare/context-document.ts';
import type { RunTimings, WatchdogRecord } from '../run/result.ts';
import type { CaseClaims, Claims } from '../suite/claims.ts';
import type { CaseOutcome } from '../suite/compiled.ts';
import type { Termination } from '../suite/observation.ts';

export type OutcomeCounts = Readonly<Record<CaseOutcome, number>>;

/** What was asked to run, as the report has it: the durations are in `inputs/durations.json`. */
export interface RecordedSelection {
  readonly only: readonly string[];
  readonly shard: {
    readonly index: number;
    readonly count: number;
    readonly durationsSha256: string | null;
  } | null;
  readonly shuffle: string | null;
}

/** `report.json`: the run as a whole. Times RFC 3339 `Z`, durations in milliseconds. */
export interface RunReport {
  readonly formatVersion: 1;
  readonly runId: string;
  readonly nonce: string | null;
  readonly result: 'passed' | 'failed' | 'error';
  readonly exitCode: number;
  readonly candidate: CandidateIdentity;
  readonly platform: Platform;
  /** Null when nothing could run. */
  readonly engine: EngineFacts | null;
  readonly nodeVersions: readonly string[];
  readonly npmVersion: string | null;
  readonly scripts: 'off' | 'on';
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly durationMs: number;
  readonly budget: { readonly limitMs: number; readonly usedMs: number; readonly exhausted: boolean };
  /** What was asked for beside the budget; records of steps and attempts are held against it. */
  readonly limits: { readonly caseTimeoutMs: number; readonly jobs: number; readonly repeat: number };
  readonly selection: RecordedSelection;
  /** What the process that owns the deadline did; null when nothing ran. */
  readonly watchdog: WatchdogRecord | null;
  /**
   * `prepareMs`: what the same command took to make its context, which neither the budget nor `totalMs` counts;
   * null when the context was there.
   */
  readonly timings: (RunTimings & { readonly prepareMs: number | null }) | null;
  readonly interruptedBy: string | null;
  readonly counts: OutcomeCounts;
  readonly declared: number;
  readonly executed: number;
  /** Why nothing could run, from the context; null for an ordinary run. */
  readonly blocked: ContextBlock | null;
  /** Cases that their suite excludes, each once; empty when nothing could run. */
  readonly exclusions: readonly { readonly caseId: string; readonly reason: string }[];
  /** Cases that their suite expects to be unsupported, each once, whether or not they ran. */
  readonly expectedUnsupported: readonly { readonly caseId: string; readonly reason: string }[];
  /** Executions of these that were not unsupported; any of them fails the run. */
  readonly staleExpectations: readonly {
    readonly caseId: string;
    readonly node: string;
    readonly outcome: CaseOutcome;
  }[];
  readonly references: ReportedReferences;
  readonly waivers: readonly {
    readonly code: string;
    readonly path: string | null;
    readonly reason: string;
    readonly expires: string;
  }[];
  readonly harness: {
    readonly version: string;
    readonly distSha256: string;
    readonly verifierSha256: string;
  };
  readonly suites: readonly (Claims & {
    readonly id: string;
    /** Of the cases that say something of their own. */
    readonly caseClaims: readonly CaseClaims[];
    /** How many statements of its cases say what may differ in a replay. */
    readonly volatile: number;
  })[];
}

/** References that were started: how many were seen at work, and each that never was, with how it ended. */
export interface ReportedReferences {
  readonly observed: number;
  readonly excluded: readonly {
    readonly caseId: string;
    readonly node: string;
    readonly attempt: number;
    readonly step: string;
    readonly archive: string;
    readonly termination: Termination;
  }[];
}

export interface CandidateIdentity {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  readonly sha512: string;
}

const EMPTY: OutcomeCounts = {
  pass: 0,
  fail: 0,
  error: 0,
  unrun: 0,
  excluded: 0,
  unsupported: 0,
  flaky: 0,
};

export function countOutcomes(outcomes: readonly CaseOutcome[]): OutcomeCounts {
  const counts = { ...EMPTY };
  for (const outcome of outcomes) counts[outcome] += 1;
  return counts;
}
