import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessEnd } from '../engine/engine.ts';
import { Ending, toKilledBy, toTermination } from './ending.ts';

const exited = (code: number): ProcessEnd => ({ kind: 'exited', code });
const signaled = (signal: string): ProcessEnd => ({ kind: 'signaled', signal });
const lost: ProcessEnd = { kind: 'box-lost', reason: 'stream ended' };

test('the first reason for an end wins and later ones change nothing', async () => {
  const ending = new Ending();
  ending.stopWith({ kind: 'output-limit', stream: 'stdout' });
  ending.stopWith({ kind: 'timed-out', limitMs: 5 });
  ending.endedByItself();
  await ending.reached;
  assert.deepEqual(ending.stop, { kind: 'output-limit', stream: 'stdout' });
});

test('a process that ended by itself was not stopped, whatever comes after', async () => {
  const ending = new Ending();
  ending.endedByItself();
  ending.stopWith({ kind: 'budget' });
  await ending.reached;
  assert.equal(ending.stop, null);
});

test('exit code 137 is an exit and nobody killed it, even when the memory cgroup killed another process', () => {
  assert.deepEqual(toTermination(null, exited(137)), { kind: 'exited', code: 137 });
  assert.equal(toKilledBy({ stop: null, end: exited(137), sent: [], oomKilled: true }), null);
});

test('a signal that we sent is ours, another one the candidate own', () => {
  assert.equal(
    toKilledBy({ stop: null, end: signaled('SIGTERM'), sent: ['SIGTERM'], oomKilled: false }),
    'packproof',
  );
  assert.equal(
    toKilledBy({ stop: null, end: signaled('SIGSEGV'), sent: ['SIGTERM'], oomKilled: false }),
    'candidate',
  );
});

test('a SIGKILL that we did not send is the memory cgroup only when that counted a kill', () => {
  assert.equal(toKilledBy({ stop: null, end: signaled('SIGKILL'), sent: [], oomKilled: false }), 'candidate');
  assert.equal(toKilledBy({ stop: null, end: signaled('SIGKILL'), sent: [], oomKilled: true }), 'oom');
  assert.equal(toKilledBy({ stop: null, end: signaled('SIGSEGV'), sent: [], oomKilled: true }), 'candidate');
});

test('a stop by us is the termination, whatever the kill did to the process', () => {
  const stop = { kind: 'timed-out', limitMs: 1000 } as const;
  assert.deepEqual(toTermination(stop, signaled('SIGKILL')), stop);
  assert.equal(toKilledBy({ stop, end: signaled('SIGKILL'), sent: [], oomKilled: true }), 'packproof');
});

test('a lost box is a SIGKILL by the engine, or by the memory cgroup when it counted one', () => {
  assert.deepEqual(toTermination(null, lost), { kind: 'signaled', signal: 'SIGKILL' });
  assert.equal(toKilledBy({ stop: null, end: lost, sent: [], oomKilled: false }), 'engine');
  assert.equal(toKilledBy({ stop: null, end: lost, sent: [], oomKilled: true }), 'oom');
});

test('a program that could not be started keeps its errno and was killed by nobody', () => {
  const end: ProcessEnd = { kind: 'not-started', errno: 'EACCES' };
  assert.deepEqual(toTermination(null, end), end);
  assert.equal(toKilledBy({ stop: null, end, sent: [], oomKilled: false }), null);
});
