import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CompiledCheck, Expectation, Severity } from '../compiled.ts';
import type { Termination } from '../observation.ts';
import { bytesOf, compiledCase, compiledCheck, observe } from '../testing/observations.ts';
import { evaluateCase } from './evaluator.ts';

const TRUE: Expectation = { kind: 'all', of: [] };
const FALSE: Expectation = { kind: 'any', of: [] };
const UNKNOWN: Expectation = { kind: 'exit-lag', step: 'absent', maxMs: 1 };

function outcome(checks: readonly CompiledCheck[], termination: Termination = { kind: 'exited', code: 0 }) {
  const observed = observe({ steps: [{ termination }] });
  const { outcome, reason } = evaluateCase(compiledCase(checks), [observed.observation], bytesOf(observed));
  return { outcome, reason };
}

const check = (
  severity: Severity,
  expect: Expectation,
  precondition: Expectation | null = null,
): CompiledCheck => compiledCheck(expect, { severity, precondition });

describe('outcome of a case', () => {
  test('passes when gates pass', () => {
    assert.deepEqual(outcome([check('gate', TRUE)]), { outcome: 'pass', reason: null });
  });

  test('fails when a gate fails', () => {
    assert.deepEqual(outcome([check('gate', TRUE), check('gate', FALSE)]), { outcome: 'fail', reason: null });
  });

  test('passes when only lesser checks fail', () => {
    assert.deepEqual(outcome([check('warn', FALSE), check('info', FALSE)]), {
      outcome: 'pass',
      reason: null,
    });
  });

  test('is an error when a control does not show what it must, whatever the candidate did', () => {
    const observed = observe({ steps: [{ name: 'works' }, { name: 'run' }] });
    const control = { step: 'works', phase: 'positive', files: [], remove: [], restore: [] } as const;
    const ends = (step: string, code: number): Expectation => ({
      kind: 'termination',
      step,
      caseId: null,
      anyOf: [{ kind: 'exited', codes: [code] }],
    });
    const judged = (works: number, run: number): unknown => {
      const checks = [
        compiledCheck(ends('works', works), { id: 'works', severity: 'info' }),
        compiledCheck(ends('run', run), { id: 'run' }),
      ];
      const one = { ...compiledCase(checks, ['works', 'run']), controls: [control] };
      const {
        outcome,
        reason,
        checks: results,
      } = evaluateCase(one, [observed.observation], bytesOf(observed));
      return [outcome, reason, ...results.map(({ result }) => result)];
    };
    assert.deepEqual(judged(0, 0), ['pass', null, 'pass', 'pass']);
    assert.deepEqual(judged(0, 1), ['fail', null, 'pass', 'fail']);
    assert.deepEqual(judged(1, 0), ['error', 'control-failed', 'error', 'pass']);
    assert.deepEqual(judged(1, 1), ['error', 'control-failed', 'error', 'fail']);
  });

  test('is an error when a check cannot be judged, of whatever severity', () => {
    for (const severity of ['gate', 'warn', 'info'] as const) {
      assert.deepEqual(outcome([check('gate', TRUE), check(severity, UNKNOWN)]), {
        outcome: 'error',
        reason: 'check-not-judged',
      });
    }
  });

  test('fails rather than errs when a gate failed and another check cannot be judged', () => {
    assert.deepEqual(outcome([check('gate', UNKNOWN), check('gate', FALSE)]), {
      outcome: 'fail',
      reason: null,
    });
  });

  test('is no pass when nothing was exercised', () => {
    assert.deepEqual(outcome([check('gate', TRUE, FALSE), check('warn', TRUE, UNKNOWN)]), {
      outcome: 'unsupported',
      reason: 'no-check-exercised',
    });
  });

  test('is unrun when a step was cut off, even if checks fail', () => {
    for (const kind of ['budget', 'interrupted'] as const) {
      assert.deepEqual(outcome([check('gate', FALSE)], { kind }), { outcome: 'unrun', reason: kind });
    }
  });

  test('is an error when the case itself was not observed', () => {
    const result = evaluateCase(compiledCase([check('gate', UNKNOWN)]), [], () => null);
    assert.deepEqual(
      { outcome: result.outcome, reason: result.reason },
      { outcome: 'error', reason: 'not-observed' },
    );
    assert.equal(result.checks[0]?.result, 'error');
  });
});

describe('result of a check', () => {
  test('says each result with what was seen', () => {
    const observed = observe({ steps: [{ termination: { kind: 'exited', code: 3 } }] });
    const exits = (code: number): Expectation => ({
      kind: 'termination',
      step: 'step',
      caseId: null,
      anyOf: [{ kind: 'exited', codes: [code] }],
    });
    const compiled = compiledCase([
      compiledCheck(exits(3), { id: 'a' }),
      compiledCheck(exits(0), { id: 'b', severity: 'warn' }),
      compiledCheck(exits(0), { id: 'c', precondition: exits(0) }),
      compiledCheck(UNKNOWN, { id: 'd' }),
    ]);
    const { checks } = evaluateCase(compiled, [observed.observation], bytesOf(observed));
    assert.deepEqual(checks, [
      { id: 'a', severity: 'gate', result: 'pass', message: 'step exited with 3' },
      { id: 'b', severity: 'warn', result: 'fail', message: 'step exited with 3, expected exit code 0' },
      { id: 'c', severity: 'gate', result: 'not-exercised', message: 'step exited with 3' },
      { id: 'd', severity: 'gate', result: 'error', message: 'step absent was not observed' },
    ]);
  });
});
