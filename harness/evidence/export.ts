import type { CaseRun } from '../run/result.ts';
import { BundleFolder } from './bundle-folder.ts';
import { OutsideFiles } from './outside-files.ts';
import { toExecutionId, toPathSegment } from './paths.ts';
import {
  type AttemptRecord,
  attemptFolder,
  type Receipt,
  stepFolder,
  toAttemptRecord,
  toFilesLines,
  toTranscriptLines,
} from './receipt.ts';
import type { RunReport } from './report.ts';
import { buildStatement, type ResourceDescriptor, type StatementInput } from './statement.ts';

/** An input file as the manifest lists it. Roles are those of the context; `file` is its place on the host. */
export interface InputArchive {
  readonly role: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly sha512: string | null;
  readonly file: string;
}

/** What the bundle keeps of one image; the inventory is a host file of canonical lines. */
export interface ImageRecord {
  readonly node: string;
  readonly configBytes: Uint8Array;
  readonly inventoryFile: string;
  readonly readback: unknown;
}

export interface BoundaryRecord {
  readonly declared: unknown;
  readonly engine: unknown;
  readonly measured: unknown;
}

export interface ExportInput {
  /** Absolute path; absent or an empty folder. */
  readonly target: string;
  readonly report: RunReport;
  readonly archives: readonly InputArchive[];
  readonly candidateFile: string;
  readonly embedArchives: boolean;
  readonly packageLock: Uint8Array | null;
  readonly audit: unknown;
  readonly suites: readonly { readonly id: string; readonly bytes: Uint8Array }[];
  /** The first is that of the first Node version; further ones go into folders of their own. */
  readonly images: readonly ImageRecord[];
  /** Null when nothing ran. */
  readonly boundary: BoundaryRecord | null;
  readonly cases: readonly CaseRun[];
}

/**
 * Writes the evidence bundle: every file, then the closed list over them, the statement that binds the list,
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
    const views = new OutsideFiles(folder);
    for (const run of input.cases) {
      await writeCase(folder, run, await toReceipt(input.report.runId, run, views));
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
    await folder.writeBytes(`inputs/suites/${toPathSegment(suite.id)}/suite.json`, suite.bytes);
  }
  if (!input.embedArchives) return;
  for (const archive of input.archives) {
    await folder.copyFrom(`inputs/archives/sha256/${archive.sha256}`, archive.file);
  }
}

async function writeImages(folder: BundleFolder, images: readonly ImageRecord[]): Promise<void> {
  for (const [index, image] of images.entries()) {
    const prefix = index === 0 ? 'image' : `image/node-${toPathSegment(image.node)}`;
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
    await folder.writeLines(`${base}transcript.ndjson`, toTranscriptLines(attempt.observation));
    for (const step of attempt.spooled) {
      const steps = `${base}${stepFolder(step.index, step.name)}`;
      await writeStream(folder, `${steps}/stdout`, step.stdout);
      await writeStream(folder, `${steps}/stderr`, step.stderr);
    }
  }
  await folder.writeDocument(`${place}/receipt.json`, receipt);
}

async function writeStream(folder: BundleFolder, path: string, source: string | null): Promise<void> {
  if (source === null) await folder.writeBytes(path, Buffer.alloc(0));
  else await folder.copyFrom(path, source);
}

async function toReceipt(runId: string, run: CaseRun, views: OutsideFiles): Promise<Receipt> {
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
    checks,
    attempts,
  };
}

async function writeIndex(folder: BundleFolder, input: ExportInput): Promise<void> {
  const { runId, nonce } = input.report;
  const listed = folder.files();
  const index = await folder.writeDocument('bundle.json', { formatVersion: 1, runId, nonce, files: listed });
  const configuration: ResourceDescriptor[] = [
    { name: 'bundle.json', digest: { sha256: index.sha256 } },
    ...listed
      .filter((file) => isConfiguration(file.path))
      .map((file) => ({ name: file.path, digest: { sha256: file.sha256 } })),
  ];
  await folder.writeDocument('statement.json', buildStatement(toStatementInput(input, configuration)));
}

/** What a policy may want to pin apart from the bundle as a whole. */
function isConfiguration(path: string): boolean {
  return /^(inputs\/(manifest|package-lock|audit)\.json|inputs\/suites\/.*|boundary\/declared\.json|image\/.*config\.json)$/.test(
    path,
  );
}

function toStatementInput(input: ExportInput, configuration: readonly ResourceDescriptor[]): StatementInput {
  const ids = (outcomes: readonly string[]): readonly string[] =>
    input.cases
      .filter((run) => outcomes.includes(run.outcome))
      .map((run) => toExecutionId(run.caseId, run.node));
  const warned = input.cases.filter((run) => run.outcome === 'pass' && hasFailedWarning(run));
  return {
    report: input.report,
    configuration,
    passed: ids(['pass']),
    warned: warned.map((run) => toExecutionId(run.caseId, run.node)),
    failed: ids(['fail', 'flaky']),
    errored: ids(['error']),
    skipped: input.cases
      .filter((run) => ['unrun', 'excluded', 'unsupported'].includes(run.outcome))
      .map((run) => ({ id: toExecutionId(run.caseId, run.node), reason: run.reason ?? run.outcome })),
  };
}

function hasFailedWarning(run: CaseRun): boolean {
  return run.checks.some((check) => check.severity === 'warn' && check.result === 'fail');
}
