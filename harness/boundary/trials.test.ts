import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Platform } from './boundary.ts';
import { defaultBoundary } from './default-boundary.ts';
import { refusedCalls } from './probe-calls.ts';
import { encodeOrders, toFactOrders, toProbeStep } from './probe-orders.ts';
import { conditionalCalls, readSeccompPolicy } from './seccomp-policy.ts';
import { toTrials } from './trials.ts';

const PLATFORMS: readonly Platform[] = ['linux/amd64', 'linux/arm64'];

test('every order has an id of its own, on both platforms', () => {
  for (const platform of PLATFORMS) {
    const boundary = defaultBoundary(platform, { exec: false });
    const ids = [...toFactOrders(boundary), ...toTrials(boundary)].map((order) => order.id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  }
});

test('a call that is allowed under conditions is tried where they do not hold', () => {
  for (const platform of PLATFORMS) {
    const conditional = new Set(conditionalCalls(readSeccompPolicy(), platform).map((call) => call.syscall));
    const tried = new Set(refusedCalls(platform).map((call) => call.syscall));
    // These have trials of their own kind: families, pairs and namespace flags.
    const apart = ['socket', 'socketpair', 'clone'];
    assert.deepEqual(
      [...conditional].filter((name) => !tried.has(name)),
      platform === 'linux/amd64' ? ['clone', 'socket', 'socketpair'].sort() : apart.sort(),
    );
  }
});

test('every mount, masked and read-only path of a boundary has its trials', () => {
  const extra = { path: '/data', sizeBytes: 4096, inodes: 2, uid: 1000, gid: 1000, mode: '0700', exec: true };
  const boundary = defaultBoundary('linux/amd64', { exec: false, extra: [extra] });
  const trials = new Map(toTrials(boundary).map((trial) => [trial.id, trial]));
  for (const { path, exec } of boundary.mounts) {
    assert.deepEqual(trials.get(`exec.${path}`)?.accepts, [exec ? 'allowed' : 'refused EACCES']);
    assert.deepEqual(trials.get(`fill.${path}`)?.accepts, ['refused ENOSPC']);
  }
  for (const path of boundary.maskedPaths) assert.equal(trials.get(`read.${path}`)?.field, 'maskedPaths');
  for (const path of boundary.readonlyPaths)
    assert.equal(trials.get(`chmod.${path}`)?.field, 'readonlyPaths');
  assert.deepEqual(trials.get('tasks')?.accepts, ['counted 256 EAGAIN']);
});

test('foreign calls are tried where an architecture has any', () => {
  const foreign = (platform: Platform) =>
    toTrials(defaultBoundary(platform, { exec: false }))
      .map((trial) => trial.id)
      .filter((id) => id.startsWith('foreign.'));
  assert.deepEqual(foreign('linux/amd64'), ['foreign.x32', 'foreign.i386']);
  assert.deepEqual(foreign('linux/arm64'), []);
});

test('orders are lines of fields, the architecture first, with what would break a line escaped', () => {
  const bytes = encodeOrders('linux/arm64', [{ id: 'a', operation: 'call', arguments: ['1%', 's\t\n'] }]);
  assert.equal(bytes.toString(), 'architecture\taarch64\na\tcall\t1%25\ts%09%0a\n');
});

test('the probe is started with nothing inherited, its orders on stdin', () => {
  const step = toProbeStep(defaultBoundary('linux/amd64', { exec: false }));
  assert.deepEqual(step.argv, ['/.packproof/perl', '/.packproof/probe.pl']);
  assert.deepEqual(Object.keys(step.env), ['LC_ALL', 'PATH', 'TZ']);
  assert.match(step.stdin.toString(), /^architecture\tx86_64\ndescriptors\tdescriptors\n/);
});
