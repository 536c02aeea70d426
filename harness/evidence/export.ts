import type { CaseRun } from '../run/result.ts';
import { BundleFolder } from './bundle-folder.ts';
import { type FindClaims, toFindClaims } from './claims.ts';
import type { BoundaryRecord, ExportInput, ImageRecord } from './export-input.ts';
import { OutsideFiles } from './outside-files.ts';
import { imageFolder, toExecutionId, toPathSegment } from './paths.ts';
import {
  type AttemptRecord,
  attemptFolder,
  type Receipt,
  stepFolder,
  toAttemptRecord,
  toControlLines,
  toFilesLines,
  toTranscriptLines,
} from './receipt.ts';
import { buildStatements } from './statements/statements.ts';

/**
 * Writes the evidence bundle: every file, then the closed list over them, the statements that bind the list,
 * and SHA256SUMS. The target appears complete or not at all.
 *
 * @throws {EvidenceError} OUT_NOT_EMPTY, PATH_TAKEN, WRITE_FAILED
 */
export async function exportEvidence(input: ExportInput): Promise<void> {
  const folder = await BundleFolder.create(input.target, input.report.runId);
  try {
    await writeInputs(folder, input);
    await writeImages(folder, input.images);
    await writeBoundary(folder, input.boundary);
    const { runId, suites } = input.report;
    const parts = { runId, views: new OutsideFiles(folder), claims: toFindClaims(suites) };
    for (const run of input.cases) {
      await writeCase(folder, run, await toReceipt(run, parts));
    }
    await folder.writeDocument('report.json', input.report);
    await writeIndex(folder, input);
    await folder.close();
  } catch (error) {
    await folder.abandon();
    throw error;
  }
}

async function writeInputs(folder: BundleFolder, input: ExportInput): Promise<void> {
  const manifest = input.archives.map(({ file: _file, ...entry }) => entry);
  await folder.writeDocument('inputs/manifest.json', { formatVersion: 1, archives: manifest });
  if (input.packageLock !== null) await folder.writeBytes('inputs/package-lock.json', input.packageLock);
  await folder.writeDocument('inputs/audit.json', input.audit);
  await folder.copyFrom('inputs/candidate.tgz', input.candidateFile);
  for (const suite of input.suites) {
    const place = `inputs/suites/${toPathSegment(suite.id)}`;
    await folder.writeBytes(`${place}/suite.json`, suite.bytes);
    for (const { path, bytes } of suite.sources) await folder.writeBytes(`${place}/${path}`, bytes);
  }
  if (input.durations !== null) await folder.writeBytes('inputs/durations.json', input.durations);
  if (!input.embedArchives) return;
  for (const archive of input.archives) {
    await folder.copyFrom(`inputs/archives/sha256/${archive.sha256}`, archive.file);
  }
}

async function writeImages(folder: BundleFolder, images: readonly ImageRecord[]): Promise<void> {
  for (const [index, image] of images.entries()) {
    const prefix = imageFolder(image.node, index);
    await folder.writeBytes(`${prefix}/config.json`, image.configBytes);
    await folder.copyFrom(`${prefix}/inventory.ndjson`, image.inventoryFile);
    await folder.writeDocument(`${prefix}/readback.json`, image.readback);
  }
}

async function writeBoundary(folder: BundleFolder, boundary: BoundaryRecord | null): Promise<void> {
  if (boundary === null) return;
  await folder.writeDocument('boundary/declared.json', boundary.declared);
  await folder.writeDocument('boundary/engine.json', boundary.engine);
  await folder.writeDocument('boundary/measured.json', boundary.measured);
}

async function writeCase(folder: BundleFolder, run: CaseRun, receipt: Receipt): Promise<void> {
  const place = `cases/${toPathSegment(toExecutionId(run.caseId, run.node))}`;
  for (const attempt of run.attempts) {
    if (attempt.observation === null) continue;
    const base = `${place}/${attemptFolder(attempt.attempt)}`;
    await folder.writeLines(`${base}files.ndjson`, toFilesLines(attempt.observation));
    if (attempt.observation.controls.length > 0) {
      await folder.writeLines(`${base}controls.ndjson`, toControlLines(attempt.observation));
    }
    await folder.writeLines(`${base}transcript.ndjson`, toTranscriptLines(attempt.observation));
    for (const step of attempt.spooled) {
      const steps = `${base}${stepFolder(step.index, step.name)}`;
      await writeStream(folder, `${steps}/stdout`, step.stdout);
      await writeStream(folder, `${steps}/stderr`, step.stderr);
    }
    for (const { sha256, file } of attempt.kept) await folder.copyFrom(`${base}files/${sha256}`, file);
  }
  await folder.writeDocument(`${place}/receipt.json`, receipt);
}

async function writeStream(folder: BundleFolder, path: string, source: string | null): Promise<void> {
  if (source === null) await folder.writeBytes(path, Buffer.alloc(0));
  else await folder.copyFrom(path, source);
}

interface ReceiptParts {
  readonly runId: string;
  readonly views: OutsideFiles;
  readonly claims: FindClaims;
}

async function toReceipt(run: CaseRun, { runId, views, claims }: ReceiptParts): Promise<Receipt> {
  const attempts: AttemptRecord[] = [];
  for (const { observation } of run.attempts) {
    if (observation === null) continue;
    attempts.push(toAttemptRecord(observation, await views.store(observation.outside)));
  }
  const { caseId, node, outcome, reason, detail, checks } = run;
  return {
    formatVersion: 1,
    runId,
    suite: run.suiteId,
    caseId,
    node,
    outcome,
    reason,
    detail,
    ...claims(run),
    checks,
    attempts,
  };
}

async function writeIndex(folder: BundleFolder, input: ExportInput): Promise<void> {
  const { runId, nonce } = input.report;
  const files = folder.files();
  const index = await folder.writeDocument('bundle.json', { formatVersion: 1, runId, nonce, files });
  for (const { path, statement } of buildStatements(input, [index, ...files])) {
    await folder.writeDocument(path, statement);
  }
}
