import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import type { BoundaryKind } from '../boundary/kind.ts';
import type { Box, OpenRequest } from '../engine/engine.ts';
import type { CompiledCase, CompiledCheck } from '../suite/compiled.ts';
import { BoxOpener } from './box-opener.ts';
import { CaseRuns } from './case-runs.ts';
import { Deadline } from './deadline.ts';
import { RunError } from './errors.ts';
import type { Judge } from './evaluation.ts';
import { OutsideViews } from './outside-views.ts';
import { planCases } from './plan-cases.ts';
import { SILENT_REPORTER } from './reporter.ts';
import type { CaseRun } from './result.ts';
import { RunStop } from './run-stop.ts';
import { IN_PROCESS_JUDGE } from './testing/in-process-judge.ts';
import { EXITS_ZERO, NO_IMAGE, plainCase } from './testing/plain-case.ts';
import { ScriptedBox } from './testing/scripted-box.ts';
import { ScriptedEngine } from './testing/scripted-engine.ts';
import { Watchdog } from './watchdog.ts';

const folder = mkdtempSync(join(tmpdir(), 'packproof-cases-'));
after(() => rmSync(folder, { recursive: true }));

const boundary = (kind: BoundaryKind): ReturnType<typeof defaultBoundary> =>
  defaultBoundary('linux/amd64', kind);

interface Setup {
  readonly open: (request: OpenRequest) => Promise<Box>;
  readonly stop?: RunStop;
  readonly judge?: Judge;
  readonly repeat?: number;
  readonly budgetMs?: number;
  readonly judgeOutside?: () => void;
}

let runs = 0;

async function runCases(cases: readonly CompiledCase[], setup: Setup): Promise<readonly CaseRun[]> {
  const stop = setup.stop ?? new RunStop();
  const deadline = new Deadline(setup.budgetMs ?? 60_000);
  const watchdog = await Watchdog.start(deadline, {
    onDeadline: () => stop.stop('budget'),
    onLost: (fault) => stop.fail(fault),
  });
  const engine = new ScriptedEngine(setup.open);
  const suites = [
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
  ] as const;
  const all = new CaseRuns(planCases({ images: new Map([['20.20.2', NO_IMAGE]]), suites }), {
    cases: {
      opener: new BoxOpener({ engine, runId: 'run', deadline, stop, watchdog }),
      stop,
      deadline,
      caseTimeoutMs: 20_000,
      spool: join(folder, String(runs++)),
      boundary,
      views: new OutsideViews(setup.judgeOutside ?? (() => {})),
      imageFiles: () => new Map(),
    },
    judge: setup.judge ?? IN_PROCESS_JUDGE,
    jobs: 2,
    shuffle: null,
    repeat: setup.repeat ?? 1,
    reporter: SILENT_REPORTER,
  });
  try {
    return await all.run();
  } finally {
    await watchdog.finish();
  }
}

const summary = (cases: readonly CaseRun[]): readonly string[] =>
  cases.map(({ caseId, outcome, reason }) => `${caseId} ${outcome} ${reason}`);

const exitsWith = (code: number): Box =>
  new ScriptedBox({
    start: (step) => {
      step.print('stdout', `code ${code}\n`);
      step.end({ kind: 'exited', code });
      step.closeStreams();
    },
  });

const sameOutputAs = (caseId: string): CompiledCheck => ({
  ...EXITS_ZERO,
  id: 'same-output',
  expect: {
    kind: 'streams-equal',
    left: { caseId: null, step: 'run', stream: 'stdout' },
    right: { caseId, step: 'run', stream: 'stdout' },
  },
});

test('cases are run, evaluated from their bytes, and returned in the order in which they are declared', async () => {
  const cases = [
    plainCase({ id: 'compares', checks: [sameOutputAs('last')] }),
    plainCase({ id: 'first' }),
    plainCase({ id: 'last' }),
  ];
  const seen = await runCases(cases, { open: () => Promise.resolve(exitsWith(0)) });
  assert.deepEqual(summary(seen), ['compares pass null', 'first pass null', 'last pass null']);
});

test('a failing gate fails its case and no other', async () => {
  let boxes = 0;
  const cases = [plainCase({ id: 'good' }), plainCase({ id: 'bad' })];
  const seen = await runCases(cases, { open: () => Promise.resolve(exitsWith(boxes++)) });
  assert.deepEqual(summary(seen), ['good pass null', 'bad fail null']);
});

test('the order of a whole case is look, run, end, snapshot, close', async () => {
  const box = new ScriptedBox();
  const [seen] = await runCases([plainCase()], { open: () => Promise.resolve(box) });
  assert.deepEqual(box.calls, [
    'outside',
    'snapshot',
    'start',
    'freeze',
    'processes',
    'killAll',
    'snapshot',
    'close',
  ]);
  assert.deepEqual(
    seen?.attempts[0]?.observation?.teardown.map(({ action }) => action),
    ['freeze', 'list', 'kill-all', 'drain', 'snapshot', 'close'],
  );
});

test('a box that does not open is an error of its case and the next one is run', async () => {
  let boxes = 0;
  const open = (): Promise<Box> =>
    boxes++ === 0 ? Promise.reject(new Error('no space')) : Promise.resolve(exitsWith(0));
  const seen = await runCases([plainCase({ id: 'one' }), plainCase({ id: 'two' })], { open });
  assert.deepEqual(summary(seen), ['one error box-not-opened', 'two pass null']);
  assert.equal(seen[0]?.detail, 'no space');
});

