import { type ClosedList, checkClosedList } from './closed-list.ts';
import { type Finding, toFinding } from './finding.ts';
import { digestFile, isFolder } from './read.ts';
import { checkReceipts } from './receipts.ts';
import { checkStatement } from './statement.ts';

/** What the caller knows from outside the bundle. Null means: not given, and then listed as unchecked. */
export interface Expectations {
  readonly candidateSha512: string | null;
  readonly nonce: string | null;
}

/** The verifier's answer about the evidence. It repeats the run's exit code and never replaces it. */
export interface Verdict {
  readonly formatVersion: 1;
  readonly verdict: 'accepted' | 'rejected';
  readonly runId: string | null;
  readonly findings: readonly Finding[];
  /** The run's own exit code as re-derived from its receipts; null when the bundle is rejected. */
  readonly runExitCode: number | null;
  readonly counts: Readonly<Record<string, number>>;
  /** What nobody could check from these bytes alone. */
  readonly unchecked: readonly string[];
}

const UNSIGNED = 'who made it: the bundle is unsigned';
const NOT_REPLAYED = 'that the recorded bytes are what the candidate prints: needs a replay';

/**
 * Reads a bundle back and collects every finding. Only reads: no process, network, clock or writing, and no
 * code of the side that produced the evidence.
 */
export function verifyBundle(root: string, expectations: Expectations): Verdict {
  const folder = isFolder(root);
  if (folder !== true) {
    const code = folder === null ? 'BUNDLE_MISSING' : 'BUNDLE_NOT_A_FOLDER';
    return rejected([
      toFinding(code, root, 'an evidence folder', folder === null ? 'nothing' : 'something else'),
    ]);
  }
  const list = checkClosedList(root);
  if (!isClosedList(list)) return rejected(list);
  const receipts = checkReceipts(root, list);
  const findings = [
    ...list.findings,
    ...receipts.findings,
    ...checkStatement(root, list, receipts.exitCode),
    ...checkExpectations(root, list, expectations),
  ];
  if (findings.length > 0) return { ...rejected(findings), runId: list.runId };
  return {
    formatVersion: 1,
    verdict: 'accepted',
    runId: list.runId,
    findings: [],
    runExitCode: receipts.exitCode,
    counts: receipts.counts,
    unchecked: toUnchecked(expectations),
  };
}

function isClosedList(value: ClosedList | readonly Finding[]): value is ClosedList {
  return !Array.isArray(value);
}

function rejected(findings: readonly Finding[]): Verdict {
  return {
    formatVersion: 1,
    verdict: 'rejected',
    runId: null,
    findings,
    runExitCode: null,
    counts: {},
    unchecked: [],
  };
}

function checkExpectations(root: string, list: ClosedList, given: Expectations): readonly Finding[] {
  const findings: Finding[] = [];
  if (given.nonce !== null && list.nonce !== given.nonce) {
    findings.push(toFinding('RECEIPT_IDENTITY', 'bundle.json.nonce', given.nonce, String(list.nonce)));
  }
  if (given.candidateSha512 !== null) {
    const actual = digestFile(root, 'inputs/candidate.tgz', true)?.sha512 ?? 'none';
    if (actual !== given.candidateSha512) {
      findings.push(toFinding('CANDIDATE_DIGEST', 'inputs/candidate.tgz', given.candidateSha512, actual));
    }
  }
  return findings;
}

function toUnchecked(given: Expectations): readonly string[] {
  return [
    UNSIGNED,
    NOT_REPLAYED,
    ...(given.candidateSha512 === null ? ['that this is the archive you mean: give --candidate'] : []),
    ...(given.nonce === null ? ['that this is the run you asked for: give --nonce'] : []),
  ];
}
