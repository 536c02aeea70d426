import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunReport } from '../evidence/report.ts';
import { sampleExport } from '../evidence/testing/sample-evidence.ts';
import type { AuditLine } from '../job/audit-summary.ts';
import type { CaseRun, CheckVerdict } from '../run/result.ts';
import { type ResultInput, toResultDocument } from './result-document.ts';

const FINDING: AuditLine = {
  code: 'BIN_SHEBANG_CRLF',
  severity: 'gate',
  unsafe: false,
  path: 'package/cli.js',
  expected: 'a line feed',
  actual: 'a carriage return',
  waived: null,
};

const CHECK: CheckVerdict = { id: 'exits-zero', severity: 'gate', result: 'fail', message: 'exited with 1' };

function run(change: Partial<CaseRun> = {}): CaseRun {
  return {
    suiteId: 'smoke',
    caseId: 'Case',
    node: '22.0.0',
    attempts: [],
    checks: [],
    outcome: 'pass',
    reason: null,
    detail: '',
    durationMs: 1,
    ...change,
  };
}

describe('the result document', () => {
  let root = '';
  let report: RunReport;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'packproof-result-'));
    report = (await sampleExport(root, [])).report;
  });
  after(() => rm(root, { recursive: true, force: true }));

  function input(cases: readonly CaseRun[], change: Partial<ResultInput> = {}): ResultInput {
    return {
      outcome: { report, cases, audit: { document: {}, findings: [], openGates: 0 } },
      evidence: 'evidence',
      exitCode: 1,
      verdict: 'accepted',
      signedBy: null,
      prepareMs: null,
      selfCheck: null,
      durationMs: 7,
      adviceOf: (_, check) => `mend ${check}`,
      ...change,
    };
  }

  it('says what the report says of candidate, engine and counts', () => {
    const document = toResultDocument(input([]));
    assert.deepEqual(document.candidate, report.candidate);
    assert.deepEqual(document.counts, report.counts);
    assert.deepEqual(document.engine, { name: report.engine?.name, version: report.engine?.version });
    const outcome = { ...input([]).outcome, report: { ...report, engine: null } };
    assert.equal(toResultDocument(input([], { outcome })).engine, null);
  });

  it('calls it passed, failed or an error by the exit code of the command', () => {
    const words = [0, 1, 2, 3, 4, 124, 130, 143].map(
      (exitCode) => toResultDocument(input([], { exitCode })).result,
    );
    assert.deepEqual(words, ['passed', 'failed', ...Array.from({ length: 6 }, () => 'error')]);
  });

  it('lists every failed check and every one that could not be judged, whatever its severity', () => {
    const checks: readonly CheckVerdict[] = [
      { ...CHECK, id: 'a', result: 'pass' },
      { ...CHECK, id: 'b' },
      { ...CHECK, id: 'c', severity: 'warn' },
      { ...CHECK, id: 'd', result: 'not-exercised' },
      { ...CHECK, id: 'e', severity: 'info', result: 'error' },
    ];
    const { failures } = toResultDocument(input([run({ outcome: 'fail', checks })]));
    assert.deepEqual(
      failures.map(({ check, severity }) => [check, severity]),
      [
        ['b', 'gate'],
        ['c', 'warn'],
        ['e', 'info'],
      ],
    );
    assert.deepEqual(failures[0], {
      case: 'Case@22.0.0',
      check: 'b',
      severity: 'gate',
      message: 'exited with 1',
      advice: 'mend b',
      evidencePath: 'cases/%43ase@22.0.0/receipt.json',
    });
  });

  it('lists cases that have no checks to speak for them, but not those that were not asked for', () => {
    const cases = [
      run({ outcome: 'unrun', reason: 'budget' }),
      run({ outcome: 'error', reason: 'box-lost', detail: 'gone' }),
      run({ outcome: 'flaky', reason: 'attempts-differ' }),
      run({ outcome: 'unrun', reason: 'selection' }),
      run({ outcome: 'unrun', reason: 'audit' }),
      run({ outcome: 'unsupported', reason: 'not-of-this-class' }),
      run({ outcome: 'excluded' }),
    ];
    const { failures } = toResultDocument(input(cases));
    assert.deepEqual(
      failures.map(({ message }) => message),
      ['unrun: budget', 'error: box-lost gone', 'flaky: attempts-differ'],
    );
  });

  it('tells once what blocked a candidate', () => {
    const blocked = {
      stage: 'install',
      code: 'DEPENDENCY_NOT_FOUND',
      where: 'ms',
      expected: 'it',
      actual: 'none',
    };
    const counts = { ...report.counts, unrun: 2 };
    const outcome = {
      report: { ...report, counts, blocked: { ...blocked, stage: 'install' as const } },
      cases: [run({ outcome: 'unrun', reason: 'audit' }), run({ outcome: 'unrun', reason: 'audit' })],
      audit: {
        document: {},
        findings: [FINDING, { ...FINDING, waived: { reason: 'x', expires: 'y' } }],
        openGates: 1,
      },
    };
    const document = toResultDocument(input([], { outcome }));
    assert.deepEqual(document.failures, [
      {
        case: '',
        check: 'DEPENDENCY_NOT_FOUND',
        severity: 'gate',
        message: 'install stopped the run, 2 cases unrun: ms: expected it, got none',
        advice: '',
        evidencePath: 'report.json',
      },
    ]);
    assert.deepEqual(
      document.audit.map(({ code, waived }) => [code, waived]),
      [
        ['BIN_SHEBANG_CRLF', false],
        ['BIN_SHEBANG_CRLF', true],
      ],
    );
  });
});
