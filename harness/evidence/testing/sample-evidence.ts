import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toCanonicalBytes } from '../../document/canonical.ts';
import { sha256Hex } from '../../document/digest.ts';
import type { CaseRun } from '../../run/result.ts';
import type { CaseObservation, StreamObservation } from '../../suite/observation.ts';
import type { ExportInput } from '../export.ts';
import { countOutcomes, type RunReport } from '../report.ts';

const NODE = '22.23.5';
const RUN_ID = '20260102t030405z-0a0b0c';

/** Input of an export of one suite with the given cases; host files are written below `folder`. */
export async function sampleExport(folder: string, cases: readonly CaseRun[]): Promise<ExportInput> {
  await mkdir(folder, { recursive: true });
  const candidateFile = join(folder, 'candidate.tgz');
  const inventoryFile = join(folder, 'inventory.ndjson');
  await writeFile(candidateFile, 'candidate bytes');
  await writeFile(inventoryFile, '{"path":"usr"}\n');
  return {
    target: join(folder, 'evidence'),
    report: sampleReport(cases),
    archives: [],
    candidateFile,
    embedArchives: false,
    packageLock: Buffer.from('{}'),
    audit: { formatVersion: 1, findings: [] },
    suites: [{ id: 'smoke', bytes: toCanonicalBytes(sampleSuite(cases)) }],
    images: [{ node: NODE, configBytes: Buffer.from('{}'), inventoryFile, readback: { formatVersion: 1 } }],
    boundary: { declared: {}, engine: {}, measured: {} },
    cases,
  };
}

function sampleSuite(cases: readonly CaseRun[]): unknown {
  return {
    formatVersion: 1,
    id: 'smoke',
    cases: cases.map((run) => ({ id: run.caseId, node: 'each' })),
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
      name: '@scope/sample',
      version: '1.2.3',
      sha256: sha256Hex(Buffer.from('candidate bytes')),
      sha512: createHash('sha512').update('candidate bytes').digest('hex'),
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
    selection: { only: [], shard: null },
    watchdog: null,
    timings: null,
    interruptedBy: null,
    blocked: null,
    counts,
    declared: cases.length,
    executed: cases.length,
    exclusions: [],
    waivers: [],
    harness: { version: '0.1.0', distSha256: 'a'.repeat(64), verifierSha256: 'b'.repeat(64) },
    suites: [{ id: 'smoke', proves: ['that it starts'], doesNotProve: ['that it is harmless'] }],
  };
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
    boxId: 'box',
    steps: [
      {
        name: 'main',
        argv: ['/opt/candidate/node_modules/.bin/sample'],
        startedAt: '2026-01-02T03:04:05.000Z',
        durationMs: 20,
        termination: { kind: 'exited', code: 0 },
        killedBy: null,
        oomKilled: false,
        stdout: toStream(output),
        stderr: toStream(Buffer.alloc(0)),
        arrivals: [{ stream: 'stdout', sizeBytes: output.length, atMs: 10 }],
        actions: [],
      },
    ],
    leftovers: [],
    before: { way: 'host', entries: [], truncated: [] },
    after: { way: 'host', entries: [], truncated: [] },
    outside: { inspect: {}, status: null, mounts: null, namespaces: null, limits: null },
    end: { oomKilled: false, oomKills: 0, inspect: {} },
    teardown: [],
  };
}

function toStream(bytes: Buffer): StreamObservation {
  return {
    totalBytes: bytes.length,
    keptBytes: bytes.length,
    totalSha256: sha256Hex(bytes),
    keptSha256: sha256Hex(bytes),
    truncated: false,
    eofSeen: true,
    lastByteAtMs: bytes.length === 0 ? null : 10,
  };
}
