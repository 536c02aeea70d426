import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildBaseLayer } from './base-layer.ts';
import type { Inclusion } from './base-lock.ts';
import { buildCandidateLayer } from './candidate-layer.ts';
import { toImage } from './config.ts';
import { buildInstallLayer, type InstallLayerInputs } from './install-layer.ts';
import type { InventoryFile } from './inventory.ts';
import { LayerStore, type StoredLayer } from './layer-store.ts';
import { parseLock } from './lock-file.ts';
import { buildRuntimeLayer } from './runtime-layer.ts';
import { makeArchive, makePackage } from './testing/archive-maker.ts';
import { fault, pin, withScratch } from './testing/scratch.ts';
import { madeTree, tinyBase } from './testing/synthetic-image.ts';

const withStore = <Result>(work: (store: LayerStore, folder: string) => Promise<Result>): Promise<Result> =>
  withScratch(async (folder) => work(await LayerStore.open(join(folder, 'cache')), folder));

const show = (inventory: readonly InventoryFile[]): readonly string[] =>
  inventory
    .filter(({ kind }) => kind !== 'directory')
    .map(({ path, mode, target }) => (target === null ? `${mode} ${path}` : `${path} -> ${target}`));

describe('buildBaseLayer', () => {
  const build = async (
    store: LayerStore,
    folder: string,
    change: { readonly sha256?: string; readonly include?: readonly Inclusion[] } = {},
  ): Promise<StoredLayer> => {
    const { file, archive } = await tinyBase(folder);
    return buildBaseLayer(store, {
      platform: 'linux/amd64',
      rootfs: null,
      archives: [{ file, archive: { ...archive, ...change } }],
      holderSource: Buffer.from('holder'),
      probeSource: Buffer.from('probe'),
    });
  };

  it('lays what the lock includes, the holder, the skeleton and nothing else', async () => {
    await withStore(async (store, folder) => {
      const { inventory } = await build(store, folder);
      assert.deepEqual(show(inventory), [
        '0644 .packproof/holder.pl',
        '0644 .packproof/lib/deep/two',
        '0644 .packproof/lib/one',
        '0644 .packproof/probe.pl',
        'bin -> usr/bin',
        '0644 etc/group',
        '0755 etc/hostname',
        '0755 etc/hosts',
        '0644 etc/nsswitch.conf',
        '0644 etc/passwd',
        '0755 etc/resolv.conf',
        'lib -> usr/lib',
        'lib64 -> usr/lib64',
        'sbin -> usr/sbin',
        '0755 usr/bin/tiny',
        'usr/lib/t/libtiny.so.1 -> libtiny.so.1.2',
        '0644 usr/lib/t/libtiny.so.1.2',
      ]);
      const modes = new Map(inventory.map(({ path, kind, mode }) => [path, `${kind} ${mode}`]));
      for (const path of ['dev', 'home', 'home/node', 'proc', 'sys', 'work']) {
        assert.equal(modes.get(path), 'directory 0755', path);
      }
      assert.equal(modes.get('tmp'), 'directory 1777');
    });
  });

  it('refuses no package, another file, a missing path and a special file', async () => {
    await withStore(async (store, folder) => {
      await assert.rejects(
        buildBaseLayer(store, {
          platform: 'linux/arm64',
          rootfs: null,
          archives: [],
          holderSource: Buffer.alloc(0),
          probeSource: Buffer.alloc(0),
        }),
        fault('BASE_ARCHIVE_MISSING', 'linux/arm64'),
      );
      await assert.rejects(
        build(store, folder, { sha256: '0'.repeat(64) }),
        fault('ARCHIVE_DIGEST_DIFFERS', 'tiny'),
      );
      const include = (from: string): { include: readonly Inclusion[] } => ({
        include: [{ from, to: 'usr/x' }],
      });
      await assert.rejects(build(store, folder, include('usr/bin/other')), {
        ...fault('DEB_PATH_MISSING', 'tiny'),
        expected: 'usr/bin/other',
      });
      await assert.rejects(
        build(store, folder, include('usr/share/tiny-fifo')),
        fault('ENTRY_KIND_FORBIDDEN', 'usr/x'),
      );
    });
  });
});

