import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashArchive } from './integrity.ts';
import { readFetchSettings } from './npm-config.ts';
import { findPublished } from './published.ts';
import { NpmRegistry } from './registry.ts';
import { FakeRegistry } from './testing/fake-registry.ts';
import { faultOf, inFolder } from './testing/folder.ts';

const archive = Buffer.from('archive bytes');

test('a published version or tag is found, and an exact version asks the registry once', () =>
  inFolder(async (folder) => {
    const fake = await FakeRegistry.start({
      packages: [{ name: 'one', version: '1.0.0', manifest: {}, archive }],
    });
    try {
      await writeFile(join(folder, '.npmrc'), `fetch-retries=0\nregistry=${fake.url}\n`);
      const registry = new NpmRegistry(await readFetchSettings(folder, { HOME: folder }));
      const cacheFolder = join(folder, 'cache');
      await mkdir(join(cacheFolder, 'temporary'), { recursive: true });
      const find = (name: string, requested: string) =>
        findPublished({ name, requested, registry, cacheFolder });
      const expected = { name: 'one', version: '1.0.0', integrity: hashArchive(archive).integrity };
      assert.deepEqual(await find('one', 'latest'), expected);
      const asked = fake.requests.length;
      assert.deepEqual(await find('one', '1.0.0'), expected);
      assert.equal(fake.requests.length, asked);
      for (const [name, requested] of [
        ['one', '9.9.9'],
        ['one', 'beta'],
        ['none', '1.0.0'],
      ] as const) {
        const fault = faultOf('CANDIDATE_NOT_PUBLISHED', `npm:${name}@${requested}`);
        await assert.rejects(find(name, requested), fault);
      }
    } finally {
      await fake.close();
    }
  }));
