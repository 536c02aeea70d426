import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '../../document/assets.ts';

const SCRIPTS = join(packageRoot(), 'scripts');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

describe('the scripts that provide engines', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-scripts-'));
  });
  after(() => rm(folder, { recursive: true }));

  const engine = (...args: readonly string[]) => run(join(SCRIPTS, 'test-engine'), args);
  const provision = (...args: readonly string[]) => run(join(SCRIPTS, 'provision'), args);

  it('start an engine, know it, start it only once, and leave nothing', async () => {
    const place = join(folder, 'e');
    const started = await engine('start', place);
    assert.equal(started.stdout, `DOCKER_HOST=unix://${place}/docker.sock\n`);
    assert.equal((await engine('status', place)).code, 0);
    const again = await engine('start', place);
    assert.deepEqual([again.code, again.stdout], [0, started.stdout]);
    assert.equal((await engine('stop', place)).code, 0);
    assert.equal(existsSync(place), false);
    assert.equal((await engine('status', place)).code, 1);
    assert.equal((await engine('stop', place)).code, 0);
  });

  it('neither use nor remove a folder that is not theirs', async () => {
    const place = join(folder, 'mine');
    await mkdir(place);
    await writeFile(join(place, 'file'), 'mine');
    for (const command of ['start', 'stop']) {
      const refused = await engine(command, place);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /not ours|not a folder of ours/);
    }
    assert.equal(existsSync(join(place, 'file')), true);
  });

  it('refuse a path that is too long for a socket', async () => {
    const refused = await engine('start', join(folder, 'x'.repeat(90)));
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /longer than 80 bytes/);
  });

  for (const args of [
    [],
    ['start'],
    ['begin', '/tmp/x'],
    ['start', '/tmp/x', '--tcp'],
    ['stop', '/tmp/x', 'y'],
  ]) {
    it(`refuse the arguments ${JSON.stringify(args)}`, async () => {
      const refused = await engine(...args);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /^test-engine: usage:/);
    });
  }

  it('provision what is there already without touching it', async () => {
    const done = await provision('runc', 'docker');
    assert.deepEqual([done.code, done.stdout], [0, '']);
    assert.match(done.stderr, /^provision: runc: \/\S+\nprovision: docker: \/\S+\n$/);
  });

  it('provision no engine that they do not know', async () => {
    const refused = await provision('runc', 'podman');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^provision: usage:/);
  });
});
