import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Box, Engine } from '../engine/engine.ts';
import { createRuncEngine } from '../engine/runc/runc-engine.ts';
import { runWith } from './runner.ts';
import { openDockerLab } from './testing/docker-lab.ts';
import { hostileCase, LAB_TOOLS } from './testing/lab.ts';
import { openRuncLab, type RuncLab } from './testing/runc-lab.ts';
import { isRunning } from './testing/sleeper.ts';
import { slowEngine } from './testing/slow-engine.ts';

/** Allowed between a deadline and the end of all boxes, on a loaded two-core machine. */
const SLACK_MS = 2_000;

const HANGS = [1, 2, 3, 4].map((number) => hostileCase('hang', {}, { id: `hang-${number}` }));

describe('the end of a run on runc', () => {
  let lab: RuncLab;
  before(async () => {
    lab = await openRuncLab('deadline');
  });
  after(() => lab.close());

  it('at the end of the budget boxes go, partial bytes stay, and the record says who killed when', async () => {
    const startedAtMs = performance.now();
    const result = await runWith(lab.request(HANGS, { budgetMs: 1_500 }), LAB_TOOLS);
    assert.ok(performance.now() - startedAtMs < 1_500 + SLACK_MS);
    assert.deepEqual(
      result.cases.map(({ outcome, reason }) => `${outcome} ${reason}`),
      HANGS.map(() => 'unrun budget'),
    );
    const attempt = result.cases[0]?.attempts[0];
    assert.equal(await readFile(attempt?.spooled[0]?.stdout ?? '', 'utf8'), 'before\n');
    assert.deepEqual(attempt?.observation?.steps[0]?.termination, { kind: 'budget' });
    assert.deepEqual(
      attempt?.observation?.teardown.map(({ action }) => action),
      ['kill-box', 'drain', 'close'],
    );
    assert.equal(result.budget.exhausted, true);
    assert.ok((result.watchdog.firedAtMs ?? 0) >= 1_499);
    assert.deepEqual(await lab.containers(), []);
  });

  it('an interrupt ends the run within two seconds and leaves no box', async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 700);
    const startedAtMs = performance.now();
    const result = await runWith(lab.request(HANGS, {}, interrupt.signal), LAB_TOOLS);
    assert.ok(performance.now() - startedAtMs < 700 + SLACK_MS);
    assert.equal(result.interrupted, true);
    assert.deepEqual(
      result.cases.map(({ outcome, reason }) => `${outcome} ${reason}`),
      HANGS.map(() => 'unrun interrupted'),
    );
    assert.deepEqual(await lab.containers(), []);
  });

  it('an engine that is slow to kill does not move the deadline, for the watchdog kills without it', async () => {
    const boxes: Box[] = [];
    const slow = await openRuncLab('slow', (engine) => slowEngine(engine, 60_000, (box) => boxes.push(box)));
    const startedAtMs = performance.now();
    const result = await runWith(slow.request(HANGS, { budgetMs: 1_500 }), LAB_TOOLS);
    const tookMs = performance.now() - startedAtMs;
    assert.ok(tookMs < 1_500 + 2 * SLACK_MS, `took ${tookMs} ms`);
    assert.equal(boxes.length, 2);
    for (const { killRecipe } of boxes) assert.equal(isAlive(pidOf(killRecipe)), false);
    assert.deepEqual(
      result.watchdog.kills.map(({ result: end }) => end),
      ['killed', 'killed'],
    );
    for (const { doneAtMs } of result.watchdog.kills) assert.ok(doneAtMs < 1_500 + SLACK_MS);
    assert.deepEqual(await slow.containers(), []);
    await slow.close();
  });
});

describe('the end of a run on Docker', () => {
  it('does not wait for a client that is slow to kill: the watchdog kills and removes by requests of its own', async () => {
    const boxes: Box[] = [];
    const wrap = (engine: Engine): Engine => slowEngine(engine, 60_000, (box) => boxes.push(box));
    const lab = await openDockerLab('slow', 'host', wrap);
    const startedAtMs = performance.now();
    const result = await runWith(lab.request(HANGS, { budgetMs: 3_000 }), LAB_TOOLS);
    assert.ok(performance.now() - startedAtMs < 3_000 + 3 * SLACK_MS);
    assert.equal(boxes.length, 2);
    assert.deepEqual(
      result.watchdog.kills.map(({ result: end }) => end),
      ['killed', 'killed'],
    );
    assert.deepEqual(
      result.cases.map(({ outcome, reason }) => `${outcome} ${reason}`),
      HANGS.map(() => 'unrun budget'),
    );
    assert.deepEqual(
      (await lab.engine.sweep({ runId: 'slow' })).filter((what) => what.startsWith('container')),
      [],
    );
    await lab.close();
  });
});

describe('a runner that cannot end its boxes on runc', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-lab-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function start(
    budgetMs: number,
    conduct: string,
  ): Promise<{ readonly runner: ChildProcess; readonly pids: readonly string[] }> {
    const main = fileURLToPath(new URL('./testing/lab-runner.js', import.meta.url));
    const runner = spawn(process.execPath, [main, folder, String(budgetMs), conduct], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids: string[] = [];
    for await (const line of createInterface({ input: runner.stdout })) {
      pids.push(line);
      if (pids.length === 2) break;
    }
    return { runner, pids };
  }

  /** The next run cleans what a dead one left, and then nothing of it is there. */
  async function sweep(): Promise<readonly string[]> {
    const places = { stateDir: join(folder, 'state'), cacheDir: join(folder, 'cache') };
    const engine = await createRuncEngine({ ...places, runId: 'sweeper' });
    const removed = await engine.sweep('dead-runs');
    await engine.dispose();
    return removed;
  }

  it('is killed with SIGKILL: its boxes end at once, and the next run removes the rest', async () => {
    const { runner, pids } = await start(60_000, 'wait');
    assert.deepEqual(pids.map(isAlive), [true, true]);
    runner.kill('SIGKILL');
    await gone(pids, SLACK_MS);
    assert.deepEqual(
      (await sweep()).filter((what) => what.startsWith('run ')),
      ['run lab-runner'],
    );
  });

  it('blocks its event loop: its boxes end at the deadline all the same', async () => {
    const { runner, pids } = await start(3_000, 'block');
    await gone(pids, 3_000 + SLACK_MS);
    runner.kill('SIGKILL');
    await once(runner, 'exit');
    await sweep();
  });
});

function pidOf(recipe: Box['killRecipe']): string {
  return recipe.kind === 'pid' ? `${recipe.pid} ${recipe.startTime}` : '';
}

function isAlive(process: string): boolean {
  const [pid, startTime] = process.split(' ');
  return isRunning(Number(pid), startTime ?? '');
}

async function gone(pids: readonly string[], limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (pids.some(isAlive)) {
    assert.ok(performance.now() < endMs, `still there after ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
