import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckResult } from '../suite/compiled.ts';
import { combineAttempts, countOutcomes, toExitInputs } from './outcome.ts';
import type { CaseAttempt } from './result.ts';

function attempt(number: number, result: CheckResult, change: Partial<CaseAttempt> = {}): CaseAttempt {
  return {
    attempt: number,
    observation: null,
    spooled: [],
    kept: [],
    checks: [{ id: 'one', severity: 'gate', result, message: '' }],
    outcome: result === 'pass' ? 'pass' : 'fail',
    reason: null,
    detail: '',
    ...change,
  };
}

test('attempts that agree speak with one voice', () => {
  assert.equal(combineAttempts([attempt(1, 'pass'), attempt(2, 'pass')]).outcome, 'pass');
  assert.equal(combineAttempts([attempt(1, 'fail'), attempt(2, 'fail')]).outcome, 'fail');
});

test('attempts that differ in outcome are flaky, whichever came first', () => {
  for (const pair of [
    [attempt(1, 'pass'), attempt(2, 'fail')],
    [attempt(1, 'fail'), attempt(2, 'pass')],
  ]) {
    const combined = combineAttempts(pair);
    assert.equal(combined.outcome, 'flaky');
    assert.equal(combined.reason, 'attempts-differ');
  }
});

test('attempts of equal outcome whose checks differ are flaky too', () => {
  const warned = attempt(2, 'fail', { outcome: 'pass' });
  assert.equal(combineAttempts([attempt(1, 'pass'), warned]).outcome, 'flaky');
});

test('an attempt that was cut off or not seen decides, because nothing was then compared', () => {
  const cut = attempt(2, 'fail', { outcome: 'unrun', reason: 'budget', checks: [] });
  assert.deepEqual(combineAttempts([attempt(1, 'pass'), cut]), {
    outcome: 'unrun',
    reason: 'budget',
    detail: '',
    checks: [],
  });
});

test('no attempt at all is an error and never a pass', () => {
  assert.equal(combineAttempts([]).outcome, 'error');
});

test('counts name every outcome', () => {
  assert.deepEqual(countOutcomes([{ outcome: 'pass' }, { outcome: 'flaky' }, { outcome: 'pass' }]), {
    pass: 2,
    fail: 0,
    error: 0,
    unrun: 0,
    excluded: 0,
    unsupported: 0,
    flaky: 1,
  });
});

test('what an exit code is derived from: flaky is a failure, a selection is no exhausted budget', () => {
  const none = { failed: false, infrastructure: false, budgetExhausted: false, interrupted: false };
  assert.deepEqual(toExitInputs([{ outcome: 'flaky', reason: 'attempts-differ' }], false), {
    ...none,
    failed: true,
  });
  assert.deepEqual(toExitInputs([{ outcome: 'unrun', reason: 'selection' }], false), none);
  assert.deepEqual(toExitInputs([{ outcome: 'unrun', reason: 'budget' }], true), {
    ...none,
    budgetExhausted: true,
    interrupted: true,
  });
  assert.deepEqual(toExitInputs([{ outcome: 'error', reason: 'box-lost' }], false), {
    ...none,
    infrastructure: true,
  });
});
