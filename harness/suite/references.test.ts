import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepObservation, Termination } from './observation.ts';
import { standingOf } from './references.ts';

const standing = (
  termination: Termination,
  totalBytes = 0,
  killedBy: StepObservation['killedBy'] = null,
): string => standingOf({ termination, killedBy, stdout: { totalBytes } });

test('a reference is excluded when it never started, and observed whatever else it did', () => {
  assert.equal(standing({ kind: 'not-started', errno: 'ENOEXEC' }), 'excluded');
  assert.equal(standing({ kind: 'exited', code: 126 }), 'excluded');
  assert.equal(standing({ kind: 'exited', code: 127 }), 'excluded');
  assert.equal(standing({ kind: 'signaled', signal: 'SIGSEGV' }, 0, 'candidate'), 'excluded');
  // A byte on stdout shows that it ran; other codes and a signal of ours are no failure to start.
  assert.equal(standing({ kind: 'exited', code: 127 }, 1), 'observed');
  assert.equal(standing({ kind: 'signaled', signal: 'SIGSEGV' }, 1, 'candidate'), 'observed');
  assert.equal(standing({ kind: 'signaled', signal: 'SIGKILL' }), 'observed');
  for (const code of [0, 1, 2, 125, 128]) assert.equal(standing({ kind: 'exited', code }), 'observed');
});
