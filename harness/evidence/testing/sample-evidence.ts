import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleViews } from '../../boundary/testing/sample-views.ts';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { CaseRun } from '../../run/result.ts';
import type { CompiledCase, CompiledSuite } from '../../suite/compiled.ts';
import type { CaseObservation } from '../../suite/observation.ts';
import { USUAL_CASE } from '../../suite/usual-case.ts';
import type { ExportInput } from '../export-input.ts';
import { countOutcomes, type RunReport } from '../report.ts';
import { SAMPLE_NAME, SAMPLE_VERSION, sampleArchive, sha512Hex } from './sample-archive.ts';
import { sampleBoundary } from './sample-boundary.ts';
import { GUARDED, guardedCase } from './sample-guarded.ts';
import { sampleImage, sampleInventory } from './sample-image.ts';
import { sampleArchives, sampleAudit, sampleLock } from './sample-inputs.ts';
import { ARGV, BOUNDARY, NODE, observedStep, sampleStep } from './sample-parts.ts';

const RUN_ID = '20260102t030405z-0a0b0c';
const CLAIMS = { proves: ['that it starts'], doesNotProve: ['that it is harmless'] };

/**
 * Input of an export of one suite with the given cases; host files are written below `folder`. Everything in
 * it agrees, so that the verifier accepts what is exported of it.
 */
export async function sampleExport(folder: string, cases: readonly CaseRun[]): Promise<ExportInput> {
  await mkdir(folder, { recursive: true });
  const candidateFile = join(folder, 'candidate.tgz');
  const inventoryFile = join(folder, 'inventory.ndjson');
  await writeFile(candidateFile, sampleArchive().bytes);
  await writeFile(inventoryFile, sampleInventory());
  return {
    target: join(folder, 'evidence'),
    report: sampleReport(cases),
    archives: sampleArchives(folder, NODE),
    candidateFile,
    embedArchives: false,
    packageLock: sampleLock(),
    audit: sampleAudit(),
    durations: null,
    suites: [{ id: 'smoke', bytes: toCanonicalBytes(sampleSuite(cases)), sources: [] }],
    images: [sampleImage(NODE, inventoryFile)],
    boundary: sampleBoundary([[]]),
    cases,
  };
}

function sampleSuite(cases: readonly CaseRun[]): CompiledSuite {
  return {
    formatVersion: 1,
    id: 'smoke',
    title: 'A suite of samples',
    ...CLAIMS,
    archives: [],
    cases: cases.map((run) =>
      run.caseId === GUARDED ? guardedCase() : sampleCompiled(run.caseId, run.outcome),
    ),
    exclusions: [],
    expectedUnsupported: [],
  };
}

/** One step that prints the case's id; the check of a case that is to fail wants something else. */
function sampleCompiled(caseId: string, outcome: string): CompiledCase {
  const wanted = outcome === 'pass' ? `${caseId}\n` : 'never\n';
  return {
    id: caseId,
    why: 'a sample',
    tags: [],
    ...USUAL_CASE,
    settleMs: 0,
    steps: [sampleStep('main')],
    checks: [
      {
        id: 'says-its-name',
        severity: 'gate',
        why: 'a name is said',
        advice: 'say it',
        precondition: null,
        expect: {
          kind: 'stream-equals',
          of: { caseId: null, step: 'main', stream: 'stdout' },
          contentBase64: Buffer.from(wanted).toString('base64'),
        },
      },
    ],
  };
}