describe('buildRuntimeLayer', () => {
  it('takes node and its licence only', async () => {
    await withStore(async (store, folder) => {
      const archive = makeArchive([
        { path: 'bin/node', content: 'node', mode: 0o755 },
        { path: 'LICENSE', content: 'licence' },
        { path: 'include/node/node.h', content: 'header' },
        { path: 'bin/npm', type: 'SymbolicLink', target: '../lib/npm' },
      ]);
      const { inventory } = await buildRuntimeLayer(store, await pin(folder, 'node.tgz', archive));
      assert.deepEqual(show(inventory), ['0644 usr/local/LICENSE', '0755 usr/local/bin/node']);
    });
  });

  it('refuses an archive without node', async () => {
    await withStore(async (store, folder) => {
      const archive = await pin(folder, 'node.tgz', makeArchive([{ path: 'LICENSE' }]));
      await assert.rejects(buildRuntimeLayer(store, archive), {
        ...fault('ARCHIVE_INCOMPLETE', 'node'),
        expected: 'usr/local/bin/node',
      });
    });
  });
});

describe('buildInstallLayer', () => {
  const inputsOf = async (folder: string, optional = false): Promise<InstallLayerInputs> => {
    const entry = { version: '1.0.0', integrity: 'sha512-x', optional };
    const packages = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': entry,
      'node_modules/b': entry,
    };
    const archive = await pin(folder, 'a.tgz', makePackage({ name: 'a' }, []));
    return {
      npmArchive: await pin(folder, 'npm.tgz', makeArchive([{ path: 'bin/npm-cli.js', mode: 0o755 }])),
      lock: parseLock(Buffer.from(JSON.stringify({ lockfileVersion: 3, packages }))),
      packages: ['a', 'b'].map((name) => ({
        path: `node_modules/${name}`,
        integrity: 'sha512-x',
        ...archive,
      })),
    };
  };

  it('lays npm, each archive once, the project and empty settings', async () => {
    await withStore(async (store, folder) => {
      const inputs = await inputsOf(folder);
      const { inventory } = await buildInstallLayer(store, inputs);
      assert.deepEqual(show(inventory), [
        `0644 .install/archives/${inputs.packages[0]?.sha256}.tgz`,
        '0644 .install/global.npmrc',
        '0755 .install/npm/bin/npm-cli.js',
        '0644 .install/package-lock.json',
        '0644 .install/package.json',
        '0644 .install/user.npmrc',
      ]);
    });
  });

  it('needs no archive of an optional package, and one of any other', async () => {
    await withStore(async (store, folder) => {
      const optional = await inputsOf(folder, true);
      await buildInstallLayer(store, { ...optional, packages: optional.packages.slice(0, 1) });
      const needed = await inputsOf(folder);
      await assert.rejects(
        buildInstallLayer(store, { ...needed, packages: needed.packages.slice(0, 1) }),
        fault('LOCK_ARCHIVE_MISSING', 'node_modules/b'),
      );
    });
  });

  it('refuses an integrity that the lock does not have, other bytes, and no npm', async () => {
    await withStore(async (store, folder) => {
      const inputs = await inputsOf(folder);
      const change = (fields: object): InstallLayerInputs => ({
        ...inputs,
        packages: inputs.packages.map((archive) => ({ ...archive, ...fields })),
      });
      await assert.rejects(
        buildInstallLayer(store, change({ integrity: 'sha512-y' })),
        fault('LOCK_INTEGRITY_DIFFERS', 'node_modules/a'),
      );
      await assert.rejects(
        buildInstallLayer(store, change({ sha256: '0'.repeat(64) })),
        fault('ARCHIVE_DIGEST_DIFFERS', 'node_modules/b'),
      );
      const npmArchive = await pin(folder, 'other.tgz', makeArchive([{ path: 'index.js' }]));
      await assert.rejects(
        buildInstallLayer(store, { ...inputs, npmArchive }),
        fault('ARCHIVE_INCOMPLETE', 'npm'),
      );
    });
  });
});

