import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCandidateFacts } from './candidate-facts.ts';

const NOTHING = { bins: [], files: [] };

test('facts are taken from a manifest', () => {
  const manifest = {
    name: 'x',
    version: '1.0.0',
    type: 'module',
    main: 'a.js',
    exports: { '.': './a.js' },
    dependencies: { a: '1' },
    optionalDependencies: { b: '1' },
    bundleDependencies: ['c'],
    peerDependencies: { d: '1', e: '1' },
    peerDependenciesMeta: { d: { optional: true }, e: { optional: false }, f: { optional: true } },
    keywords: ['k'],
    engines: { node: '>=20' },
  };
  const bins = [{ name: 'x', path: 'a.js' }];
  assert.deepEqual(toCandidateFacts(manifest, { bins, files: ['a.js'] }), {
    name: 'x',
    version: '1.0.0',
    bins,
    type: 'module',
    main: 'a.js',
    exports: { '.': './a.js' },
    files: ['a.js'],
    dependencies: ['a', 'b', 'c'],
    optionalPeers: ['d'],
    keywords: ['k'],
    enginesNode: '>=20',
  });
});

test('fields of a wrong type are as good as absent', () => {
  const wrong = {
    name: 1,
    version: null,
    type: 'x',
    main: [],
    dependencies: 'a',
    keywords: [1, 'k'],
    engines: [],
  };
  for (const manifest of [wrong, null, 'x', []]) {
    const facts = toCandidateFacts(manifest, NOTHING);
    assert.equal(facts.name, '');
    assert.equal(facts.type, 'commonjs');
    assert.equal(facts.main, null);
    assert.deepEqual(facts.dependencies, []);
    assert.equal(facts.enginesNode, null);
  }
});
