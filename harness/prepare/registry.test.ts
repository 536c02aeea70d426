import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hashArchive } from './integrity.ts';
import { readFetchSettings } from './npm-config.ts';
import { downloadPlain, NpmRegistry } from './registry.ts';
import { type FakePackage, FakeRegistry } from './testing/fake-registry.ts';
import { faultOf, inFolder } from './testing/folder.ts';
import { collect } from './testing/pack.ts';

const TOKEN = 'npm_SECRETTOKEN0123456789';
const archive = Buffer.from('archive bytes');
const { integrity } = hashArchive(archive);
const one: FakePackage = {
  name: '@acme/one',
  version: '1.0.0',
  manifest: { dependencies: { b: '1' } },
  archive,
};
const reference = { name: '@acme/one', version: '1.0.0', integrity };

/** A registry client with only the given npmrc lines, of a user without a project. */
async function withNpmrc<T>(
  lines: readonly string[],
  work: (registry: NpmRegistry) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, '.npmrc'), ['fetch-retries=0', ...lines].join('\n'));
    return work(new NpmRegistry(await readFetchSettings(folder, { HOME: folder })));
  });
}

test('a scoped registry gets its own token, and only it', async () => {
  const [scoped, plain] = await Promise.all([
    FakeRegistry.start({ packages: [one], token: TOKEN }),
    FakeRegistry.start({ packages: [{ ...one, name: 'open' }] }),
  ]);
  const npmrc = [
    `registry=${plain.url}`,
    `@acme:registry=${scoped.url}`,
    `//127.0.0.1:${scoped.port}/:_authToken=${TOKEN}`,
  ];
  await withNpmrc(npmrc, async (registry) => {
    const packument = await registry.packument('@acme/one');
    assert.deepEqual(packument?.distTags, { latest: '1.0.0' });
    assert.deepEqual(packument?.versions.get('1.0.0')?.dependencies, { b: '1' });
    assert.deepEqual(await collect(await registry.tarball(reference)), archive);
    assert.equal(await registry.packument('@acme/none'), null);
    assert.deepEqual(await collect(await registry.tarball({ ...reference, name: 'open' })), archive);
  });
  assert.deepEqual([...new Set(scoped.authorizations)], [`Bearer ${TOKEN}`]);
  assert.deepEqual([...new Set(plain.authorizations)], ['']);
  await Promise.all([scoped.close(), plain.close()]);
});

test('a token never follows an archive to another host', async () => {
  const elsewhere = await FakeRegistry.start({ packages: [one] });
  const scoped = await FakeRegistry.start({ packages: [one], token: TOKEN, archiveOrigin: elsewhere.url });
  const npmrc = [`@acme:registry=${scoped.url}`, `//127.0.0.1:${scoped.port}/:_authToken=${TOKEN}`];
  await withNpmrc(npmrc, async (registry) => {
    assert.deepEqual(await collect(await registry.tarball(reference)), archive);
  });
  assert.deepEqual(elsewhere.authorizations, ['']);
  await Promise.all([scoped.close(), elsewhere.close()]);
});

test('replace-registry-host sends archives back to the registry that was asked', async () => {
  const elsewhere = await FakeRegistry.start({ packages: [one] });
  const scoped = await FakeRegistry.start({ packages: [one], archiveOrigin: elsewhere.url });
  await withNpmrc([`registry=${scoped.url}`, 'replace-registry-host=always'], async (registry) => {
    assert.deepEqual(await collect(await registry.tarball(reference)), archive);
  });
  assert.deepEqual(elsewhere.requests, []);
  await Promise.all([scoped.close(), elsewhere.close()]);
});

test('a refused credential is told without the credential', async () => {
  const scoped = await FakeRegistry.start({ packages: [one], token: 'another' });
  const npmrc = [`registry=${scoped.url}`, `//127.0.0.1:${scoped.port}/:_authToken=${TOKEN}`];
  await withNpmrc(npmrc, async (registry) => {
    const error = await registry.packument('@acme/one').catch((caught: unknown) => caught);
    assert.equal(faultOf('REGISTRY_DENIED', '@acme/one')(error), true);
    // Everything a printer could show, causes and hidden fields included.
    assert.equal(inspect(error, { depth: 20, showHidden: true }).includes(TOKEN), false);
  });
  await scoped.close();
});

