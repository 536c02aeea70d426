import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Deadline } from './deadline.ts';
import { RunError } from './errors.ts';
import { endSleeper, isAlive, type Sleeper, startSleeper } from './testing/sleeper.ts';
import { Watchdog } from './watchdog.ts';

const folder = mkdtempSync(join(tmpdir(), 'packproof-watchdog-'));
const sleepers: Sleeper[] = [];
after(() => {
  for (const sleeper of sleepers) endSleeper(sleeper);
  rmSync(folder, { recursive: true });
});

/** Allowed between a deadline and its effect on a loaded two-core machine. */
const SLACK_MS = 2_000;
const QUIET = { onDeadline: () => {}, onLost: () => {} };

async function sleeper(remove: readonly (readonly string[])[] = []): Promise<Sleeper> {
  const started = await startSleeper(remove);
  sleepers.push(started);
  return started;
}

/** Milliseconds until the process is gone; fails when it is still there after `limitMs`. */
async function goneAfter(one: Sleeper, limitMs: number): Promise<number> {
  const startedAtMs = performance.now();
  while (isAlive(one)) {
    assert.ok(performance.now() - startedAtMs < limitMs, `still alive after ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - startedAtMs;
}

async function startRunner(
  budgetMs: number,
  conduct: 'block' | 'wait',
  box: Sleeper,
  mark: string,
): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('./testing/stuck-runner.js', import.meta.url));
  const { pid, startTime } = box.recipe;
  const args = [main, String(budgetMs), conduct, String(pid), startTime, mark];
  const runner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(runner.stdout, 'data');
  return runner;
}

async function waitFor(fact: () => boolean, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!fact()) {
    assert.ok(performance.now() < endMs, `not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('at the deadline every box is killed although the runner blocks its event loop', async () => {
  const box = await sleeper();
  const mark = join(folder, 'blocked');
  const runner = await startRunner(500, 'block', box, mark);
  assert.ok((await goneAfter(box, 500 + SLACK_MS)) > 100);
  assert.equal(existsSync(mark), false);
  runner.kill('SIGKILL');
  await waitFor(() => existsSync(mark), SLACK_MS);
});

test('when the runner is killed, its boxes are killed and removed long before the deadline', async () => {
  const box = await sleeper();
  const mark = join(folder, 'killed');
  const runner = await startRunner(60_000, 'wait', box, mark);
  assert.equal(isAlive(box), true);
  runner.kill('SIGKILL');
  await goneAfter(box, SLACK_MS);
  await waitFor(() => existsSync(mark), SLACK_MS);
});

test('the deadline is told once, a box that appears later is killed on sight, and the record names all', async () => {
  let told = 0;
  const watchdog = await Watchdog.start(new Deadline(100), { ...QUIET, onDeadline: () => (told += 1) });
  const before = await sleeper();
  watchdog.register('before', before.recipe);
  await goneAfter(before, 100 + SLACK_MS);
  const late = await sleeper();
  watchdog.register('late', late.recipe);
  await goneAfter(late, SLACK_MS);
  const record = await watchdog.finish();
  assert.equal(told, 1);
  assert.equal(record?.limitMs, 100);
  assert.deepEqual(record?.kills.map(({ boxName, result }) => `${boxName} ${result}`).sort(), [
    'before killed',
    'late killed',
  ]);
});

test('an unregistered box is left alone, and the end of the run removes what is still registered', async () => {
  const mark = join(folder, 'finished');
  const closed = await sleeper();
  const open = await sleeper([['/bin/touch', mark]]);
  const watchdog = await Watchdog.start(new Deadline(60_000), QUIET);
  watchdog.register('closed', closed.recipe);
  watchdog.register('open', open.recipe);
  watchdog.unregister('closed');
  const record = await watchdog.finish();
  await goneAfter(open, SLACK_MS);
  assert.equal(isAlive(closed), true);
  assert.equal(existsSync(mark), true);
  assert.equal(record?.firedAtMs, null);
});

test('a process that only reuses the pid of a box is not killed', async () => {
  const other = await sleeper();
  const watchdog = await Watchdog.start(new Deadline(60_000), QUIET);
  watchdog.register('reused', { ...other.recipe, startTime: '1' });
  const record = await watchdog.finish();
  assert.equal(isAlive(other), true);
  assert.deepEqual(
    record?.kills.map(({ result }) => result),
    ['already-gone'],
  );
});

test('an engine that never answers a kill does not keep other boxes alive past the deadline', async () => {
  const socket = join(folder, 'deaf.sock');
  const deaf = await listen(socket, () => null);
  const watchdog = await Watchdog.start(new Deadline(300), QUIET);
  const box = await sleeper();
  watchdog.register('deaf', {
    kind: 'docker',
    host: `unix://${socket}`,
    certificates: null,
    containerId: 'a',
  });
  watchdog.register('box', box.recipe);
  await goneAfter(box, 300 + SLACK_MS);
  deaf.closeAllConnections();
  deaf.close();
  const record = await watchdog.finish();
  assert.equal(record?.kills.find(({ boxName }) => boxName === 'deaf')?.result, 'failed');
});

test('a container is killed and deleted with its volumes by plain requests', async () => {
  const requests: string[] = [];
  const socket = join(folder, 'engine.sock');
  const engine = await listen(socket, (request) => {
    requests.push(request);
    return 204;
  });
  const watchdog = await Watchdog.start(new Deadline(60_000), QUIET);
  watchdog.register('c', {
    kind: 'docker',
    host: `unix://${socket}`,
    certificates: null,
    containerId: 'abc',
  });
  await watchdog.finish();
  engine.close();
  assert.deepEqual(requests, ['POST /containers/abc/kill', 'DELETE /containers/abc?force=1&v=1']);
});

test('a watchdog that is killed is a fault of the run, with its own code', async () => {
  const lost = new Promise<RunError>((resolve) => {
    void Watchdog.start(new Deadline(60_000), { ...QUIET, onLost: resolve }).then((watchdog) =>
      process.kill(watchdog.pid, 'SIGKILL'),
    );
  });
  const fault = await lost;
  assert.ok(fault instanceof RunError);
  assert.equal(fault.code, 'WATCHDOG_LOST');
  assert.equal(fault.where, 'watchdog');
});

/** A server that answers every request with a status, or never when it is null. */
async function listen(socket: string, answer: (request: string) => number | null): Promise<Server> {
  const server = createServer((request, response) => {
    const status = answer(`${request.method} ${request.url}`);
    if (status !== null) response.writeHead(status).end();
  });
  server.listen(socket);
  await once(server, 'listening');
  return server;
}
