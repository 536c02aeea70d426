import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { EngineError } from '../errors.ts';
import { parseStatus } from './host-view.ts';
import { ProcessPin, parseProcessStat } from './process-pin.ts';

const REST = 'T 41 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 1';

test('a stat line is parsed past whatever a program calls itself', () => {
  for (const name of ['perl', 'a) R 1 (b', ') S 99 99', 'two\nlines']) {
    assert.deepEqual(parseProcessStat(`42 (${name}) ${REST}\n`), {
      state: 'T',
      parentPid: 41,
      startTime: '987654',
    });
  }
  assert.equal(parseProcessStat('42 (perl) R 1'), null);
});

test('a status file gives the named fields, absent ones empty', () => {
  const status = parseStatus('Name:\tUid:\nUid:\t1000\t1000\t1000\t1000\nGroups:\t \nSeccomp:\t2\n');
  assert.equal(status['Uid'], '1000 1000 1000 1000');
  assert.equal(status['Groups'], '');
  assert.equal(status['Seccomp'], '2');
  assert.equal(status['CapEff'], '');
  assert.equal(status['Name'], undefined);
});

test('a pin means its process and no later one', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const pin = ProcessPin.open(child.pid ?? 0);
  assert.equal(pin.isAlive(), true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(pin.isAlive(), false);
  pin.close();
  pin.close();
  assert.equal(pin.isAlive(), false);
  assert.throws(
    () => ProcessPin.open(child.pid ?? 0),
    (error: unknown) =>
      error instanceof EngineError &&
      error.code === 'EVIDENCE_UNREADABLE' &&
      error.where === `process ${child.pid}`,
  );
});
