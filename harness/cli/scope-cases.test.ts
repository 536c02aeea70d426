import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { toCanonicalBytes } from '../document/canonical.ts';
import { parseCompiledSuiteBytes } from '../suite/parse/parse-suite.ts';
import { Installation, runLocally } from './testing/scope-cases/local-run.ts';
import { buildScopeSuite } from './testing/scope-cases/suite.ts';

const suite = buildScopeSuite();
const product = new Installation();
after(() => product.remove());

describe('the cases of packproof scope, outside of a box', () => {
  it('are a suite that run and verify accept', () => {
    assert.deepEqual(parseCompiledSuiteBytes(toCanonicalBytes(suite)), suite);
  });

  it('are at least sixty, with unique ids', () => {
    assert.ok(suite.cases.length >= 60, String(suite.cases.length));
    assert.equal(new Set(suite.cases.map(({ id }) => id)).size, suite.cases.length);
  });

  for (const compiled of suite.cases) {
    it(`${compiled.id}: ${compiled.why}`, () => {
      const { checks, outcome } = runLocally(compiled, product);
      assert.deepEqual(
        checks.filter(({ result }) => result !== 'pass').map(({ id, message }) => `${id}: ${message}`),
        [],
      );
      assert.equal(outcome, 'pass');
    });
  }
});
