import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditReport } from '../../audit/report.ts';
import type { Receipt, StepRecord } from '../../evidence/receipt.ts';
import type { RunReport } from '../../evidence/report.ts';
import type { ResultDocument } from '../result-document.ts';
import type { Answer, Workbench } from './workbench.ts';

/** The one JSON document that stdout holds; fails when there is anything else. */
export function parseResult(answer: Answer): ResultDocument {
  return parseStdout<ResultDocument>(answer);
}

export function parseAudit(
  answer: Answer,
): AuditReport & { readonly result: string; readonly exitCode: number } {
  return parseStdout(answer);
}

/** What the verifier says in JSON. */
export interface Verdict {
  readonly verdict: 'accepted' | 'rejected';
  readonly runId: string | null;
  readonly findings: readonly { readonly code: string; readonly path: string }[];
  readonly runExitCode: number | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly unchecked: readonly string[];
}

export function parseStdout<T>(answer: Answer): T {
  assert.match(answer.stdout, /^\{.*\}\n$/, answer.stderr);
  const value: T = JSON.parse(answer.stdout);
  return value;
}

/** Reads evidence back through the real verifier; the bundle must be accepted and its exit code repeated. */
export async function assertAccepted(bench: Workbench, evidence: string, exitCode: number): Promise<Verdict> {
  const answer = await bench.run(['verify', evidence, '--json']);
  const verdict = parseStdout<Verdict>(answer);
  assert.deepEqual(
    { verdict: verdict.verdict, findings: verdict.findings },
    { verdict: 'accepted', findings: [] },
  );
  assert.equal(verdict.runExitCode, exitCode);
  assert.equal(answer.exitCode, exitCode);
  return verdict;
}

export function readReport(evidence: string): RunReport {
  return readDocument<RunReport>(join(evidence, 'report.json'));
}

export interface StatementDocument {
  readonly predicate: {
    readonly result: string;
    readonly declaredTests: number;
    readonly selectedTests: number;
    readonly executedTests: number;
    readonly passedTests: readonly string[];
  };
}

export function readStatement(evidence: string): StatementDocument {
  return readDocument<StatementDocument>(join(evidence, 'statement.json'));
}

/** The receipt of one case on the one Node version of the run. */
export function readReceipt(evidence: string, caseId: string): Receipt {
  const [node = ''] = readReport(evidence).nodeVersions;
  return readDocument<Receipt>(join(evidence, 'cases', `${caseId}@${node}`, 'receipt.json'));
}

/** The first step of a case's only attempt. */
export function readStep(evidence: string, caseId: string): StepRecord {
  const step = readReceipt(evidence, caseId).attempts[0]?.steps[0];
  assert.ok(step !== undefined, `${caseId} has a step`);
  return step;
}

function readDocument<T>(file: string): T {
  const value: T = JSON.parse(readFileSync(file, 'utf8'));
  return value;
}
