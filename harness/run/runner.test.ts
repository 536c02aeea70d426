import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import { BOUNDARY_KINDS_LIMIT } from '../boundary/kind.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import { RunError } from './errors.ts';
import type { RunRequest } from './request.ts';
import type { CaseRun } from './result.ts';
import { type RunTools, runWith } from './runner.ts';
import { IN_PROCESS_JUDGE } from './testing/in-process-judge.ts';
import { NO_IMAGE, plainCase } from './testing/plain-case.ts';
import { ScriptedBox } from './testing/scripted-box.ts';
import { ScriptedEngine } from './testing/scripted-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'packproof-runner-'));
after(() => rmSync(folder, { recursive: true }));

const TOOLS: RunTools = {
  openJudge: () => IN_PROCESS_JUDGE,
  probe: () => Promise.resolve([]),
  toOutsideJudge: () => () => {},
};

function request(cases: readonly CompiledCase[], change: Partial<RunRequest> = {}): RunRequest {
  return {
    runId: 'run',
    engine: new ScriptedEngine(() => Promise.resolve(new ScriptedBox())),
    images: new Map([
      ['20.20.2', NO_IMAGE],
      ['22.23.5', NO_IMAGE],
    ]),
    inventories: new Map(),
    suites: [
      {
        formatVersion: 1,
        id: 's',
        title: '',
        proves: [],
        doesNotProve: [],
        archives: [],
        exclusions: [],
        expectedUnsupported: [],
        cases,
      },
    ],
    boundary: (kind) => defaultBoundary('linux/amd64', kind),
    limits: { budgetMs: 60_000, caseTimeoutMs: 20_000, jobs: 2, repeat: 1 },
    selection: { only: [], shard: null, shuffle: null },
    signal: new AbortController().signal,
    spool: folder,
    reporter: { phase: () => {}, caseStarted: () => {}, caseEnded: () => {} },
    ...change,
  };
}

const hasCode = (code: string, where: string) => (error: unknown) =>
  error instanceof RunError && error.code === code && error.where === where;

test('every declared case is in the result once for each version it asks for, whether selected or not', async () => {
  const ended: CaseRun[] = [];
  const cases = [plainCase({ id: 'each' }), plainCase({ id: 'first', node: 'first' })];
  const reporter = { phase: () => {}, caseStarted: () => {}, caseEnded: (run: CaseRun) => ended.push(run) };
  const selection = { only: ['each'], shard: null, shuffle: null };
  const result = await runWith(request(cases, { selection, reporter }), TOOLS);
  assert.deepEqual(
    result.cases.map(({ caseId, node, outcome, reason }) => `${caseId} ${node} ${outcome} ${reason}`),
    ['each 20.20.2 pass null', 'each 22.23.5 pass null', 'first 20.20.2 unrun selection'],
  );
  assert.equal(ended.length, 3);
  assert.deepEqual(result.counts, { ...result.counts, pass: 2, unrun: 1 });
  assert.equal(result.budget.exhausted, false);
  assert.equal(result.watchdog.firedAtMs, null);
});

test('a case with ranges runs on the versions in them, and is unsupported where the run has none', async () => {
  const opened: string[] = [];
  const nothing = [{ from: '22.24.0', below: null }];
  const cases = [
    plainCase({ id: 'old', node: [{ from: '20.0.0', below: '21.0.0' }] }),
    plainCase({ id: 'new', node: [{ from: '22.23.5', below: '22.23.6' }] }),
    plainCase({ id: 'any', node: [{ from: '0.0.0', below: null }] }),
    plainCase({ id: 'none', node: nothing }),
    plainCase({ id: 'needs', node: 'first', requires: { classification: 'none', classes: ['cli'] } }),
    plainCase({ id: 'left', node: nothing }),
    plainCase({ id: 'apart', requires: { classification: 'old', classes: ['cli'] } }),
  ];
  const reporter = {
    phase: () => {},
    caseStarted: ({ caseId }: { readonly caseId: string }) => opened.push(caseId),
    caseEnded: () => {},
  };
  const selection = { only: ['{old,new,any,none,needs,apart}'], shard: null, shuffle: null };
  const result = await runWith(request(cases, { reporter, selection }), TOOLS);
  assert.deepEqual(
    result.cases.map(({ caseId, node, outcome, reason }) => `${caseId} ${node} ${outcome} ${reason}`),
    [
      'old 20.20.2 pass null',
      'new 22.23.5 pass null',
      'any 20.20.2 pass null',
      'any 22.23.5 pass null',
      'none 20.20.2 unsupported no-node-version',
      'needs 20.20.2 unsupported no-node-version',
      'left 20.20.2 unrun selection',
      'apart 20.20.2 unsupported not-of-this-class',
      'apart 22.23.5 unrun classification-missing',
    ],
  );
  assert.deepEqual(opened.sort(), ['any', 'any', 'new', 'old']);
  assert.equal(result.counts.unsupported, 3);
});

