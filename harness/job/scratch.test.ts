import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { Scratch, sweepScratch } from './scratch.ts';

describe('the temporary files of a run', () => {
  let state = '';
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'packproof-scratch-'));
    state = join(root, 'state');
  });
  afterEach(() => rm(state, { recursive: true, force: true }));
  after(() => rm(root, { recursive: true, force: true }));

  /** A folder as a process that is gone now left it: this run's, under a dead process's name. */
  async function leaveByDeadRun(elsewhere: readonly string[]): Promise<string> {
    const scratch = await Scratch.open(state, 'killed');
    await writeFile(join(scratch.folder, 'elsewhere'), elsewhere.map((path) => `${path}\n`).join(''));
    const child = spawn(process.execPath, ['-e', '']);
    const { pid } = child;
    await new Promise((resolve) => child.once('close', resolve));
    const dead = scratch.folder.replace(/_\d+_\d+$/, `_${pid}_1`);
    assert.notEqual(dead, scratch.folder);
    await rename(scratch.folder, dead);
    return dead;
  }

  it('lie in a folder of its own, private, and are gone at its end', async () => {
    const scratch = await Scratch.open(state, 'one');
    assert.match(scratch.folder, /\/scratch\/one_[0-9a-f-]{36}_\d+_\d+_\d+$/);
    assert.equal((await stat(scratch.folder)).mode & 0o777, 0o700);
    await writeFile(join(scratch.folder, 'file'), '');
    await scratch.close();
    assert.deepEqual(await readdir(join(state, 'scratch')), []);
  });

  it('of a dead run are removed by the next one, with the unfinished folder it announced', async () => {
    const partial = join(root, '.evidence.killed.partial');
    await mkdir(join(partial, 'cases'), { recursive: true });
    const dead = await leaveByDeadRun([partial]);
    const next = await Scratch.open(state, 'next');
    await assert.rejects(stat(dead), { code: 'ENOENT' });
    await assert.rejects(stat(partial), { code: 'ENOENT' });
    await next.close();
  });

  it('nothing else than unfinished work is removed, whatever the list says', async () => {
    const names = ['evidence', 'a.partial', '.partial', '.b.partial.bak'];
    for (const name of names) await mkdir(join(root, 'kept', name), { recursive: true });
    const lines = [...names.map((name) => join(root, 'kept', name)), '.relative.partial', ''];
    await leaveByDeadRun(lines);
    assert.deepEqual(await sweepScratch(state), ['scratch killed']);
    assert.deepEqual((await readdir(join(root, 'kept'))).sort(), [...names].sort());
  });

  it('of a living run, of another machine and of nobody are left alone', async () => {
    const living = await Scratch.open(state, 'living');
    await living.announce(join(root, '.x.partial'));
    const foreign = living.folder.replace(/_[0-9a-f-]{36}_/, '_00000000-0000-0000-0000-000000000000_');
    await mkdir(foreign);
    await mkdir(join(state, 'scratch', 'no-owner'));
    assert.deepEqual(await sweepScratch(state), []);
    assert.equal(await readFile(join(living.folder, 'elsewhere'), 'utf8'), `${join(root, '.x.partial')}\n`);
    assert.equal((await readdir(join(state, 'scratch'))).length, 3);
  });

  it('a state folder without any is nothing to sweep', async () => {
    assert.deepEqual(await sweepScratch(join(root, 'absent')), []);
  });
});
