import { checkBoundary } from './boundary/boundary.ts';
import { readOutsideViews } from './boundary/outside-files.ts';
import { Bundle } from './bundle.ts';
import { readDeclared } from './cases/declared.ts';
import { checkReceipts } from './cases/receipts.ts';
import { type ClosedList, checkClosedList } from './closed-list.ts';
import { checkSignature, isSigned } from './dsse.ts';
import { DiskSource } from './files/disk-source.ts';
import type { FileSource } from './files/source.ts';
import { Decided, type Finding, Findings, FirstFinding } from './finding.ts';
import { basesOf } from './inputs/base.ts';
import { checkImages } from './inputs/image.ts';
import { checkInputs } from './inputs/inputs.ts';
import { checkSuiteArchives } from './inputs/suite-archives.ts';
import { filesLike } from './list/listed-files.ts';
import { type MergedRun, readMerged, SHARDS_FILE } from './merged/merged.ts';
import type { ReadBundle } from './read-bundle.ts';
import { checkRebuilt } from './rebuild/rebuild.ts';
import { checkReplay, type ReplayedBundle } from './replay/replay.ts';
import { checkRequirements, type Requirement, type SignedShards } from './requirements.ts';
import { checkRun } from './run-record.ts';
import { checkSecrets } from './secrets.ts';
import { reportShape } from './shape/report.ts';
import { checkMergedStatements, checkStatements } from './statements/statements.ts';
import { listUnchecked, uncheckedCases } from './unchecked.ts';

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
export function verifySource(source: FileSource, root: string, expectations: Expectations): Promise<Verdict> {
  return judgeSource(source, root, { expectations, findings: new Findings() });
}

/** The same verdict, with the first finding alone and without the run's id when there is one. */
export async function verifyToFirst(
  source: FileSource,
  root: string,
  expectations: Expectations,
): Promise<Verdict> {
  const findings = new FirstFinding();
  try {
    return await judgeSource(source, root, { expectations, findings });
  } catch (error) {
    if (!(error instanceof Decided)) throw error;
    return rejected(findings, null);
  }
}

async function judgeSource(
  source: FileSource,
  root: string,
  { expectations, findings }: { readonly expectations: Expectations; readonly findings: Findings },
): Promise<Verdict> {
  const folder = source.isFolder();
  if (folder !== true) {
    const code = folder === null ? 'BUNDLE_MISSING' : 'BUNDLE_NOT_A_FOLDER';
    findings.add(code, root, 'an evidence folder', folder === null ? 'nothing' : 'something else');
    return rejected(findings, null);
  }
  const judged = await judgeBundle(source, findings, expectations.keyPem);
  findings.addAll(judged === null ? [] : checkSignature(source, expectations.keyPem));
  if (judged === null || judged.kind === 'unread') return rejected(findings, judged?.runId ?? null);
  checkExpectations(judged, expectations);
  const { list } = (judged.kind === 'run' ? judged.run : judged).bundle;
  const { runId } = list;
  const keys = expectations.requirements.flatMap((one) => (one.kind === 'replayed-by' ? [one.value] : []));
  const asked = { bytes: expectations.replay ?? null, keys };
  const replayed = checkReplay(asked, toReplayed(judged, list), findings);
  // What is rejected already is not worth the minutes that unpacking can take.
  const rebuilt = findings.count > 0 ? null : await rebuild(judged, expectations.archives ?? null, findings);
  if (findings.count > 0) return rejected(findings, runId);
  const { outcome } = judged.kind === 'run' ? judged.run : judged.merged;
  const given = {
    candidate: expectations.candidateSha512 !== null,
    nonce: expectations.nonce !== null,
    suite: expectations.suites.length > 0,
    key: expectations.keyPem !== null,
    signed: isSigned(source),
    shards: judged.kind === 'run' ? null : judged.signed,
    replayed,
  };
  const unchecked = [
    ...uncheckedCases(outcome.counts),
    ...runsOf(judged).flatMap((run) => listUnchecked(given, { ...run, rebuilt })),
  ];
  return {
    formatVersion: 1,
    verdict: 'accepted',
    runId,
    findings: [],
    runExitCode: outcome.exitCode,
    counts: outcome.counts,
    signed: expectations.keyPem !== null,
    unchecked: [...new Set(unchecked)],
  };
}

/** A folder of evidence that was read: a run, or shards that were merged. `unread`: not even that. */
type JudgedBundle =
  | { readonly kind: 'run'; readonly run: ReadBundle }
  | {
      readonly kind: 'merged';
      readonly bundle: Bundle;
      readonly merged: MergedRun;
      readonly signed: SignedShards;
    }
  | { readonly kind: 'unread'; readonly runId: string };

async function judgeBundle(
  source: FileSource,
  findings: Findings,
  keyPem: string | null,
): Promise<JudgedBundle | null> {
  const list = checkClosedList(source, findings);
  if (list === null) return null;
  const bundle = new Bundle(source, list, findings);
  if (!bundle.has(SHARDS_FILE)) {
    const run = await readRun(bundle);
    return run === null ? { kind: 'unread', runId: list.runId } : { kind: 'run', run };
  }
  let signed = 0;
  const merged = await readMerged(bundle, (shard, inner) => {
    if (keyPem !== null && checkSignature(shard, keyPem).length === 0) signed += 1;
    return judgeShard(shard, inner);
  });
  if (merged === null) return { kind: 'unread', runId: list.runId };
  checkMergedStatements(source, { findings, list, ...merged, exitCode: merged.outcome.exitCode });
  return { kind: 'merged', bundle, merged, signed: { count: merged.shards.length, signed } };
}