describe('buildCandidateLayer', () => {
  const build = (store: LayerStore, files: Readonly<Record<string, string>>): Promise<StoredLayer> =>
    buildCandidateLayer(store, {
      name: '@s/cli',
      bins: new Map([
        ['cli', 'cli.js'],
        ['gone', 'gone.js'],
      ]),
      key: files,
      install: async () => madeTree(files),
    });
  const FILES = {
    'node_modules/@s/cli/cli.js': '#!/usr/bin/env node\n',
    'node_modules/@s/other/x.js': 'x',
    'node_modules/dep/index.js': 'd',
    'node_modules/.bin/cli': '-> ../@s/cli/cli.js',
  };

  it('lays the tree, and the candidate once more in a global layout', async () => {
    await withStore(async (store) => {
      const { inventory } = await build(store, FILES);
      assert.deepEqual(show(inventory), [
        'opt/candidate/global/bin/cli -> ../lib/node_modules/@s/cli/cli.js',
        '0755 opt/candidate/global/lib/node_modules/@s/cli/cli.js',
        'opt/candidate/global/lib/node_modules/@s/cli/node_modules -> /opt/candidate/node_modules',
        'opt/candidate/node_modules/.bin/cli -> ../@s/cli/cli.js',
        '0755 opt/candidate/node_modules/@s/cli/cli.js',
        '0644 opt/candidate/node_modules/@s/other/x.js',
        '0644 opt/candidate/node_modules/dep/index.js',
      ]);
    });
  });

  it('links package by package when the candidate has packages of its own', async () => {
    await withStore(async (store) => {
      const { inventory } = await build(store, {
        ...FILES,
        'node_modules/@s/cli/node_modules/dep/index.js': 'own',
      });
      const links = show(inventory).filter((line) => line.startsWith('opt/candidate/global/lib/'));
      assert.deepEqual(links, [
        'opt/candidate/global/lib/node_modules/@s/cli/node_modules/.bin -> /opt/candidate/node_modules/.bin',
        'opt/candidate/global/lib/node_modules/@s/cli/node_modules/@s/cli -> /opt/candidate/node_modules/@s/cli',
        'opt/candidate/global/lib/node_modules/@s/cli/node_modules/@s/other -> /opt/candidate/node_modules/@s/other',
      ]);
    });
  });

  for (const [why, code, where, files] of [
    [
      'no file of the candidate',
      'CANDIDATE_NOT_INSTALLED',
      'node_modules/@s/cli',
      { 'node_modules/dep/x': 'x' },
    ],
    [
      'a link that leaves the prefix',
      'LINK_ESCAPES_PREFIX',
      'opt/candidate/node_modules/.bin/cli',
      { ...FILES, 'node_modules/.bin/cli': '-> /etc/passwd' },
    ],
    ['a path that climbs', 'PATH_INVALID', 'opt/candidate/../../x', { ...FILES, '../../x': 'x' }],
  ] as const) {
    it(`refuses ${why}`, async () => {
      await withStore(async (store) => {
        await assert.rejects(build(store, files), { ...fault(code, where), kind: 'candidate' });
      });
    });
  }
});

describe('toImage', () => {
  it('writes a canonical config that names layers in order and nothing of this machine', () => {
    const layers = ['1', '2'].map((digit) => ({
      role: 'base' as const,
      diffId: digit.repeat(64),
      sizeBytes: 1,
      file: '/some/where',
    }));
    const image = toImage('linux/arm64', layers);
    assert.equal(
      image.configBytes.toString('utf8'),
      '{"architecture":"arm64","config":{"Env":["PATH=/usr/local/bin:/usr/bin:/bin"],"User":"1000:1000",' +
        '"WorkingDir":"/work"},"created":"1970-01-01T00:00:00Z","os":"linux","rootfs":{"diff_ids":' +
        `["sha256:${'1'.repeat(64)}","sha256:${'2'.repeat(64)}"],"type":"layers"}}`,
    );
  });
});
