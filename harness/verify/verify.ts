import { checkBoundary } from './boundary/boundary.ts';
import { type OutsideViews, readOutsideViews } from './boundary/outside-files.ts';
import { Bundle } from './bundle.ts';
import { readDeclared } from './cases/declared.ts';
import type { StoredReceipt } from './cases/outcome.ts';
import { checkReceipts } from './cases/receipts.ts';
import { checkClosedList } from './closed-list.ts';
import { checkSignature, isSigned } from './dsse.ts';
import { DiskSource } from './files/disk-source.ts';
import type { FileSource } from './files/source.ts';
import { type Finding, Findings } from './finding.ts';
import { basesOf } from './inputs/base.ts';
import { checkImages, type RecordedImage } from './inputs/image.ts';
import { checkInputs, type Inputs } from './inputs/inputs.ts';
import { checkRebuilt } from './rebuild/rebuild.ts';
import { checkReplay } from './replay/replay.ts';
import { checkRequirements, type Requirement } from './requirements.ts';
import { checkRun, type RunOutcome } from './run-record.ts';
import { checkSecrets } from './secrets.ts';
import { type Report, reportShape } from './shape/report.ts';
import { checkStatements } from './statements/statements.ts';
import { listUnchecked } from './unchecked.ts';

/** What the caller knows from outside the bundle. Null means: not given, and then listed as unchecked. */
export interface Expectations {
  readonly candidateSha512: string | null;
  readonly nonce: string | null;
  /** sha256 of compiled suites that must be among those of the run. */
  readonly suites: readonly string[];
  /** ed25519 public key, SPKI PEM. */
  readonly keyPem: string | null;
  readonly requirements: readonly Requirement[];
  /** RFC 3339; the run must have ended later. */
  readonly finishedAfter: string | null;
  /** A folder with archives under any names, to build the images from; absent: what the bundle embeds. */
  readonly archives?: FileSource;
  /** Bytes of a replay document. A `replayed-by` requirement has the key, SPKI PEM, as its value. */
  readonly replay?: Buffer;
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
  /** Whether a key from outside confirmed the signature. */
  readonly signed: boolean;
  /** What nobody could check from these bytes alone. */
  readonly unchecked: readonly string[];
}

/**
 * Reads a bundle back and collects every finding. Only reads: no process, network, clock or writing, and no
 * code of the side that produced the evidence.
 */
export async function verifyBundle(root: string, expectations: Expectations): Promise<Verdict> {
  return verifySource(new DiskSource(root), root, expectations);
}

/** The same for a folder that is not, or not as it stands, on disk; `root` names it in findings. */
export async function verifySource(
  source: FileSource,
  root: string,
  expectations: Expectations,
): Promise<Verdict> {
  const findings = new Findings();
  const folder = source.isFolder();
  if (folder !== true) {
    const code = folder === null ? 'BUNDLE_MISSING' : 'BUNDLE_NOT_A_FOLDER';
    findings.add(code, root, 'an evidence folder', folder === null ? 'nothing' : 'something else');
    return rejected(findings, null);
  }
  const list = checkClosedList(source, findings);
  if (list === null) return rejected(findings, null);
  const bundle = new Bundle(source, list, findings);
  findings.addAll(checkSignature(source, expectations.keyPem));
  const read = await readRun(bundle);
  if (read === null) return rejected(findings, list.runId);
  checkExpectations(read, expectations);
  const keys = expectations.requirements.flatMap((one) => (one.kind === 'replayed-by' ? [one.value] : []));
  const replayed = checkReplay({ bytes: expectations.replay ?? null, keys }, { ...read, list }, findings);
  // What is rejected already is not worth the minutes that unpacking can take.
  const outside = expectations.archives ?? null;
  const rebuilt = findings.count > 0 ? null : await checkRebuilt(bundle, { ...read, outside });
  if (findings.count > 0) return rejected(findings, list.runId);
  const { keyPem } = expectations;
  return {
    formatVersion: 1,
    verdict: 'accepted',
    runId: list.runId,
    findings: [],
    runExitCode: read.outcome.exitCode,
    counts: read.outcome.counts,
    signed: keyPem !== null,
    unchecked: listUnchecked(
      {
        candidate: expectations.candidateSha512 !== null,
        nonce: expectations.nonce !== null,
        suite: expectations.suites.length > 0,
        key: keyPem !== null,
        signed: isSigned(source),
        replayed,
      },
      { ...read, rebuilt },
    ),
  };
}

