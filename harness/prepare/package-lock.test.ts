import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashArchive, type Integrity } from './integrity.ts';
import { parsePackageLock } from './package-lock.ts';
import { faultOf } from './testing/folder.ts';

const registryUrl = 'http://127.0.0.1:1/secret/';
const platform = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const stub = hashArchive(Buffer.from('stub')).integrity;
const real = hashArchive(Buffer.from('real')).integrity;
const dependency = hashArchive(Buffer.from('dependency')).integrity;
const local: ReadonlyMap<string, Integrity> = new Map([['a@1.0.0', real]]);

const root = { name: 'packproof-context', version: '0.0.0', dependencies: { a: '1.0.0' } };

function lockOf(packages: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(
    JSON.stringify({ name: 'x', lockfileVersion: 3, requires: true, packages: { '': root, ...packages } }),
  );
}

const good = {
  'node_modules/a': { version: '1.0.0', integrity: stub, resolved: 'http://127.0.0.1:1/secret/a.tgz' },
  'node_modules/b': { version: '2.0.0', integrity: dependency, resolved: 'http://127.0.0.1:1/secret/b.tgz' },
  'node_modules/c': { version: '2.0.0', name: '@s/c', integrity: dependency, os: ['darwin'], optional: true },
  'node_modules/a/node_modules/d': { version: '3.0.0', inBundle: true },
};

test('a lock is read; local packages get their true digest; no address stays', () => {
  const tree = parsePackageLock(lockOf(good), { platform, local, registryUrl });
  const byPath = new Map(tree.entries.map((entry) => [entry.path, entry]));
  assert.equal(byPath.get('node_modules/a')?.integrity, real);
  assert.equal(byPath.get('node_modules/b')?.integrity, dependency);
  assert.equal(byPath.get('node_modules/c')?.name, '@s/c');
  assert.equal(byPath.get('node_modules/c')?.fitsPlatform, false);
  assert.equal(byPath.get('node_modules/a/node_modules/d')?.integrity, null);
  const text = tree.bytes.toString();
  assert.equal(text.includes('127.0.0.1') || text.includes('resolved') || text.includes(stub), false);
  assert.deepEqual(parsePackageLock(tree.bytes, { platform, local, registryUrl: null }), tree);
});

for (const [os, cpu, libc, fits] of [
  [['linux'], ['x64'], ['glibc'], true],
  [['!win32'], undefined, undefined, true],
  [['!linux'], undefined, undefined, false],
  [['any'], 'x64', 'glibc', true],
  [['linux'], ['arm64'], undefined, false],
  [['linux'], ['x64'], ['musl'], false],
] as const) {
  test(`os ${os}, cpu ${cpu}, libc ${libc} ${fits ? 'fit' : 'do not fit'} linux x64 glibc`, () => {
    const entry = { version: '1.0.0', integrity: dependency, os, cpu, libc };
    const tree = parsePackageLock(lockOf({ 'node_modules/e': entry }), {
      platform,
      local,
      registryUrl: null,
    });
    assert.equal(tree.entries[0]?.fitsPlatform, fits);
  });
}

const bad: readonly (readonly [string, string, string, Readonly<Record<string, unknown>>])[] = [
  ['has no integrity', 'TREE_UNPINNED', 'node_modules/e', { version: '1.0.0' }],
  ['is a link', 'DEPENDENCY_REFUSED', 'node_modules/e', { link: true, resolved: '../e' }],
  ['is from git', 'DEPENDENCY_REFUSED', 'node_modules/e', { version: '1.0.0', resolved: 'git+ssh://x' }],
  [
    'is a local file',
    'DEPENDENCY_REFUSED',
    'node_modules/e',
    { version: '1.0.0', resolved: 'file:../e.tgz' },
  ],
  [
    'is remote',
    'DEPENDENCY_REFUSED',
    'node_modules/e',
    { version: '1.0.0', integrity: dependency, resolved: 'https://example.invalid/e.tgz' },
  ],
  ['has no version', 'TREE_INVALID', 'node_modules/e', { integrity: dependency }],
  ['has a sha1', 'INTEGRITY_SHA1', 'node_modules/e', { version: '1.0.0', integrity: 'sha1-AAAA' }],
  ['climbs', 'TREE_INVALID', 'node_modules/../e', { version: '1.0.0', integrity: dependency }],
  ['lies elsewhere', 'TREE_INVALID', 'packages/e', { version: '1.0.0', integrity: dependency }],
  ['is hidden', 'TREE_INVALID', 'node_modules/.bin', { version: '1.0.0', integrity: dependency }],
];

for (const [what, code, path, entry] of bad) {
  test(`an entry that ${what} is refused with ${code}`, () => {
    const act = (): unknown =>
      parsePackageLock(lockOf({ ...good, [path]: entry }), { platform, local, registryUrl });
    assert.throws(act, faultOf(code, path));
  });
}

test('another document is refused', () => {
  const act = (): unknown =>
    parsePackageLock(Buffer.from('{"lockfileVersion":1}'), { platform, local, registryUrl });
  assert.throws(act, faultOf('TREE_INVALID', 'package-lock.json'));
});