function sampleReport(cases: readonly CaseRun[]): RunReport {
  const counts = countOutcomes(cases.map((run) => run.outcome));
  const failed = counts.fail + counts.flaky > 0;
  return {
    formatVersion: 1,
    runId: RUN_ID,
    nonce: null,
    result: failed ? 'failed' : 'passed',
    exitCode: failed ? 1 : 0,
    candidate: {
      name: SAMPLE_NAME,
      version: SAMPLE_VERSION,
      sha256: sha256Hex(sampleArchive().bytes),
      sha512: sha512Hex(sampleArchive().bytes),
    },
    platform: 'linux/amd64',
    engine: {
      name: 'runc',
      version: '1.1.5',
      apiVersion: null,
      runtime: { name: 'runc', version: '1.1.5' },
      kernel: '6.18',
      cgroupVersion: 1,
      storage: 'overlay',
      evidenceWay: 'host',
    },
    nodeVersions: [NODE],
    npmVersion: '11.19.1',
    scripts: 'off',
    startedAt: '2026-01-02T03:04:05.000Z',
    finishedAt: '2026-01-02T03:04:06.000Z',
    durationMs: 1000,
    budget: { limitMs: 180_000, usedMs: 1000, exhausted: false },
    limits: { caseTimeoutMs: 20_000, jobs: 1, repeat: 1 },
    selection: { only: [], shard: null, shuffle: null },
    watchdog: { limitMs: 180_000, firedAtMs: null, kills: [] },
    timings: { prepareMs: null, probeMs: 300, casesMs: 600, totalMs: 1000 },
    interruptedBy: null,
    blocked: null,
    counts,
    declared: cases.length,
    executed: cases.length,
    exclusions: [],
    expectedUnsupported: [],
    staleExpectations: [],
    references: { observed: 0, excluded: [] },
    waivers: [],
    harness: { version: '0.1.0', distSha256: 'a'.repeat(64), verifierSha256: 'b'.repeat(64) },
    suites: [{ id: 'smoke', ...CLAIMS, caseClaims: claimsOf(cases), volatile: 0 }],
  };
}

function claimsOf(cases: readonly CaseRun[]): RunReport['suites'][number]['caseClaims'] {
  const { id: caseId, proves, doesNotProve } = guardedCase();
  return cases.some((run) => run.caseId === GUARDED) ? [{ caseId, proves, doesNotProve }] : [];
}

/** A finished case with one step that printed `output`. */
export async function sampleCase(spool: string, caseId: string, outcome: 'pass' | 'fail'): Promise<CaseRun> {
  const output = Buffer.from(`${caseId}\n`);
  const stdout = join(spool, `${caseId}.stdout`);
  await mkdir(spool, { recursive: true });
  await writeFile(stdout, output);
  const checks = [
    { id: 'says-its-name', severity: 'gate' as const, result: outcome, message: 'the first line' },
  ];
  const attempt = {
    attempt: 1,
    observation: sampleObservation(caseId, output),
    spooled: [{ index: 0, name: 'main', stdout, stderr: null }],
    kept: [],
    checks,
    outcome,
    reason: null,
    detail: '',
  };
  return {
    suiteId: 'smoke',
    caseId,
    node: NODE,
    attempts: [attempt],
    checks,
    outcome,
    reason: null,
    detail: '',
    durationMs: 20,
  };
}

function sampleObservation(caseId: string, output: Buffer): CaseObservation {
  return {
    caseId,
    attempt: 1,
    node: NODE,
    boxId: `box-${caseId}`,
    steps: [observedStep({ name: 'main', argv: ARGV }, output)],
    leftovers: [],
    controls: [],
    before: { way: 'host', entries: [], truncated: [] },
    after: { way: 'host', entries: [], truncated: [] },
    outside: sampleViews(BOUNDARY).engine,
    end: { oomKilled: false, oomKills: 0, inspect: {} },
    teardown: [
      { action: 'freeze', atMs: 30, detail: 'main' },
      { action: 'list', atMs: 30.5, detail: 'main: 0 alive' },
      { action: 'kill-all', atMs: 31, detail: 'main: 0 reaped' },
      { action: 'drain', atMs: 31.1, detail: 'main: ended' },
      { action: 'snapshot', atMs: 32, detail: '0 entries' },
      { action: 'close', atMs: 40, detail: '' },
    ],
  };
}
