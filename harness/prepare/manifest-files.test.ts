import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readManifestFiles, runsInstallScript } from './manifest-files.ts';
import { buildStub } from './stub-archive.ts';
import { faultOf } from './testing/folder.ts';
import { packEntries, packPackage } from './testing/pack.ts';

test('manifests are read and other files are not', async () => {
  const archive = await packPackage(
    { name: 'a', version: '1.0.0' },
    {
      'index.js': 'throw 1',
      'node_modules/b/package.json': '{"name":"b","version":"2.0.0"}',
      'node_modules/b/index.js': '',
      'npm-shrinkwrap.json': '{}',
    },
  );
  const manifest = await readManifestFiles(archive, 'candidate.tgz');
  assert.equal(`${manifest.name}@${manifest.version}`, 'a@1.0.0');
  assert.equal(manifest.hasShrinkwrap, true);
  assert.deepEqual(
    manifest.files.map(({ path }) => path),
    ['node_modules/b/package.json', 'npm-shrinkwrap.json', 'package.json'],
  );
});

test('a stub holds the manifests and nothing else', async () => {
  const archive = await packPackage({ name: 'a', version: '1.0.0' }, { 'index.js': 'SECRET-CODE' });
  const stub = await buildStub(await readManifestFiles(archive, 'candidate.tgz'));
  assert.equal(gunzipSync(archive).includes('SECRET-CODE'), true);
  assert.equal(gunzipSync(stub.bytes).includes('SECRET-CODE'), false);
  assert.deepEqual((await readManifestFiles(stub.bytes, 'stub')).files, [
    { path: 'package.json', content: Buffer.from('{"name":"a","version":"1.0.0"}') },
  ]);
});

test('entries that are links or leave the root are passed over', async () => {
  const archive = await packEntries([
    { name: 'package/package.json', content: '{"name":"a","version":"1.0.0"}' },
    { name: 'package/../../package.json', content: '{"name":"evil","version":"6.6.6"}' },
    { name: 'package/lib/package.json', type: 'symlink', linkname: '/etc/passwd' },
    { name: '/package/package.json', content: '{"name":"root","version":"6.6.6"}' },
  ]);
  const manifest = await readManifestFiles(archive, 'candidate.tgz');
  assert.equal(manifest.name, 'a');
  assert.deepEqual(
    manifest.files.map(({ path }) => path),
    ['package.json'],
  );
});

test('the last of two manifests counts, as npm takes it', async () => {
  const archive = await packEntries([
    { name: 'package/package.json', content: '{"name":"a","version":"1.0.0"}' },
    { name: 'other/package.json', content: '{"name":"b","version":"2.0.0"}' },
  ]);
  assert.equal((await readManifestFiles(archive, 'x')).name, 'b');
});

test('what is no package is refused', async () => {
  const none = await packPackage({ version: '1.0.0' });
  await assert.rejects(readManifestFiles(none, 'x.tgz'), faultOf('TREE_INVALID', 'x.tgz'));
  const text = gzipSync(Buffer.from('no tar'));
  await assert.rejects(readManifestFiles(text, 'x.tgz'), faultOf('TREE_INVALID', 'x.tgz'));
  await assert.rejects(readManifestFiles(Buffer.alloc(0), 'x.tgz'), faultOf('TREE_INVALID', 'x.tgz'));
});

test('install scripts are seen, the implicit one too', () => {
  const scripts = (name: string): Record<string, unknown> => ({ scripts: { [name]: 'x' } });
  for (const name of ['preinstall', 'install', 'postinstall']) {
    assert.equal(runsInstallScript(scripts(name), false), true, name);
  }
  for (const name of ['prepare', 'prepublish', 'prepack', 'test']) {
    assert.equal(runsInstallScript(scripts(name), false), false, name);
  }
  assert.equal(runsInstallScript({}, true), true);
  assert.equal(runsInstallScript({ gypfile: false }, true), false);
});
