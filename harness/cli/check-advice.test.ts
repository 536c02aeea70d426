import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expectation } from '../suite/compiled.ts';
import { compiledCheck } from '../suite/testing/observations.ts';
import { adviceOfCheck } from './check-advice.ts';

const OF = { caseId: null, step: 'run', stream: 'stdout' } as const;
const EXACT: Expectation = { kind: 'stream-equals', of: OF, contentBase64: '' };

function advice(expect: Expectation, own = ''): string {
  return adviceOfCheck({ ...compiledCheck(expect), advice: own });
}

test('what is stated exactly may be updated, all else is changed by hand', () => {
  assert.match(advice(EXACT), /--update/);
  assert.match(advice({ kind: 'stream-utf8', of: OF }), /^change the program, or the suite[^-]*$/);
});

test('of what holds by default it is not said that --update follows', () => {
  const check = { ...compiledCheck(EXACT), advice: '', why: 'run exits with 0 (default)' };
  assert.match(adviceOfCheck(check), /instead of the default$/);
});

test('a leaked canary is never said to be wanted', () => {
  assert.doesNotMatch(advice({ kind: 'no-canaries', texts: ['secret'] }), /wanted|--update/);
});

test("an author's own advice comes first", () => {
  assert.equal(advice(EXACT, 'call us'), 'call us');
});