/**
 * A shard is held to all that a bundle is. Its envelopes must fit its statements; whose they are decides nothing
 * here, because each machine may have a key of its own.
 */
async function judgeShard(source: FileSource, findings: Findings): Promise<ReadBundle | null> {
  const list = checkClosedList(source, findings);
  if (list === null) return null;
  findings.addAll(checkSignature(source, null));
  const bundle = new Bundle(source, list, findings);
  if (!bundle.has(SHARDS_FILE)) return readRun(bundle);
  findings.add('SHARD_NUMBER', SHARDS_FILE, 'a shard', 'a merged bundle');
  return null;
}

/** Shards have the same images, so that the first stands for all. */
async function rebuild(
  judged: Exclude<JudgedBundle, { kind: 'unread' }>,
  outside: NonNullable<Expectations['archives']> | null,
  findings: Findings,
): ReturnType<typeof checkRebuilt> {
  const [first] = runsOf(judged);
  if (first === undefined) throw new Error('a judged bundle without a run');
  const rebuilt = await checkRebuilt(first.bundle, { ...first, outside });
  if (judged.kind === 'merged') findings.addAll(first.bundle.findings.list());
  return rebuilt;
}

/** A replay names the whole bundle. Shards have the same images, but one in which nothing ran has none. */
function toReplayed(judged: Exclude<JudgedBundle, { kind: 'unread' }>, list: ClosedList): ReplayedBundle {
  const { report, receipts } = judged.kind === 'run' ? judged.run : judged.merged;
  const runs = runsOf(judged);
  const shown = runs.find(({ images }) => images.length > 0) ?? runs[0];
  return {
    list,
    report,
    receipts,
    images: shown?.images ?? [],
    imageFiles: shown?.bundle.list.files ?? new Map(),
  };
}

function runsOf(judged: Exclude<JudgedBundle, { kind: 'unread' }>): readonly ReadBundle[] {
  return judged.kind === 'run' ? [judged.run] : judged.merged.shards;
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

async function readRun(bundle: Bundle): Promise<ReadBundle | null> {
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
  checkSuiteArchives({ suites: run.suites, manifest: inputs.manifest, report, images }, findings);
  const { executions } = run;
  const outcome = checkRun({ report, audit: inputs.audit, list, receipts, executions }, findings);
  const { exitCode } = outcome;
  checkStatements(source, { findings, list, report, receipts, inputs, images, kinds, exitCode });
  const isWhole = run.whole && receipts.length === executions.length && receipts.every(({ whole }) => whole);
  // What an unreadable receipt would explain is not unknown.
  for (const path of isWhole ? bundle.unknown() : []) {
    findings.add('FILE_UNKNOWN', path, 'a file that some document explains', 'none does');
  }
  return { bundle, run, report, inputs, images, receipts, views, outcome, measuredKinds: kinds.length };
}

function checkExpectations(judged: Exclude<JudgedBundle, { kind: 'unread' }>, given: Expectations): void {
  const runs = runsOf(judged);
  const [first] = runs;
  if (first === undefined) return;
  const { bundle } = judged.kind === 'run' ? judged.run : judged;
  const { report, outcome } = judged.kind === 'run' ? judged.run : judged.merged;
  const { findings } = bundle;
  if (given.nonce !== null) {
    findings.same('NONCE_MISMATCH', 'bundle.json.nonce', given.nonce, bundle.list.nonce);
  }
  // Shards have the same inputs.
  checkGivenInputs(first, given, findings);
  if (given.finishedAfter !== null && !(Date.parse(report.finishedAt) > Date.parse(given.finishedAfter))) {
    findings.add(
      'FINISHED_TOO_EARLY',
      'report.json.finishedAt',
      `after ${given.finishedAfter}`,
      report.finishedAt,
    );
  }
  const signed = given.keyPem !== null && findings.count === 0;
  for (const run of runs) {
    const bases = basesOf(run.inputs.manifest);
    const facts = {
      report: run.report,
      counts: outcome.counts,
      measuredKinds: run.measuredKinds,
      signed,
      shards: judged.kind === 'run' ? null : judged.signed,
      bases,
    };
    checkRequirements(given.requirements, facts, findings);
  }
}

function checkGivenInputs({ bundle, inputs }: ReadBundle, given: Expectations, findings: Findings): void {
  if (given.candidateSha512 !== null) {
    findings.same('CANDIDATE_DIGEST', 'inputs/candidate.tgz', given.candidateSha512, inputs.candidateSha512);
  }
  const suites = filesLike(bundle.list.files, /^inputs\/suites\/[^/]+\/suite\.json$/);
  for (const sha256 of given.suites) {
    if (suites.some((file) => file.sha256 === sha256)) continue;
    const actual = suites.map((file) => file.sha256).join(' ');
    findings.add('SUITE_NOT_EXPECTED', 'inputs/suites', sha256, actual);
  }
}
