import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaseRun, OutcomeReason } from '../run/result.ts';
import type { CaseOutcome, CheckResult, Severity } from '../suite/compiled.ts';
import { outcomeOf } from '../suite/evaluate/evaluator.ts';
import { exitOfRun, outcomeOfChecks } from '../verify/outcome.ts';
import { exitCodeOf, resultOf } from './outcome.ts';

/** Every kind of case that can stand in a run, as far as its exit code is concerned. */
const KINDS: readonly (readonly [CaseOutcome, OutcomeReason | null])[] = [
  ['pass', null],
  ['fail', null],
  ['flaky', 'attempts-differ'],
  ['error', 'box-lost'],
  ['unrun', 'budget'],
  ['unrun', 'interrupted'],
  ['unrun', 'selection'],
  ['unrun', 'audit'],
  ['unsupported', 'not-of-this-class'],
  ['excluded', null],
];
const SIGNALS = [null, 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function toRun([outcome, reason]: readonly [CaseOutcome, OutcomeReason | null]): CaseRun {
  const empty = { attempts: [], checks: [], detail: '', durationMs: 0 };
  return { suiteId: 's', caseId: 'c', node: '22.0.0', outcome, reason, ...empty };
}

/** All sets of kinds, the empty one included. */
function* subsets(): Generator<readonly CaseRun[]> {
  for (let bits = 0; bits < 2 ** KINDS.length; bits += 1) {
    yield KINDS.filter((_, index) => ((bits >> index) & 1) === 1).map(toRun);
  }
}

function exitOf(cases: readonly CaseRun[], rest: Partial<Parameters<typeof exitCodeOf>[0]> = {}): number {
  return exitCodeOf({ cases, openGates: 0, blocked: false, stale: false, interruptedBy: null, ...rest });
}

describe('the exit code of a run', () => {
  it('is what the verifier derives from the receipts, whatever has come together', () => {
    let compared = 0;
    for (const cases of subsets()) {
      const receipts = cases.map(({ outcome, reason }) => ({ outcome, reason }));
      for (const openGates of [0, 2]) {
        for (const blocked of [false, true]) {
          for (const interruptedBy of SIGNALS) {
            for (const stale of [false, true]) {
              const facts = { blocked, interruptedBy };
              const ours = exitCodeOf({ cases, openGates, stale, ...facts });
              const theirs = exitOfRun(receipts, { gateFindings: openGates, stale: Number(stale), ...facts });
              const told = JSON.stringify({ receipts, openGates, stale, ...facts });
              if (ours !== theirs) assert.fail(`${ours}, the verifier ${theirs}: ${told}`);
              compared += 1;
            }
          }
        }
      }
    }
    assert.equal(compared, 1024 * 2 * 2 * SIGNALS.length * 2);
  });

  it('is 0 only when something passed and nothing speaks against it', () => {
    for (const cases of subsets()) {
      const outcomes = new Set(cases.map(({ outcome, reason }) => `${outcome} ${reason}`));
      const bad = ['fail null', 'flaky attempts-differ', 'error box-lost', 'unrun budget'];
      const clean = outcomes.has('pass null') && !bad.some((kind) => outcomes.has(kind));
      assert.equal(exitOf(cases) === 0, clean, JSON.stringify([...outcomes]));
      assert.notEqual(exitOf(cases, { openGates: 1 }), 0);
      assert.notEqual(exitOf(cases, { blocked: true }), 0);
      assert.notEqual(exitOf(cases, { interruptedBy: 'SIGINT' }), 0);
    }
  });

  it('of each thing alone is the documented one', () => {
    const passed = toRun(['pass', null]);
    const table: readonly (readonly [readonly [CaseOutcome, OutcomeReason | null], number])[] = [
      [['fail', null], 1],
      [['flaky', 'attempts-differ'], 1],
      [['error', 'not-observed'], 3],
      [['unrun', 'budget'], 124],
      [['unrun', 'selection'], 0],
      [['unsupported', 'not-of-this-class'], 0],
      [['excluded', null], 0],
    ];
    for (const [kind, code] of table) assert.equal(exitOf([passed, toRun(kind)]), code, kind.join(' '));
    assert.equal(exitOf([passed], { openGates: 1 }), 1);
    assert.equal(exitOf([passed], { stale: true }), 1);
    assert.equal(exitOf([passed], { interruptedBy: 'SIGINT' }), 130);
    assert.equal(exitOf([passed], { interruptedBy: 'SIGTERM' }), 143);
    assert.equal(exitOf([passed], { interruptedBy: 'SIGHUP' }), 129);
    assert.equal(exitOf([]), 3);
    assert.equal(exitOf([], { blocked: true }), 1);
  });

  it('gives the word of the result', () => {
    assert.deepEqual([0, 1, 3, 4, 124, 130, 143].map(resultOf), [
      ...['passed', 'failed', 'error', 'error', 'error', 'error', 'error'],
    ]);
  });
});

describe('the outcome of a case', () => {
  it('is what the verifier derives from its checks, for every set of results', () => {
    const severities: readonly Severity[] = ['gate', 'warn', 'info'];
    const results: readonly CheckResult[] = ['pass', 'fail', 'not-exercised', 'error'];
    const kinds = severities.flatMap((severity) => results.map((result) => ({ severity, result })));
    for (let bits = 0; bits < 2 ** kinds.length; bits += 1) {
      const checks = kinds
        .filter((_, index) => ((bits >> index) & 1) === 1)
        .map((kind, index) => ({ id: `c${index}`, message: '', ...kind }));
      const ours = outcomeOf(checks).outcome;
      const theirs = outcomeOfChecks(checks);
      if (theirs !== ours) assert.fail(`${ours}, the verifier ${theirs}: ${JSON.stringify(checks)}`);
    }
  });
});