test('a proxy with a credential is used, and its credential is not shown', async () => {
  const credential = 'proxy-user:PROXYSECRET';
  const proxy = await FakeRegistry.start({
    packages: [one],
    proxyCredential: credential,
    archiveOrigin: 'http://registry.private.invalid/',
  });
  const npmrc = [
    'registry=http://registry.private.invalid/',
    `proxy=http://${credential}@127.0.0.1:${proxy.port}/`,
  ];
  await withNpmrc(npmrc, async (registry) => {
    assert.deepEqual(await collect(await registry.tarball(reference)), archive);
  });
  assert.deepEqual(proxy.requests, [
    'http://registry.private.invalid/@acme%2fone',
    'http://registry.private.invalid/@acme/one/-/one-1.0.0.tgz',
  ]);
  await proxy.close();
  await withNpmrc(npmrc, async (registry) => {
    const error = await registry.packument('@acme/one').catch((caught: unknown) => caught);
    assert.equal(faultOf('REGISTRY_UNREACHABLE', '@acme/one')(error), true);
    assert.equal(inspect(error, { depth: 20, showHidden: true }).includes('PROXYSECRET'), false);
  });
});

test('an archive of another digest than asked for is not fetched', async () => {
  const registryServer = await FakeRegistry.start({ packages: [one] });
  await withNpmrc([`registry=${registryServer.url}`], async (registry) => {
    const other = hashArchive(Buffer.from('other')).integrity;
    await assert.rejects(
      registry.tarball({ ...reference, integrity: other }),
      faultOf('ARCHIVE_NOT_FOUND', '@acme/one@1.0.0'),
    );
    await assert.rejects(
      registry.tarball({ ...reference, version: '9.9.9' }),
      faultOf('ARCHIVE_NOT_FOUND', '@acme/one@9.9.9'),
    );
  });
  assert.equal(registryServer.requests.length, 1);
  await registryServer.close();
});

test('a version without a sha512 is refused where its digest is asked for', async () => {
  for (const [given, code] of [
    [null, 'INTEGRITY_MISSING'],
    ['sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=', 'INTEGRITY_SHA1'],
  ] as const) {
    const server = await FakeRegistry.start({ packages: [{ ...one, integrity: given }] });
    await withNpmrc([`registry=${server.url}`], (registry) =>
      assert.rejects(registry.tarball(reference), faultOf(code, '@acme/one@1.0.0')),
    );
    await server.close();
  }
});

const answers: readonly (readonly [string, number, string, string])[] = [
  ['500', 500, '{}', 'REGISTRY_REFUSED'],
  ['403', 403, '{}', 'REGISTRY_DENIED'],
  ['no JSON', 200, '<html>', 'REGISTRY_ANSWER_INVALID'],
  ['no versions', 200, '{"dist-tags":{}}', 'REGISTRY_ANSWER_INVALID'],
];
for (const [what, status, body, code] of answers) {
  test(`an answer of ${what} is ${code}`, async () => {
    const server = createServer((_: IncomingMessage, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await withNpmrc([`registry=http://127.0.0.1:${port}/`], (registry) =>
      assert.rejects(registry.packument('a'), faultOf(code, 'a')),
    );
    server.close();
  });
}

test('a registry that is not there is unreachable', () =>
  withNpmrc(['registry=http://127.0.0.1:9/'], (registry) =>
    assert.rejects(registry.packument('a'), faultOf('REGISTRY_UNREACHABLE', 'a')),
  ));

test('an archive address that is no http address is refused and not shown', async () => {
  const server = await FakeRegistry.start({ packages: [one], archiveOrigin: 'file:///SECRETPLACE/' });
  await withNpmrc([`registry=${server.url}`], async (registry) => {
    const error = await registry.tarball(reference).catch((caught: unknown) => caught);
    assert.equal(faultOf('REGISTRY_ANSWER_INVALID', '@acme/one@1.0.0')(error), true);
    assert.equal(inspect(error, { depth: 20, showHidden: true }).includes('SECRETPLACE'), false);
  });
  await server.close();
});

test('a plain download carries no credential', async () => {
  const server = await FakeRegistry.start({ packages: [one] });
  await inFolder(async (folder) => {
    await writeFile(
      join(folder, '.npmrc'),
      `registry=${server.url}\n//127.0.0.1:${server.port}/:_authToken=${TOKEN}`,
    );
    const settings = await readFetchSettings(folder, { HOME: folder });
    const body = await downloadPlain(`${server.url}@acme/one/-/one-1.0.0.tgz`, settings);
    assert.equal(typeof body === 'string' ? body : (await collect(body)).toString(), 'archive bytes');
    assert.equal(await downloadPlain(`${server.url}none`, settings), 'not-found');
  });
  assert.deepEqual([...new Set(server.authorizations)], ['']);
  await server.close();
});
