import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { expectedTree, type PackageInput, type TreeEntry } from './expected-tree.ts';
import { matchTree } from './match-tree.ts';
import { readArchive } from './npm-archive.ts';
import { type MadeEntry, makePackage } from './testing/archive-maker.ts';
import { pin, withScratch } from './testing/scratch.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function inputOf(
  path: string,
  manifest: { readonly bin?: Readonly<Record<string, string>> },
  entries: readonly MadeEntry[],
): Promise<PackageInput> {
  return withScratch(async (folder) => {
    const archive = await readArchive(await pin(folder, 'a.tgz', makePackage(manifest, entries)), path);
    return { path, archive, bins: new Map(Object.entries(manifest.bin ?? {})) };
  });
}

const pathsOf = (entries: ReadonlyMap<string, TreeEntry>): readonly string[] =>
  [...entries.values()].map((entry) =>
    entry.kind === 'file' ? `${entry.mode} ${entry.path}` : `${entry.path} -> ${entry.target}`,
  );

describe('expectedTree', () => {
  it('takes an ordinary package as it is', async () => {
    const { entries, transforms } = expectedTree([
      await inputOf('node_modules/a', {}, [{ path: 'lib/x.js' }]),
    ]);
    assert.deepEqual(pathsOf(entries), ['0644 node_modules/a/package.json', '0644 node_modules/a/lib/x.js']);
    assert.deepEqual(transforms, []);
  });

  it('names every change of the closed list', async () => {
    const input = await inputOf('node_modules/@s/a', { bin: { a: 'cli.js', gone: 'missing.js' } }, [
      { path: 'cli.js', content: '#!/usr/bin/env node\r\nx', mode: 0o600 },
      { path: 'l', type: 'SymbolicLink', target: '/etc/passwd' },
      { path: '.gitignore', content: 'g' },
      { path: 'sub/.npmignore', content: 'n' },
      { path: 'sub/.gitignore', content: 'dropped' },
    ]);
    const { entries, transforms } = expectedTree([input]);
    const root = 'node_modules/@s/a';
    assert.deepEqual(transforms, [
      { kind: 'mode-mask', path: `${root}/cli.js`, before: '0600', after: '0644' },
      { kind: 'link-dropped', path: `${root}/l`, before: '/etc/passwd', after: null },
      {
        kind: 'renamed',
        path: `${root}/.gitignore`,
        before: `${root}/.gitignore`,
        after: `${root}/.npmignore`,
      },
      { kind: 'renamed', path: `${root}/sub/.gitignore`, before: `${root}/sub/.gitignore`, after: null },
      { kind: 'bin-mode', path: `${root}/cli.js`, before: '0644', after: '0755' },
      { kind: 'bin-link', path: 'node_modules/.bin/a', before: null, after: '../@s/a/cli.js' },
      {
        kind: 'crlf-shebang',
        path: `${root}/cli.js`,
        before: sha256('#!/usr/bin/env node\r\nx'),
        after: sha256('#!/usr/bin/env node\nx'),
      },
    ]);
    assert.deepEqual(pathsOf(entries), [
      `0644 ${root}/package.json`,
      `0755 ${root}/cli.js`,
      `0644 ${root}/.npmignore`,
      `0644 ${root}/sub/.npmignore`,
      'node_modules/.bin/a -> ../@s/a/cli.js',
    ]);
  });

  it('gives a contested bin to the first package, and rewrites only what is linked', async () => {
    const cli = { path: 'c.js', content: '#!/bin/sh\r\n' };
    const b = await inputOf('node_modules/b', { bin: { same: 'c.js' } }, [cli]);
    const a = await inputOf('node_modules/a', { bin: { same: 'c.js' } }, [cli]);
    const { entries } = expectedTree([b, a]);
    assert.deepEqual(entries.get('node_modules/.bin/same'), {
      kind: 'symlink',
      path: 'node_modules/.bin/same',
      target: '../a/c.js',
    });
    const digests = ['a', 'b'].map((name) => {
      const entry = entries.get(`node_modules/${name}/c.js`);
      return entry?.kind === 'file' ? entry.sha256 : null;
    });
    assert.deepEqual(digests, [sha256('#!/bin/sh\n'), sha256('#!/bin/sh\r\n')]);
  });

  it('lets a package claim a bin by the lock alone, so that one archive says what became of its own', async () => {
    const own = await inputOf('node_modules/b', { bin: { same: 'c.js', mine: 'c.js' } }, [{ path: 'c.js' }]);
    const other: PackageInput = { path: 'node_modules/a', archive: null, bins: new Map([['same', 'x.js']]) };
    const links = [...expectedTree([own, other]).entries.values()].filter(({ kind }) => kind === 'symlink');
    assert.deepEqual(
      links.map(({ path }) => path),
      ['node_modules/.bin/mine'],
    );
  });

  it('does not unpack what climbs', async () => {
    const input = await inputOf('node_modules/a', {}, [{ path: '../../x' }, { path: './y' }]);
    assert.deepEqual(pathsOf(expectedTree([input]).entries), [
      '0644 node_modules/a/package.json',
      '0644 node_modules/a/y',
    ]);
  });
});

describe('matchTree', () => {
  const file = (path: string, mode = '0644', digest = 'aa'): TreeEntry => ({
    kind: 'file',
    path,
    mode,
    sizeBytes: 1,
    sha256: digest,
  });
  const link = (path: string, target: string): TreeEntry => ({ kind: 'symlink', path, target });
  const tree = (...entries: readonly TreeEntry[]): ReadonlyMap<string, TreeEntry> =>
    new Map(entries.map((entry) => [entry.path, entry]));
  const good = tree(file('a'), link('b', 'a'));

  it('finds nothing in the same tree', () => {
    assert.deepEqual(matchTree(good, tree(link('b', 'a'), file('a'))), []);
  });

  for (const [why, actual, differences] of [
    ['a missing file', tree(link('b', 'a')), [{ path: 'a', expected: 'file 0644 1 aa', actual: null }]],
    [
      'an extra file',
      tree(file('a'), link('b', 'a'), file('c')),
      [{ path: 'c', expected: null, actual: 'file 0644 1 aa' }],
    ],
    [
      'another mode',
      tree(file('a', '0755'), link('b', 'a')),
      [{ path: 'a', expected: 'file 0644 1 aa', actual: 'file 0755 1 aa' }],
    ],
    [
      'other bytes',
      tree(file('a', '0644', 'ab'), link('b', 'a')),
      [{ path: 'a', expected: 'file 0644 1 aa', actual: 'file 0644 1 ab' }],
    ],
    [
      'another target',
      tree(file('a'), link('b', '/etc')),
      [{ path: 'b', expected: 'symlink a', actual: 'symlink /etc' }],
    ],
    [
      'a link for a file',
      tree(link('a', 'b'), link('b', 'a')),
      [{ path: 'a', expected: 'file 0644 1 aa', actual: 'symlink b' }],
    ],
  ] as const) {
    it(`reports ${why}`, () => {
      assert.deepEqual(matchTree(good, actual), differences);
    });
  }
});
