import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditCandidate } from '../audit.ts';
import { buildGoodPackage, GOOD_MANIFEST } from '../testing/package-builder.ts';
import type { ManifestFacts } from './facts.ts';
import { classifyName } from './package-name.ts';

function readFacts(
  fields: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): ManifestFacts {
  const { manifest } = auditCandidate(buildGoodPackage({ manifest: { ...GOOD_MANIFEST, ...fields }, files }));
  assert.notEqual(manifest, null);
  if (manifest === null) throw new TypeError('no facts');
  return manifest;
}

describe('the facts of package.json', () => {
  const bins: readonly (readonly [
    string,
    Readonly<Record<string, unknown>>,
    readonly (readonly string[])[],
  ])[] = [
    ['text', { bin: './cli.js' }, [['good-cli', 'cli.js', 'bin']]],
    ['text with a scope', { name: '@a/tool', bin: 'cli.js' }, [['tool', 'cli.js', 'bin']]],
    [
      'an object',
      { bin: { b: './x//y/../cli.js', a: 'x\\a.js' } },
      [
        ['b', 'x/cli.js', 'bin'],
        ['a', 'x/a.js', 'bin'],
      ],
    ],
    ['an object with a scoped key', { bin: { '@a/tool': 'cli.js' } }, [['tool', 'cli.js', 'bin']]],
    ['a list', { bin: ['x/cli.js'] }, [['cli.js', 'x/cli.js', 'bin']]],
    [
      'a folder',
      { bin: undefined, directories: { bin: './x/' } },
      [
        ['a.js', 'x/a.js', 'directories.bin'],
        ['cli.js', 'x/cli.js', 'directories.bin'],
      ],
    ],
    [
      'both, of which the folder is ignored',
      { bin: 'cli.js', directories: { bin: 'x' } },
      [['good-cli', 'cli.js', 'bin']],
    ],
    ['a name that escapes', { bin: { '../a': 'cli.js' } }, []],
    ['a path that escapes', { bin: { a: '../cli.js' } }, []],
    ['no name', { name: undefined, bin: 'cli.js' }, []],
  ];
  for (const [title, fields, expected] of bins) {
    it(`give the commands of ${title} as npm links them`, () => {
      const facts = readFacts(fields, {
        'x/cli.js': '#!/usr/bin/env node\n',
        'x/a.js': '#!/usr/bin/env node\n',
      });
      assert.deepEqual(
        facts.bins.map(({ name, path, declaredBy }) => [name, path, declaredBy]),
        expected,
      );
    });
  }

  it('keep commands whose file is missing, because they are declared', () => {
    assert.deepEqual(readFacts({ bin: 'gone.js' }).bins, [
      { name: 'good-cli', path: 'gone.js', declaredBy: 'bin' },
    ]);
  });

  it('let the optional list win over the plain one', () => {
    const facts = readFacts({
      dependencies: { a: '^1.0.0', b: '^2.0.0' },
      optionalDependencies: { b: '^2.1.0' },
      peerDependencies: { c: '>=3', d: '*' },
      peerDependenciesMeta: { d: { optional: true } },
      bundledDependencies: ['a'],
    });
    assert.deepEqual(facts.dependencies, [{ name: 'a', spec: '^1.0.0' }]);
    assert.deepEqual(facts.optionalDependencies, [{ name: 'b', spec: '^2.1.0' }]);
    assert.deepEqual(facts.peerDependencies, [
      { name: 'c', spec: '>=3', optional: false },
      { name: 'd', spec: '*', optional: true },
    ]);
    assert.deepEqual(facts.bundledDependencies, ['a']);
  });

  it('list install scripts in the order npm runs them, and the implicit build', () => {
    const own = readFacts(
      { scripts: { postinstall: 'c', preinstall: 'a', prepare: 'x' } },
      { 'binding.gyp': '{}' },
    );
    assert.deepEqual(own.installScripts, [
      { name: 'preinstall', command: 'a', implicit: false },
      { name: 'postinstall', command: 'c', implicit: false },
    ]);
    assert.deepEqual(readFacts({}, { 'binding.gyp': '{}' }).installScripts, [
      { name: 'install', command: 'node-gyp rebuild', implicit: true },
    ]);
  });

  it('give exports, engines and platform as written', () => {
    const facts = readFacts({
      exports: { '.': { import: './lib.js', default: ['./lib.js', './cli.js'] }, './x': null },
      engines: { node: '>=20', npm: '>=9' },
      os: 'linux',
      cpu: ['x64', '!arm'],
      type: 'commonjs',
    });
    assert.deepEqual(facts.exports, [
      { subpath: '.', targets: ['./lib.js', './lib.js', './cli.js'] },
      { subpath: './x', targets: [] },
    ]);
    assert.deepEqual(
      [facts.engines, facts.os, facts.cpu, facts.libc, facts.type],
      [{ node: '>=20', npm: '>=9' }, ['linux'], ['x64', '!arm'], [], 'commonjs'],
    );
  });

  it('are missing when package.json cannot be read', () => {
    assert.equal(auditCandidate(buildGoodPackage({ manifest: '{' })).manifest, null);
    assert.equal(auditCandidate(buildGoodPackage({ manifest: null })).manifest, null);
  });
});

describe('a package name', () => {
  const names: readonly (readonly [string, string])[] = [
    ['a', 'valid'],
    ['@a/b.c-d_e', 'valid'],
    ['a'.repeat(214), 'valid'],
    ['a'.repeat(215), 'legacy'],
    ['JSONStream', 'legacy'],
    ["it's", 'legacy'],
    ['.a', 'invalid'],
    ['_a', 'invalid'],
    ['-a', 'invalid'],
    ['@a/.b', 'invalid'],
    ['@../b', 'invalid'],
    ['a/b', 'invalid'],
    ['a\\b', 'invalid'],
    ['a%2fb', 'invalid'],
    ['é', 'invalid'],
    ['Node_Modules', 'invalid'],
    ['', 'invalid'],
  ];
  for (const [name, expected] of names) {
    it(`${JSON.stringify(name.slice(0, 20))} is ${expected}`, () =>
      assert.equal(classifyName(name), expected));
  }
});
