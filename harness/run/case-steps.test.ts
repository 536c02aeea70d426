import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BoxEnd } from '../engine/engine.ts';
import type { CompiledCase } from '../suite/compiled.ts';
import type { StepObservation } from '../suite/observation.ts';
import { attributeOomKills, CaseSteps } from './case-steps.ts';
import { monotonicMs } from './clock.ts';
import { Deadline } from './deadline.ts';
import { RunStop } from './run-stop.ts';
import { Teardown } from './teardown.ts';
import { plainCase, plainPlan, plainStep } from './testing/plain-case.ts';
import { ScriptedBox } from './testing/scripted-box.ts';

const spool = mkdtempSync(join(tmpdir(), 'packproof-steps-'));
after(() => rmSync(spool, { recursive: true }));

const NO_KILL: BoxEnd = { oomKilled: false, oomKills: 0, inspect: {} };
let folders = 0;

interface Ran {
  readonly steps: CaseSteps;
  readonly teardown: Teardown;
  readonly seen: readonly StepObservation[];
}

interface Limits {
  readonly budgetMs?: number;
  readonly caseTimeoutMs?: number;
}

async function runCase(
  box: ScriptedBox,
  one: Partial<CompiledCase>,
  { budgetMs = 60_000, caseTimeoutMs = 20_000 }: Limits = {},
  stop = new RunStop(),
): Promise<Ran> {
  const teardown = new Teardown(box, stop, monotonicMs());
  const steps = new CaseSteps(plainPlan({ case: plainCase(one) }), {
    box,
    teardown,
    imageFiles: () => new Map(),
    stop,
    deadline: new Deadline(budgetMs),
    caseTimeoutMs,
    spool: join(spool, String(folders++)),
  });
  await steps.run({ way: 'host', entries: [], truncated: [] });
  return { steps, teardown, seen: steps.observe(NO_KILL) };
}

function only(ran: Ran): StepObservation {
  const [step] = ran.seen;
  assert.equal(ran.seen.length, 1);
  if (step === undefined) throw new Error('one step was seen');
  return step;
}

const RUNS_FOR_EVER = { start: () => {} };

test('a step ends in the order freeze, list, kill, drain, and its bytes are kept', async () => {
  const box = new ScriptedBox({
    start: (step) => {
      step.print('stdout', 'out', 1);
      step.print('stderr', 'err', 2);
      step.end({ kind: 'exited', code: 3 }, 5);
      step.closeStreams();
    },
  });
  const ran = await runCase(box, {});
  const step = only(ran);
  assert.deepEqual(step.termination, { kind: 'exited', code: 3 });
  assert.equal(step.durationMs, 5);
  assert.equal(step.killedBy, null);
  assert.deepEqual(box.calls, ['start', 'freeze', 'processes', 'killAll']);
  assert.deepEqual(
    ran.teardown.events.map((event) => event.action),
    ['freeze', 'list', 'kill-all', 'drain'],
  );
  assert.deepEqual(
    ran.steps
      .spooled()
      .map(({ stdout, stderr }) => [stdout, stderr].map((file) => readFileSync(file ?? '', 'utf8'))),
    [['out', 'err']],
  );
});

test('a step that does not end times out at its own limit, and its process counts as left over', async () => {
  const alive = { pid: 7, parentPid: 1, argv: ['node'], state: 'T' };
  const box = new ScriptedBox({ ...RUNS_FOR_EVER, processes: () => [alive] });
  const ran = await runCase(box, { steps: [plainStep({ timeoutMs: 40 })] });
  const step = only(ran);
  assert.deepEqual(step.termination, { kind: 'timed-out', limitMs: 40 });
  assert.equal(step.killedBy, 'packproof');
  assert.deepEqual(ran.teardown.leftovers, [alive]);
  assert.equal(step.stdout.eofSeen, true);
});

test('the time of the case is the limit when it is the lesser', async () => {
  const ran = await runCase(new ScriptedBox(RUNS_FOR_EVER), {}, { caseTimeoutMs: 30 });
  assert.deepEqual(only(ran).termination, { kind: 'timed-out', limitMs: 30 });
});

test('a later step that meets the time of the case is named by it, not by what happened to be left', async () => {
  const box = new ScriptedBox({
    start: (step) => {
      if (box.steps.length === 1) setTimeout(() => step.end({ kind: 'exited', code: 0 }), 20);
    },
    killed: (step) => {
      step?.end({ kind: 'signaled', signal: 'SIGKILL' });
      step?.closeStreams();
    },
  });
  const steps = [plainStep(), plainStep({ name: 'second' })];
  const ran = await runCase(box, { steps }, { caseTimeoutMs: 200 });
  assert.deepEqual(ran.seen[1]?.termination, { kind: 'timed-out', limitMs: 200 });
});

test('the budget is the limit when it is the lesser, and is named as such', async () => {
  const ran = await runCase(new ScriptedBox(RUNS_FOR_EVER), {}, { budgetMs: 30 });
  assert.deepEqual(only(ran).termination, { kind: 'budget' });
  assert.equal(ran.steps.cutShort, true);
});