test('a box that the engine loses is an error and never a failure of the candidate', async () => {
  const open = (): Promise<Box> =>
    Promise.resolve(new ScriptedBox({ start: (step) => step.end({ kind: 'box-lost', reason: 'gone' }) }));
  assert.deepEqual(summary(await runCases([plainCase()], { open })), ['plain error box-lost']);
});

test('a box that is lost while the memory cgroup killed is judged, because the candidate did it', async () => {
  const open = (): Promise<Box> =>
    Promise.resolve(
      new ScriptedBox({
        start: (step) => step.end({ kind: 'box-lost', reason: 'gone' }),
        end: { oomKilled: true, oomKills: 1, inspect: {} },
      }),
    );
  const [seen] = await runCases([plainCase()], { open });
  assert.equal(seen?.outcome, 'fail');
  assert.equal(seen?.attempts[0]?.observation?.steps[0]?.killedBy, 'oom');
});

test('attempts that differ are flaky and all of them are kept', async () => {
  let boxes = 0;
  const open = (): Promise<Box> => Promise.resolve(exitsWith(boxes++ % 2));
  const [seen] = await runCases([plainCase()], { open, repeat: 3 });
  assert.equal(seen?.outcome, 'flaky');
  assert.deepEqual(
    seen?.attempts.map(({ attempt, outcome }) => `${attempt} ${outcome}`),
    ['1 pass', '2 fail', '3 pass'],
  );
});

test('a case whose classification gave another class is unsupported, and says which', async () => {
  const needs = plainCase({ id: 'needs', requires: { classification: 'class', classes: ['mcp-server'] } });
  const seen = await runCases([needs, plainCase({ id: 'class' })], {
    open: () => Promise.resolve(exitsWith(0)),
  });
  assert.deepEqual(summary(seen), ['needs unsupported not-of-this-class', 'class pass null']);
  assert.equal(seen[0]?.attempts.length, 0);
});

test('a case whose classification could not be run is not run either', async () => {
  const needs = plainCase({ id: 'needs', requires: { classification: 'class', classes: ['cli'] } });
  const seen = await runCases([needs, plainCase({ id: 'class' })], {
    open: () => Promise.reject(new Error('no engine')),
  });
  assert.deepEqual(summary(seen), ['needs unrun classification-missing', 'class error box-not-opened']);
});

test('at the end of the budget what is in flight is unrun with its partial bytes, and the rest is not begun', async () => {
  const open = (): Promise<Box> =>
    Promise.resolve(new ScriptedBox({ start: (step) => step.print('stdout', 'partial') }));
  const cases = ['a', 'b', 'c', 'd'].map((id) => plainCase({ id }));
  const seen = await runCases(cases, { open, budgetMs: 300 });
  assert.deepEqual(
    summary(seen),
    ['a', 'b', 'c', 'd'].map((id) => `${id} unrun budget`),
  );
  const [first, , third] = seen;
  assert.equal(readFileSync(first?.attempts[0]?.spooled[0]?.stdout ?? '', 'utf8'), 'partial');
  assert.deepEqual(first?.attempts[0]?.observation?.steps[0]?.termination, { kind: 'budget' });
  assert.equal(third?.attempts[0]?.observation, null);
});

test('an interrupt leaves finished cases as they are and the rest unrun', async () => {
  const stop = new RunStop();
  let boxes = 0;
  const open = (): Promise<Box> => {
    boxes += 1;
    return Promise.resolve(
      boxes === 1
        ? exitsWith(0)
        : new ScriptedBox({ start: () => setTimeout(() => stop.stop('interrupted'), 50) }),
    );
  };
  const seen = await runCases(
    ['a', 'b', 'c'].map((id) => plainCase({ id })),
    { open, stop },
  );
  assert.deepEqual(summary(seen), ['a pass null', 'b unrun interrupted', 'c unrun interrupted']);
});

test('a box whose outside view is not the declared boundary stops the run before the candidate starts', async () => {
  const stop = new RunStop();
  const box = new ScriptedBox();
  const fault = new RunError('BOUNDARY_MISMATCH', 'boundary', { where: 'pidsLimit' });
  await runCases([plainCase()], {
    open: () => Promise.resolve(box),
    stop,
    judgeOutside: () => {
      throw fault;
    },
  });
  assert.equal(stop.fault, fault);
  assert.equal(box.calls.includes('start'), false);
  assert.equal(box.calls.includes('close'), true);
});

test('an evaluation that cannot be done is an error of its case', async () => {
  const judge = { ...IN_PROCESS_JUDGE, evaluate: () => Promise.reject(new Error('killed after 10 s')) };
  const seen = await runCases([plainCase()], { open: () => Promise.resolve(exitsWith(0)), judge });
  assert.deepEqual(summary(seen), ['plain error not-evaluated']);
});

test('an evaluation that never ends does not move the end of the run', async () => {
  const judge = { ...IN_PROCESS_JUDGE, evaluate: () => new Promise<never>(() => {}) };
  const startedAtMs = performance.now();
  const seen = await runCases([plainCase()], {
    open: () => Promise.resolve(exitsWith(0)),
    judge,
    budgetMs: 300,
  });
  assert.deepEqual(summary(seen), ['plain unrun budget']);
  assert.ok(performance.now() - startedAtMs < 10_000);
});
