import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOptionalGap, listOptionalGaps } from './optional-gaps.ts';
import type { Registry } from './registry.ts';

const lock = Buffer.from(
  JSON.stringify({
    packages: {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': { optionalDependencies: { native: '2.0.0', nested: '1.0.0', '@s/top': '^1.0.0' } },
      'node_modules/a/node_modules/nested': {},
      'node_modules/@s/top': { optionalDependencies: { nested: '1.0.0' } },
    },
  }),
);
const registryOf = (...versions: readonly string[]): Registry => ({
  packument: async () => ({ distTags: {}, versions: new Map(versions.map((version) => [version, {}])) }),
  tarball: () => Promise.reject(new Error('not asked')),
});

test('optional dependencies that no folder holds are listed', () => {
  assert.deepEqual(
    listOptionalGaps(lock).map(({ path, name }) => `${path} ${name}`),
    ['node_modules/a native', 'node_modules/@s/top nested'],
  );
});

test('a gap that the registry could fill is found, one that nobody can fill is not', async () => {
  assert.deepEqual(await findOptionalGap(lock, registryOf('2.0.0')), {
    path: 'node_modules/a',
    name: 'native',
    range: '2.0.0',
  });
  assert.equal(await findOptionalGap(lock, registryOf('3.0.0')), null);
});
