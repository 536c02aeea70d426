import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sha512Integrity } from '../document/digest.ts';
import { expectedTree, type PackageInput } from './expected-tree.ts';
import { type Lock, parseLock, toInstallProject } from './lock-file.ts';
import { matchTree } from './match-tree.ts';
import { readArchive } from './npm-archive.ts';
import { type MadeEntry, makePackage } from './testing/archive-maker.ts';
import { readFolderTree } from './testing/folder-tree.ts';
import { pin, withScratch } from './testing/scratch.ts';

/** A package of a made lock; without `archive` it lies in its parent's. */
interface MadePackage {
  readonly path: string;
  readonly lock?: Readonly<Record<string, unknown>>;
  readonly archive?: { readonly manifest: object; readonly entries: readonly MadeEntry[] };
}

const CRLF = '#!/usr/bin/env node\r\nconsole.log(1)\r\n';

const AAA = { manifest: { name: 'aaa', version: '1.0.0' }, entries: [{ path: 'a.js', content: 'a' }] };
const AAA_INTEGRITY = sha512Integrity(makePackage(AAA.manifest, AAA.entries));

const STRANGE: readonly MadeEntry[] = [
  { path: 'cli.js', content: CRLF, mode: 0o644 },
  { path: 'locked.js', content: '#!/usr/bin/env node\n', mode: 0o400 },
  { path: 'latin1.js', content: Buffer.from('#!/usr/bin/env node\r\n\xe9', 'latin1') },
  { path: 'wide.js', content: 'w', mode: 0o777 },
  { path: 'others.js', content: 'o', mode: 0o611 },
  { path: 'none.js', content: 'n', mode: 0 },
  { path: 'empty/', type: 'Directory', mode: 0o755 },
  { path: 'soft', type: 'SymbolicLink', target: 'cli.js' },
  { path: 'hard', type: 'Link', target: 'package/cli.js' },
  { path: '.gitignore', content: 'first' },
  { path: '.npmignore', content: 'second' },
  { path: 'late/.npmignore', content: 'first' },
  { path: 'late/.gitignore', content: 'second' },
  { path: 'only/.gitignore', content: 'only' },
  { path: 'folder/inner.js', content: CRLF },
];

const MADE: readonly MadePackage[] = [
  {
    path: 'node_modules/@made/strange',
    lock: {
      bin: { cli: 'cli.js', locked: 'locked.js', latin1: 'latin1.js', gone: 'gone.js', folder: 'folder' },
      dependencies: { aaa: '1.0.0', zzz: '1.0.0', folders: '1.0.0' },
      bundleDependencies: ['bundled'],
    },
    archive: {
      manifest: {
        name: '@made/strange',
        version: '1.0.0',
        bin: { cli: './cli.js', locked: 'locked.js', latin1: 'latin1.js', gone: 'gone.js', folder: 'folder' },
        dependencies: { aaa: '1.0.0', zzz: '1.0.0', folders: '1.0.0', bundled: '1.0.0' },
        bundleDependencies: ['bundled'],
      },
      entries: [
        ...STRANGE,
        {
          path: 'node_modules/bundled/package.json',
          content: '{"name":"bundled","version":"1.0.0","bin":"b.js"}',
        },
        { path: 'node_modules/bundled/b.js', content: CRLF },
        { path: 'node_modules/bundled/.gitignore', content: 'x' },
      ],
    },
  },
  {
    path: 'node_modules/@made/strange/node_modules/bundled',
    lock: { inBundle: true, bin: { bundled: 'b.js' } },
  },
  ...['zzz', 'aaa'].map(
    (name): MadePackage => ({
      path: `node_modules/${name}`,
      lock: { bin: { contested: 'c.js' } },
      archive: {
        manifest: { name, version: '1.0.0', bin: { contested: 'c.js' } },
        entries: [{ path: 'c.js', content: CRLF }],
      },
    }),
  ),
  {
    path: 'node_modules/folders',
    lock: { bin: { one: 'bin/one', 'two.js': 'bin/sub/two.js', sub: 'bin/sub' } },
    archive: {
      manifest: { name: 'folders', version: '1.0.0', directories: { bin: './bin' } },
      entries: [
        { path: 'bin/one', content: CRLF },
        { path: 'bin/sub/two.js', content: 'two' },
        { path: 'bin/.hidden', content: 'h' },
      ],
    },
  },
  {
    path: 'node_modules/disguised',
    lock: {},
    archive: {
      manifest: { name: 'disguised', version: '1.0.0', bin: 'not-in-the-lock.js' },
      entries: [{ path: 'not-in-the-lock.js', content: CRLF }],
    },
  },
];

