import { sha256Hex } from '../../document/digest.ts';
import type { ImageLayer } from '../../engine/engine.ts';
import { buildArchivesLayer } from '../archives-layer.ts';
import { type BaseArchiveFile, buildBaseLayer } from '../base-layer.ts';
import { buildCandidateLayer } from '../candidate-layer.ts';
import { toImage } from '../config.ts';
import type { TreeEntry } from '../expected-tree.ts';
import { buildInstallLayer } from '../install-layer.ts';
import type { InstalledTree } from '../installed-tree.ts';
import { mergeInventories, toNdjson } from '../inventory.ts';
import type { LayerContent } from '../layer-entry.ts';
import type { LayerStore } from '../layer-store.ts';
import { parseLock } from '../lock-file.ts';
import { buildRuntimeLayer } from '../runtime-layer.ts';
import { makeArchive, makePackage } from './archive-maker.ts';
import { pin } from './scratch.ts';
import { TINY_DEB } from './tiny-deb.ts';

/** What an image is by: digests only. */
export interface Identity {
  readonly diffIds: Readonly<Record<string, string>>;
  readonly configDigest: string;
  readonly inventorySha256: string;
}

/** A pinned package for a base layer of next to nothing. */
export async function tinyBase(folder: string): Promise<BaseArchiveFile> {
  const { file, sha256 } = await pin(folder, 'tiny.deb', TINY_DEB);
  return {
    file,
    archive: {
      package: 'tiny',
      version: '1',
      architecture: 'amd64',
      archive: 'debian',
      poolPath: 'pool/main/t/tiny/tiny_1_amd64.deb',
      sizeBytes: TINY_DEB.length,
      sha256,
      include: [
        { from: 'usr/share/tiny/', to: '.packproof/lib/' },
        { from: 'usr/bin/tiny', to: 'usr/bin/tiny' },
        { from: 'lib/t/libtiny.so.1', to: 'usr/lib/t/libtiny.so.1' },
        { from: 'lib/t/libtiny.so.1.2', to: 'usr/lib/t/libtiny.so.1.2' },
      ],
    },
  };
}

/** A tree as it would come out of an install box, contents in memory. */
export function madeTree(files: Readonly<Record<string, string>>): InstalledTree {
  const entries = new Map<string, TreeEntry>();
  const contents = new Map<string, LayerContent>();
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    if (text.startsWith('-> ')) entries.set(path, { kind: 'symlink', path, target: text.slice(3) });
    else {
      const mode = text.startsWith('#!') ? '0755' : '0644';
      const [sizeBytes, sha256] = [bytes.length, sha256Hex(bytes)];
      entries.set(path, { kind: 'file', path, mode, sizeBytes, sha256 });
      contents.set(path, bytes);
    }
  }
  return { entries, contents };
}

/** Every kind of layer from made archives that are written into `folder`, and the image of them. */
export async function buildSyntheticImage(store: LayerStore, folder: string): Promise<Identity> {
  const node = makeArchive([
    { path: 'bin/node', content: 'node', mode: 0o755 },
    { path: 'LICENSE', content: 'licence' },
  ]);
  const dependency = makePackage({ name: 'dep', version: '1.0.0' }, []);
  const entry = { version: '1.0.0', integrity: 'sha512-x' };
  const packages = { '': { dependencies: { dep: '1.0.0' } }, 'node_modules/dep': entry };
  const stored = [
    await buildBaseLayer(store, {
      platform: 'linux/amd64',
      rootfs: null,
      archives: [await tinyBase(folder)],
      holderSource: Buffer.from('holder'),
      probeSource: Buffer.from('probe'),
    }),
    await buildRuntimeLayer(store, await pin(folder, 'node.tgz', node)),
    await buildArchivesLayer(store, [
      {
        name: 'reference',
        unpack: 'none',
        strip: 0,
        ...(await pin(folder, 'reference', Buffer.from('ELF'))),
      },
    ]),
    await buildInstallLayer(store, {
      npmArchive: await pin(folder, 'npm.tgz', makeArchive([{ path: 'bin/npm-cli.js', content: 'npm' }])),
      lock: parseLock(Buffer.from(JSON.stringify({ lockfileVersion: 3, packages }))),
      packages: [
        { path: 'node_modules/dep', integrity: 'sha512-x', ...(await pin(folder, 'dep.tgz', dependency)) },
      ],
    }),
    await buildCandidateLayer(store, {
      name: '@s/cli',
      bins: new Map([['cli', 'cli.js']]),
      key: 'made',
      install: async () =>
        madeTree({
          'node_modules/@s/cli/cli.js': '#!/usr/bin/env node\n',
          'node_modules/@s/cli/ünïcode.txt': 'x',
          'node_modules/dep/index.js': 'd',
          'node_modules/.bin/cli': '-> ../@s/cli/cli.js',
        }),
    }),
  ];
  const layers: readonly ImageLayer[] = stored.map(({ layer }) => layer);
  return {
    diffIds: Object.fromEntries(layers.map(({ role, diffId }) => [role, diffId])),
    configDigest: toImage('linux/amd64', layers).configDigest,
    inventorySha256: sha256Hex(toNdjson(mergeInventories(stored.map(({ inventory }) => inventory)))),
  };
}
