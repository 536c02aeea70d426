import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CliError, type CliErrorCode } from './errors.ts';
import { newRunId, openOwnFolders } from './folders.ts';

function refusal(code: CliErrorCode, where: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CliError);
    assert.deepEqual([error.code, error.kind, error.where], [code, 'infrastructure', where]);
    return true;
  };
}

describe('own folders', () => {
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'packproof-folders-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const open = (name: string): ReturnType<typeof openOwnFolders> =>
    openOwnFolders({ XDG_CACHE_HOME: join(root, name), XDG_STATE_HOME: join(root, name, 'state') });

  it('are made private, and taken again', async () => {
    const folders = await open('new');
    const place = { cache: join(root, 'new', 'packproof'), state: join(root, 'new', 'state', 'packproof') };
    assert.deepEqual(folders, place);
    for (const folder of Object.values(folders)) assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.deepEqual(await open('new'), place);
  });

  it('are refused when others can write or read there', async () => {
    for (const mode of [0o770, 0o707, 0o740, 0o701]) {
      const folder = join(root, `open-${mode}`, 'packproof');
      await mkdir(folder, { recursive: true });
      await chmod(folder, mode);
      await assert.rejects(open(`open-${mode}`), refusal('FOLDER_NOT_OURS', folder));
    }
  });

  it('are refused when they are a link, and when they are no folder', async () => {
    await mkdir(join(root, 'elsewhere'), { mode: 0o700 });
    for (const name of ['link', 'file']) await mkdir(join(root, name));
    await symlink(join(root, 'elsewhere'), join(root, 'link', 'packproof'));
    await writeFile(join(root, 'file', 'packproof'), '');
    await assert.rejects(open('link'), refusal('FOLDER_NOT_OURS', join(root, 'link', 'packproof')));
    await assert.rejects(open('file'), refusal('FOLDER_UNUSABLE', join(root, 'file', 'packproof')));
    // There Node's recursive mkdir has no end.
    const nowhere = openOwnFolders({ XDG_CACHE_HOME: '/proc/none', XDG_STATE_HOME: root });
    await assert.rejects(nowhere, refusal('FOLDER_UNUSABLE', '/proc/none/packproof'));
  });
});

describe('ids of runs', () => {
  it('sort by time and are names of folders and containers', () => {
    const id = newRunId(new Date('2030-01-02T03:04:05.678Z'), 'a1b2c3');
    assert.equal(id, '20300102t030405z-a1b2c3');
    assert.ok(id < newRunId(new Date('2030-01-02T03:04:06Z'), '000000'));
  });
});