/** A candidate that pins its own tree: npm reads the file again after unpacking, addresses and all. */
const SHRINKWRAPPED: readonly MadePackage[] = [
  {
    path: 'node_modules/@made/strange',
    lock: { hasShrinkwrap: true, bin: { cli: 'cli.js' }, dependencies: { aaa: '^1.0.0' } },
    archive: {
      manifest: {
        name: '@made/strange',
        version: '1.0.0',
        bin: { cli: 'cli.js' },
        dependencies: { aaa: '^1.0.0' },
      },
      entries: [
        { path: 'cli.js' },
        {
          path: 'npm-shrinkwrap.json',
          content: JSON.stringify({
            name: '@made/strange',
            version: '1.0.0',
            lockfileVersion: 3,
            packages: {
              '': { name: '@made/strange', version: '1.0.0', dependencies: { aaa: '^1.0.0' } },
              'node_modules/aaa': {
                version: '1.0.0',
                resolved: 'https://registry.invalid/aaa/-/aaa-1.0.0.tgz',
                integrity: AAA_INTEGRITY,
              },
            },
          }),
        },
      ],
    },
  },
  { path: 'node_modules/@made/strange/node_modules/aaa', lock: {}, archive: AAA },
  {
    path: 'node_modules/disguised',
    archive: { manifest: { name: 'disguised', version: '1.0.0' }, entries: [] },
  },
];

interface Made {
  readonly lock: Lock;
  readonly inputs: readonly PackageInput[];
  readonly files: ReadonlyMap<string, string>;
}

async function make(folder: string, packages: readonly MadePackage[]): Promise<Made> {
  const entries: Record<string, unknown> = {
    '': { dependencies: { '@made/strange': '1.0.0', disguised: '1.0.0' } },
  };
  const inputs: PackageInput[] = [];
  const files = new Map<string, string>();
  for (const [index, { path, lock, archive }] of packages.entries()) {
    if (archive === undefined) {
      entries[path] = { version: '1.0.0', ...lock };
      inputs.push({ path, archive: null, bins: new Map() });
      continue;
    }
    const bytes = makePackage(archive.manifest, archive.entries);
    const pinned = await pin(folder, `${index}.tgz`, bytes);
    entries[path] = { version: '1.0.0', integrity: sha512Integrity(bytes), ...lock };
    inputs.push({ path, archive: await readArchive(pinned, path), bins: new Map() });
    files.set(path, pinned.file);
  }
  const lock = parseLock(Buffer.from(JSON.stringify({ lockfileVersion: 3, packages: entries })));
  const bins = new Map(lock.packages.map((entry) => [entry.path, entry.bins]));
  return {
    lock,
    files,
    inputs: inputs.map((input) => ({ ...input, bins: bins.get(input.path) ?? new Map() })),
  };
}

function install(folder: string, made: Made): string {
  const project = join(folder, 'project');
  mkdirSync(project);
  chmodSync(project, 0o755);
  const { packageJson, packageLock } = toInstallProject(made.lock, (path) => made.files.get(path) ?? null);
  writeFileSync(join(project, 'package.json'), packageJson);
  writeFileSync(join(project, 'package-lock.json'), packageLock);
  for (const name of ['user', 'global']) writeFileSync(join(folder, name), '');
  const settings = [
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    `--userconfig=${join(folder, 'user')}`,
    `--globalconfig=${join(folder, 'global')}`,
    `--cache=${join(folder, 'cache')}`,
  ];
  execFileSync('npm', ['ci', ...settings], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    stdio: 'pipe',
  });
  return project;
}

describe('expectedTree and npm', () => {
  it('agree on every strange thing that an archive can hold', async () => {
    await withScratch(async (folder) => {
      const made = await make(folder, MADE);
      const { entries } = expectedTree(made.inputs);
      assert.deepEqual(matchTree(entries, readFolderTree(install(folder, made))), []);
    });
  });

  it('agree on a package with a shrinkwrap of its own, without the network that it names', async () => {
    await withScratch(async (folder) => {
      const made = await make(folder, SHRINKWRAPPED);
      const { entries } = expectedTree(made.inputs);
      assert.deepEqual(matchTree(entries, readFolderTree(install(folder, made))), []);
    });
  });
});
