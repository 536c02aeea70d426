import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packageName, parseLock, toInstallProject } from './lock-file.ts';
import { fault } from './testing/scratch.ts';

const INTEGRITY = 'sha512-AAAA';
const LOCK = {
  name: 'context',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': { dependencies: { '@s/cli': 'file:../cli.tgz' } },
    'node_modules/@s/cli': {
      version: '1.0.0',
      integrity: INTEGRITY,
      bin: { cli: './cli.js' },
      dependencies: { dep: '^2.0.0' },
    },
    'node_modules/@s/cli/node_modules/inner': { version: '3.0.0', inBundle: true },
    'node_modules/dep': { version: '2.1.0', integrity: INTEGRITY, resolved: 'file:elsewhere.tgz' },
    'node_modules/other-os': { version: '1.0.0', integrity: INTEGRITY, optional: true, os: ['darwin'] },
  },
};
const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('parseLock', () => {
  it('reads paths, versions, bins and what is bundled or optional', () => {
    const { packages } = parseLock(toBytes(LOCK));
    assert.deepEqual(
      packages.map(({ path, version, bundled, optional }) => [path, version, bundled, optional]),
      [
        ['node_modules/@s/cli', '1.0.0', false, false],
        ['node_modules/@s/cli/node_modules/inner', '3.0.0', true, false],
        ['node_modules/dep', '2.1.0', false, false],
        ['node_modules/other-os', '1.0.0', false, true],
      ],
    );
    assert.deepEqual([...(packages[0]?.bins ?? [])], [['cli', 'cli.js']]);
  });

  const withPackage = (path: string, entry: unknown): Buffer =>
    toBytes({ ...LOCK, packages: { ...LOCK.packages, [path]: entry } });
  for (const [why, bytes, where] of [
    ['no JSON', Buffer.from('{'), 'document'],
    ['a list', toBytes([]), 'document'],
    ['version 1', toBytes({ ...LOCK, lockfileVersion: 1 }), 'lockfileVersion'],
    ['no packages', toBytes({ lockfileVersion: 3 }), 'packages'],
    ['a workspace', withPackage('packages/a', { version: '1.0.0' }), 'packages/a'],
    [
      'a path that climbs',
      withPackage('node_modules/../x', { version: '1.0.0', integrity: INTEGRITY }),
      'node_modules/../x',
    ],
    [
      'a path with more parts than a name has',
      withPackage('node_modules/a/b', { version: '1.0.0', integrity: INTEGRITY }),
      'node_modules/a/b',
    ],
    ['a link', withPackage('node_modules/l', { link: true, resolved: 'x' }), 'node_modules/l'],
    ['no version', withPackage('node_modules/v', { integrity: INTEGRITY }), 'node_modules/v'],
    ['no integrity', withPackage('node_modules/i', { version: '1.0.0' }), 'node_modules/i'],
  ] as const) {
    it(`refuses ${why}`, () => {
      assert.throws(() => parseLock(bytes), fault('LOCK_MALFORMED', where));
    });
  }
});

describe('toInstallProject', () => {
  it('points entries at archives and pins the project to them', () => {
    const archives = new Map([
      ['node_modules/@s/cli', '/a/1.tgz'],
      ['node_modules/dep', '/a/2.tgz'],
    ]);
    const project = toInstallProject(parseLock(toBytes(LOCK)), (path) => archives.get(path) ?? null);
    assert.deepEqual(JSON.parse(project.packageJson.toString('utf8')), {
      name: 'packproof-install',
      version: '0.0.0',
      private: true,
      dependencies: { '@s/cli': '1.0.0' },
    });
    const { packages } = JSON.parse(project.packageLock.toString('utf8'));
    assert.deepEqual(packages[''], { dependencies: { '@s/cli': '1.0.0' } });
    assert.equal(packages['node_modules/@s/cli'].resolved, 'file:/a/1.tgz');
    assert.equal(packages['node_modules/dep'].resolved, 'file:/a/2.tgz');
    assert.equal('resolved' in packages['node_modules/other-os'], false);
    assert.deepEqual(packages['node_modules/dep'].integrity, INTEGRITY);
  });

  it('leaves out optional dependencies that no registry has, and keeps those that lie anywhere above', () => {
    const optionalDependencies = { 'other-os': '1.0.0', unpublished: '1.0.0' };
    const cli = { ...LOCK.packages['node_modules/@s/cli'], optionalDependencies };
    const lock = { ...LOCK, packages: { ...LOCK.packages, 'node_modules/@s/cli': cli } };
    const project = toInstallProject(parseLock(toBytes(lock)), () => null);
    const { packages } = JSON.parse(project.packageLock.toString('utf8'));
    assert.deepEqual(packages['node_modules/@s/cli'].optionalDependencies, { 'other-os': '1.0.0' });
  });

  it('refuses a project that depends on what the lock does not have', () => {
    const lock = { ...LOCK, packages: { ...LOCK.packages, '': { dependencies: { gone: '1.0.0' } } } };
    assert.throws(
      () => toInstallProject(parseLock(toBytes(lock)), () => null),
      fault('LOCK_MALFORMED', 'packages[""].dependencies.gone'),
    );
  });
});

describe('packageName', () => {
  it('takes the last one or two parts', () => {
    assert.equal(packageName('node_modules/a/node_modules/@s/b'), '@s/b');
    assert.equal(packageName('node_modules/a'), 'a');
  });
});