test('a stop of the run ends the step as interrupted by killing the box, and no further step starts', async () => {
  const stop = new RunStop();
  const box = new ScriptedBox({ start: () => stop.stop('interrupted') });
  const ran = await runCase(box, { steps: [plainStep(), plainStep({ name: 'second' })] }, {}, stop);
  assert.deepEqual(only(ran).termination, { kind: 'interrupted' });
  assert.deepEqual(box.calls, ['start', 'kill']);
  assert.equal(ran.steps.cutShort, true);
});

test('a left-over that ends by itself within the settling time is none', async () => {
  let looks = 0;
  const helper = { pid: 9, parentPid: 1, argv: ['helper'], state: 'S' };
  const box = new ScriptedBox({ processes: () => (++looks < 3 ? [helper] : []) });
  const ran = await runCase(box, { settleMs: 5_000 });
  assert.deepEqual(ran.teardown.leftovers, []);
});

test('left-overs of an earlier step are recorded and gone before the next one starts', async () => {
  const daemon = { pid: 9, parentPid: 1, argv: ['daemon'], state: 'T' };
  let alive = [daemon];
  const box = new ScriptedBox({
    processes: () => alive,
    killed: () => {
      alive = [];
    },
  });
  const ran = await runCase(box, { steps: [plainStep(), plainStep({ name: 'second' })] });
  assert.deepEqual(box.calls, [
    'start',
    'freeze',
    'processes',
    'killAll',
    'start',
    'freeze',
    'processes',
    'killAll',
  ]);
  assert.deepEqual(ran.teardown.leftovers, [daemon]);
  assert.deepEqual(
    ran.teardown.events.filter(({ action }) => action === 'list').map(({ detail }) => detail),
    ['run: 1 alive', 'second: 0 alive'],
  );
});

test('a holder that does not answer costs the box its life and the step stays what it was', async () => {
  const box = new ScriptedBox({ freeze: () => Promise.reject(new Error('no answer')) });
  const ran = await runCase(box, {});
  assert.deepEqual(only(ran).termination, { kind: 'exited', code: 0 });
  assert.deepEqual(box.calls, ['start', 'freeze', 'processes', 'kill']);
  assert.equal(ran.teardown.boxKilled, true);
});

test('a lost box is the engine, never the candidate, and the case has a problem', async () => {
  const box = new ScriptedBox({ start: (step) => step.end({ kind: 'box-lost', reason: 'stream ended' }) });
  const ran = await runCase(box, {});
  assert.equal(only(ran).killedBy, 'engine');
  assert.equal(ran.steps.problem, 'run: box lost');
  assert.deepEqual(box.calls, ['start', 'kill']);
});

test('stdout is closed after the declared bytes, and its end of file is then not waited for', async () => {
  const box = new ScriptedBox({
    start: (step) => {
      step.print('stdout', '0123456789');
      step.tell({ kind: 'eof', stream: 'stderr' });
      step.end({ kind: 'signaled', signal: 'SIGPIPE' });
    },
    killed: () => {},
  });
  const step = only(await runCase(box, { steps: [plainStep({ stdout: { closeAfterBytes: 10 } })] }));
  assert.equal(step.stdout.eofSeen, false);
  assert.deepEqual(
    step.actions.map(({ kind, detail }) => [kind, detail]),
    [['output-closed', 'stdout']],
  );
});

test('a signal after the first output is sent once there was output, and the end by it is ours', async () => {
  const box = new ScriptedBox({
    start: (step) => {
      step.print('stdout', 'ready');
      const watch = setInterval(() => {
        if (!step.calls.includes('signal SIGTERM')) return;
        clearInterval(watch);
        step.end({ kind: 'signaled', signal: 'SIGTERM' });
        step.closeStreams();
      }, 1);
    },
  });
  const signals = [{ signal: 'SIGTERM', after: 'first-output', delayMs: 5 }] as const;
  const step = only(await runCase(box, { steps: [plainStep({ signals })] }));
  assert.deepEqual(step.termination, { kind: 'signaled', signal: 'SIGTERM' });
  assert.equal(step.killedBy, 'packproof');
});

test('an input that is never read does not hold up the timeout', async () => {
  const box = new ScriptedBox({ ...RUNS_FOR_EVER, stdinAnswer: 'never' });
  const stdin = { kind: 'fill', sizeBytes: 5_000_000, thenClose: true } as const;
  const step = only(await runCase(box, { steps: [plainStep({ stdin, timeoutMs: 50 })] }));
  assert.deepEqual(step.termination, { kind: 'timed-out', limitMs: 50 });
  assert.deepEqual(
    step.actions.map(({ detail }) => detail),
    ['0 of 5000000 bytes written, last piece not taken'],
  );
});

test('the memory cgroup is blamed for the step that died by it, else for every step of the box', () => {
  const end = (oomKills: number | null): BoxEnd => ({ oomKilled: true, oomKills, inspect: {} });
  assert.deepEqual(attributeOomKills([false, true], end(1)), [false, true]);
  assert.deepEqual(attributeOomKills([false, true], end(2)), [true, true]);
  assert.deepEqual(attributeOomKills([false, false], end(1)), [true, true]);
  assert.deepEqual(attributeOomKills([true], end(null)), [true]);
  assert.deepEqual(attributeOomKills([true, true], NO_KILL), [false, false]);
});