test('each kind of box that the selected cases ask for is probed once, before the first case', async () => {
  const order: string[] = [];
  const cases = [
    plainCase({ id: 'a' }),
    plainCase({ id: 'b' }),
    plainCase({ id: 'c', exec: true, node: 'first' }),
  ];
  const reporter = { phase: () => {}, caseStarted: () => order.push('case'), caseEnded: () => {} };
  await runWith(request(cases, { reporter }), {
    ...TOOLS,
    probe: async ({ kinds }) => {
      order.push(...kinds.map(({ node, exec }) => `${node} ${exec}`));
      return [];
    },
  });
  assert.deepEqual(order.slice(0, 4), ['20.20.2 false', '22.23.5 false', '20.20.2 true', 'case']);
});

test('a probe that finds the boundary broken ends the run before any case, and nothing has a result', async () => {
  const engine = new ScriptedEngine(() => Promise.resolve(new ScriptedBox()));
  const probe = () =>
    Promise.reject(new RunError('BOUNDARY_MISMATCH', 'boundary', { where: 'rootReadOnly' }));
  await assert.rejects(
    runWith(request([plainCase()], { engine }), { ...TOOLS, probe }),
    hasCode('BOUNDARY_MISMATCH', 'rootReadOnly'),
  );
  assert.equal(engine.opened.length, 0);
});

test('a box that is not what was declared ends the run although other cases passed', async () => {
  let looks = 0;
  const judgeOutside = (): void => {
    looks += 1;
    if (looks === 1) throw new RunError('BOUNDARY_MISMATCH', 'boundary', { where: 'pidsLimit' });
  };
  const cases = ['a', 'b', 'c'].map((id) => plainCase({ id }));
  await assert.rejects(
    runWith(request(cases), { ...TOOLS, toOutsideJudge: () => judgeOutside }),
    hasCode('BOUNDARY_MISMATCH', 'pidsLimit'),
  );
});

test('a run that is interrupted before it begins runs nothing', async () => {
  const engine = new ScriptedEngine(() => Promise.resolve(new ScriptedBox()));
  const result = await runWith(request([plainCase()], { engine, signal: AbortSignal.abort() }), TOOLS);
  assert.deepEqual(
    result.cases.map(({ outcome, reason }) => `${outcome} ${reason}`),
    ['unrun interrupted', 'unrun interrupted'],
  );
  assert.equal(result.interrupted, true);
  assert.equal(engine.opened.length, 0);
});

test('a reporter that throws is a fault of the run', async () => {
  const broken = new Error('broken terminal');
  const reporter = {
    phase: () => {},
    caseStarted: () => {},
    caseEnded: () => {
      throw broken;
    },
  };
  await assert.rejects(runWith(request([plainCase()], { reporter }), TOOLS), (error) => error === broken);
});

test('no image and an id that another case has under case folding are refused before anything starts', async () => {
  await assert.rejects(
    runWith(request([plainCase()], { images: new Map() }), TOOLS),
    hasCode('IMAGE_MISSING', 'run'),
  );
  const suites = [plainCase({ id: 'same' }), plainCase({ id: 'SAME' })].map((one) => ({
    formatVersion: 1 as const,
    id: one.id,
    title: '',
    proves: [],
    doesNotProve: [],
    archives: [],
    cases: [one],
    exclusions: [],
    expectedUnsupported: [],
  }));
  await assert.rejects(runWith(request([], { suites }), TOOLS), hasCode('DUPLICATE_CASE', 'SAME'));
  await assert.rejects(runWith(request([]), TOOLS), hasCode('NO_CASES_SELECTED', 'suites'));
});

test('a run of more different boundaries than are measured is refused before anything is opened', async () => {
  const withPids = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      plainCase({ id: `c${index}`, limits: [{ name: 'pids', value: 40 + index }] }),
    );
  const few = await runWith(request(withPids(BOUNDARY_KINDS_LIMIT)), TOOLS);
  assert.ok(few.cases.every(({ outcome }) => outcome !== 'unrun'));
  await assert.rejects(
    runWith(request(withPids(BOUNDARY_KINDS_LIMIT + 1)), TOOLS),
    hasCode('TOO_MANY_BOUNDARIES', `c${BOUNDARY_KINDS_LIMIT}`),
  );
});
