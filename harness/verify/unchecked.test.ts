import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uncheckedCases } from './unchecked.ts';

test('a run of some cases is told from a run of all', () => {
  assert.deepEqual(uncheckedCases({ pass: 3, fail: 1, unrun: 0 }), []);
  assert.deepEqual(uncheckedCases({ pass: 1, fail: 0, unrun: 16, excluded: 1 }), [
    '17 of 18 cases, which did not run: 16 unrun, 1 excluded',
  ]);
  assert.deepEqual(uncheckedCases({}), []);
});