function rejected(findings: Findings, runId: string | null): Verdict {
  return {
    formatVersion: 1,
    verdict: 'rejected',
    runId,
    findings: findings.list(),
    runExitCode: null,
    counts: {},
    signed: false,
    unchecked: [],
  };
}

/** A run whose documents could be read; whether they are in order is in the findings. */
interface ReadRun {
  readonly bundle: Bundle;
  readonly report: Report;
  readonly inputs: Inputs;
  readonly images: readonly RecordedImage[];
  readonly receipts: readonly StoredReceipt[];
  readonly views: OutsideViews;
  readonly outcome: RunOutcome;
  /** Kinds of boxes whose boundary was measured. */
  readonly measuredKinds: number;
}

async function readRun(bundle: Bundle): Promise<ReadRun | null> {
  const { findings, list, source } = bundle;
  const report = bundle.document('report.json', reportShape);
  if (report === null) return null;
  const inputs = await checkInputs(bundle, report);
  const run = await readDeclared(bundle, report);
  const receipts = checkReceipts(bundle, run, report);
  const views = readOutsideViews(bundle, run, receipts);
  const kinds = checkBoundary(bundle, report, { run, receipts, views });
  checkSecrets(bundle);
  if (inputs === null) return null;
  const images = checkImages(
    bundle,
    report,
    inputs,
    receipts.some(({ receipt }) => receipt.attempts.length > 0),
  );
  const { executions } = run;
  const outcome = checkRun({ report, audit: inputs.audit, list, receipts, executions }, findings);
  const { exitCode } = outcome;
  checkStatements(source, { findings, list, report, receipts, inputs, images, kinds, exitCode });
  const isWhole = run.whole && receipts.length === executions.length && receipts.every(({ whole }) => whole);
  // What an unreadable receipt would explain is not unknown.
  for (const path of isWhole ? bundle.unknown() : []) {
    findings.add('FILE_UNKNOWN', path, 'a file that some document explains', 'none does');
  }
  return { bundle, report, inputs, images, receipts, views, outcome, measuredKinds: kinds.length };
}

function checkExpectations(run: ReadRun, given: Expectations): void {
  const { bundle, report, inputs, outcome, measuredKinds } = run;
  const { findings, list } = bundle;
  if (given.nonce !== null) findings.same('NONCE_MISMATCH', 'bundle.json.nonce', given.nonce, list.nonce);
  if (given.candidateSha512 !== null) {
    findings.same('CANDIDATE_DIGEST', 'inputs/candidate.tgz', given.candidateSha512, inputs.candidateSha512);
  }
  const suites = [...list.files.values()].filter(({ path }) =>
    /^inputs\/suites\/[^/]+\/suite\.json$/.test(path),
  );
  for (const sha256 of given.suites) {
    if (!suites.some((file) => file.sha256 === sha256)) {
      findings.add(
        'SUITE_NOT_EXPECTED',
        'inputs/suites',
        sha256,
        suites.map((file) => file.sha256).join(' '),
      );
    }
  }
  if (given.finishedAfter !== null && !(Date.parse(report.finishedAt) > Date.parse(given.finishedAfter))) {
    findings.add(
      'FINISHED_TOO_EARLY',
      'report.json.finishedAt',
      `after ${given.finishedAfter}`,
      report.finishedAt,
    );
  }
  const signed = given.keyPem !== null && findings.count === 0;
  const facts = { report, counts: outcome.counts, measuredKinds, signed, bases: basesOf(inputs.manifest) };
  checkRequirements(given.requirements, facts, findings);
}
