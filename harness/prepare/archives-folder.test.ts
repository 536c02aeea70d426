import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArchivesFolder } from './archives-folder.ts';
import { hashArchive } from './integrity.ts';
import { faultOf, inFolder } from './testing/folder.ts';
import { collect, packPackage } from './testing/pack.ts';

test('archives are found by digest, whatever they are called', () =>
  inFolder(async (folder) => {
    const archive = await packPackage({ name: '@s/a', version: '1.0.0', dependencies: { b: '1' } });
    await mkdir(join(folder, 'deep', 'er'), { recursive: true });
    await writeFile(join(folder, 'deep', 'er', 'whatever'), archive);
    await writeFile(join(folder, 'libc6.deb'), 'not an npm package');
    await symlink('/etc/hostname', join(folder, 'link'));
    const archives = await ArchivesFolder.open(folder);
    const digest = hashArchive(archive);
    for (const wanted of [{ sha256: digest.sha256 }, { integrity: digest.integrity }]) {
      const bytes = archives.read(wanted);
      assert.deepEqual(bytes === null ? null : await collect(bytes), archive);
    }
    const deb = archives.read({ sha256: hashArchive(Buffer.from('not an npm package')).sha256 });
    assert.equal(deb === null ? null : (await collect(deb)).toString(), 'not an npm package');
    const packument = await archives.packument('@s/a');
    assert.deepEqual(packument?.distTags, { latest: '1.0.0' });
    assert.deepEqual(packument?.versions.get('1.0.0')?.dependencies, { b: '1' });
    assert.equal(await archives.packument('b'), null);
    const other = hashArchive(Buffer.from('other')).integrity;
    assert.equal(archives.read({ integrity: other }), null);
    await assert.rejects(
      archives.tarball({ name: 'b', integrity: other }),
      faultOf('ARCHIVE_NOT_FOUND', 'b'),
    );
  }));

test('a folder that is not there is refused', () =>
  inFolder((folder) =>
    assert.rejects(
      ArchivesFolder.open(join(folder, 'none')),
      faultOf('ARCHIVES_FOLDER_MISSING', join(folder, 'none')),
    ),
  ));
