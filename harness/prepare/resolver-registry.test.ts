import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { hashArchive } from './integrity.ts';
import { readManifestFiles } from './manifest-files.ts';
import { offlineRegistry, type Registry } from './registry.ts';
import { ResolverRegistry, type ResolverSources } from './resolver-registry.ts';
import { collect, packPackage, streamOf } from './testing/pack.ts';

const first = hashArchive(Buffer.from('1')).integrity;
const second = hashArchive(Buffer.from('2')).integrity;
const upstream: Registry = {
  packument: async (name) =>
    name === 'b'
      ? {
          distTags: { latest: '2.0.0', old: '1.0.0' },
          versions: new Map([
            ['1.0.0', { dist: { integrity: first, tarball: 'http://private.invalid/b-1.tgz' } }],
            ['2.0.0', { dist: { integrity: second, tarball: 'http://private.invalid/b-2.tgz' } }],
          ]),
        }
      : null,
  tarball: async ({ version }) => streamOf(Buffer.from(`bytes of ${version}`)),
};

async function serve<T>(
  sources: Partial<ResolverSources>,
  work: (registry: ResolverRegistry) => Promise<T>,
): Promise<T> {
  const registry = await ResolverRegistry.start({
    local: [],
    upstream,
    universe: null,
    mergeLocal: true,
    ...sources,
  });
  try {
    return await work(registry);
  } finally {
    await registry.close();
  }
}

interface Served {
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<
    Record<string, { readonly dist: { readonly tarball: string; readonly integrity: string } }>
  >;
}

const ask = async (registry: ResolverRegistry, name: string): Promise<Served> =>
  (await (await fetch(`${registry.url}${name}`)).json()) as Served;

test('upstream packages are passed on with addresses of this server only', () =>
  serve({}, async (registry) => {
    const served = await ask(registry, 'b');
    assert.deepEqual(Object.keys(served.versions), ['1.0.0', '2.0.0']);
    assert.equal(JSON.stringify(served).includes('private.invalid'), false);
    const address = served.versions['1.0.0']?.dist.tarball ?? '';
    assert.equal(await (await fetch(address)).text(), 'bytes of 1.0.0');
    assert.equal((await fetch(`${registry.url}none`)).status, 404);
  }));

test('without the secret nothing is answered', () =>
  serve({}, async (registry) => {
    for (const path of ['/', '/b', `/${'0'.repeat(32)}/b`]) {
      assert.equal((await fetch(`${registry.origin}${path}`)).status, 403, path);
    }
    assert.equal((await fetch(`${registry.url}b`, { method: 'PUT' })).status, 403);
    assert.equal(registry.refused.length, 4);
  }));

test('as a proxy it refuses every host', () =>
  serve({}, async (registry) => {
    const socket = connect(Number(new URL(registry.origin).port), '127.0.0.1');
    socket.write('CONNECT example.invalid:443 HTTP/1.1\r\nHost: example.invalid\r\n\r\n');
    assert.match((await collect(socket)).toString(), /^HTTP\/1\.1 403/u);
    const plain = connect(Number(new URL(registry.origin).port), '127.0.0.1');
    plain.end(
      `GET http://example.invalid${new URL(registry.url).pathname}b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.match((await collect(plain)).toString(), /^HTTP\/1\.1 403/u);
    assert.equal(registry.refused[0], 'example.invalid:443');
    const own = connect(Number(new URL(registry.origin).port), '127.0.0.1');
    own.end(`GET ${registry.url}b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match((await collect(own)).toString(), /^HTTP\/1\.1 200/u);
  }));

test('a universe hides other versions, and the same version with other bytes', () =>
  serve({ universe: new Map([['b', new Map([['1.0.0', first]])]]) }, async (registry) => {
    const served = await ask(registry, 'b');
    assert.deepEqual(Object.keys(served.versions), ['1.0.0']);
    assert.deepEqual(served['dist-tags'], { old: '1.0.0', latest: '1.0.0' });
  }));

test('a universe with another digest for a version has no such version', () =>
  serve({ universe: new Map([['b', new Map([['1.0.0', second]])]]) }, async (registry) => {
    assert.equal((await fetch(`${registry.url}b`)).status, 404);
  }));

test('a local package is offered by a stub and is the latest of its name', async () => {
  const manifest = await readManifestFiles(
    await packPackage({ name: 'b', version: '1.5.0', dependencies: { c: '1' } }, { 'index.js': 'CODE' }),
    'b.tgz',
  );
  await serve({ local: [manifest] }, async (registry) => {
    const served = await ask(registry, 'b');
    assert.deepEqual(Object.keys(served.versions), ['1.0.0', '2.0.0', '1.5.0']);
    assert.equal(served['dist-tags'].latest, '1.5.0');
    const dist = served.versions['1.5.0']?.dist;
    const bytes = Buffer.from(await (await fetch(dist?.tarball ?? '')).arrayBuffer());
    assert.equal(hashArchive(bytes).integrity, dist?.integrity);
    assert.equal(registry.stubIntegrity('b', '1.5.0'), dist?.integrity);
    assert.deepEqual(
      (await readManifestFiles(bytes, 'stub')).files.map(({ path }) => path),
      ['package.json'],
    );
  });
});

test('upstream is not asked for the name of a local package unless a version is missing', async () => {
  const manifest = await readManifestFiles(await packPackage({ name: 'b', version: '1.5.0' }), 'b.tgz');
  await serve({ local: [manifest], upstream: offlineRegistry, mergeLocal: false }, async (registry) => {
    assert.deepEqual(Object.keys((await ask(registry, 'b')).versions), ['1.5.0']);
    assert.deepEqual(registry.failures, []);
  });
});

test('why upstream could not answer is kept for the caller', () =>
  serve({ upstream: offlineRegistry }, async (registry) => {
    assert.equal((await fetch(`${registry.url}b`)).status, 502);
    assert.deepEqual(
      registry.failures.map(({ code, where }) => `${code} ${where}`),
      ['OFFLINE b'],
    );
  }));
