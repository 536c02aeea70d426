import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CONFIG_LIMIT_BYTES } from '../limits.ts';
import { readOpened, readSource } from './bounded-reader.ts';
import { probeFile } from './instruction-probe.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-scope-read-')));
chmodSync(dir, 0o755);
after(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array = '{}'): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

function fifo(name: string): string {
  const path = join(dir, name);
  execFileSync('mkfifo', [path]);
  return path;
}

/**
 * What both readers say as a user who may read nothing here: root may read everything, and whether a file may
 * be accessed is asked of the real user, so a process of its own is needed.
 */
function statesAsNobody(paths: readonly string[]): string[] {
  const modules = ['./bounded-reader.js', './instruction-probe.js'].map(
    (name) => new URL(name, import.meta.url),
  );
  const script = `
    const [{ readSource }, { probeFile }] = await Promise.all(${JSON.stringify(modules)}.map((url) => import(url)));
    const paths = ${JSON.stringify(paths)};
    if (process.getuid() === 0) process.setuid(65534);
    console.log(paths.map((path) => readSource(path).state + ' ' + probeFile(path)).join());`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    .trim()
    .split(',');
}

const stateOf = (path: string): string => readSource(path).state;

describe('readSource', () => {
  it('gives the bytes of a regular file', () => {
    const reading = readSource(file('plain', 'héllo'));
    assert.equal(reading.state, 'present');
    assert.equal(reading.state === 'present' && Buffer.from(reading.bytes).toString(), 'héllo');
    assert.equal(stateOf(file('empty', '')), 'present');
  });

  it('says missing for no file, no folder and a file in the place of a folder', () => {
    assert.equal(stateOf(join(dir, 'none')), 'missing');
    assert.equal(stateOf(join(dir, 'none', 'deeper')), 'missing');
    assert.equal(stateOf(join(file('in-the-way'), 'deeper')), 'missing');
  });

  it('does not say missing of a path that is too long to be asked for', () => {
    assert.equal(stateOf(join(dir, 'x'.repeat(300))), 'unreadable');
    assert.equal(stateOf(join(dir, 'x/'.repeat(2500), 'f')), 'missing');
    let folder = dir;
    for (let level = 0; level < 15; level += 1) {
      folder = join(folder, 'd'.repeat(255));
      mkdirSync(folder);
    }
    assert.equal(stateOf(join(folder, 'e'.repeat(255), 'f'.repeat(255))), 'unreadable');
  });

  it('skips links: to a file, dangling, to a folder above, and a loop', () => {
    symlinkSync(file('target'), join(dir, 'link'));
    symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'));
    mkdirSync(join(dir, 'real'));
    writeFileSync(join(dir, 'real', 'f'), '{}');
    symlinkSync(join(dir, 'real'), join(dir, 'folder-link'));
    symlinkSync(join(dir, 'loop'), join(dir, 'loop'));
    for (const name of ['link', 'dangling', 'folder-link/f', 'folder-link/none', 'loop', 'loop/f']) {
      assert.equal(stateOf(join(dir, name)), 'symlink-skipped', name);
      assert.equal(probeFile(join(dir, name)), 'symlink-skipped', name);
    }
    assert.equal(stateOf(join(dir, 'real', 'f')), 'present');
  });

  it('says not-file for a folder, a FIFO, a device and the root', () => {
    mkdirSync(join(dir, 'folder'));
    for (const path of [join(dir, 'folder'), fifo('fifo'), '/dev/null', '/']) {
      assert.equal(stateOf(path), 'not-file', path);
      assert.equal(probeFile(path), 'not-file', path);
    }
  });

  it('says not-file for a socket', async () => {
    const path = join(dir, 'socket');
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    assert.equal(stateOf(path), 'not-file');
    assert.equal(readOpened(path).state, 'not-file');
    await new Promise((resolve) => server.close(resolve));
  });

  it('reads 1 MiB and refuses one byte more', () => {
    const path = file('large', Buffer.alloc(CONFIG_LIMIT_BYTES, 0x20));
    const reading = readSource(path);
    assert.equal(reading.state === 'present' && reading.bytes.length, CONFIG_LIMIT_BYTES);
    truncateSync(path, CONFIG_LIMIT_BYTES + 1);
    assert.deepEqual(readSource(path), { state: 'too-large', problem: null });
  });

  it('refuses a sparse file of a terabyte at once', () => {
    const path = file('sparse');
    truncateSync(path, 2 ** 40);
    assert.equal(stateOf(path), 'too-large');
  });

  it('says unreadable when it may not read the file or enter a folder', () => {
    const path = file('denied');
    chmodSync(path, 0o000);
    mkdirSync(join(dir, 'closed'));
    writeFileSync(join(dir, 'closed', 'f'), '{}');
    chmodSync(join(dir, 'closed'), 0o000);
    assert.deepEqual(statesAsNobody([path, join(dir, 'closed', 'f'), file('open-to-all')]), [
      'unreadable unreadable',
      'unreadable unreadable',
      'present present',
    ]);
  });

  it('refuses relative paths and paths with a zero byte', () => {
    assert.equal(stateOf('relative'), 'unreadable');
    assert.equal(stateOf(`${dir}/a\0b`), 'unreadable');
  });

  it('notices that what it read is not what the file said it was', {
    skip: process.platform !== 'linux',
  }, () => {
    // The kernel gives this file no size, yet it has content: it is made while it is read.
    assert.deepEqual(readSource('/proc/version'), { state: 'unreadable', problem: 'changed-while-read' });
  });

  it('leaves content, mode and times as they were', () => {
    const path = file('untouched', '{"a":1}');
    utimesSync(path, new Date('2020-01-01T00:00:00Z'), new Date('2021-01-01T00:00:00Z'));
    const before = statSync(path, { bigint: true });
    assert.equal(stateOf(path), 'present');
    const { atimeNs, mtimeNs, ctimeNs, mode, size } = statSync(path, { bigint: true });
    assert.deepEqual(
      [mtimeNs, ctimeNs, mode, size],
      [before.mtimeNs, before.ctimeNs, before.mode, before.size],
    );
    if (process.platform === 'linux') assert.equal(atimeNs, before.atimeNs);
  });
});

describe('the opening trusts nothing that the walk saw', () => {
  it('refuses a FIFO put in place since, without waiting for a writer', () => {
    assert.deepEqual(readOpened(fifo('swapped-fifo')), { state: 'not-file', problem: null });
  });

  it('refuses a link put in place since', () => {
    symlinkSync(file('swap-target'), join(dir, 'swapped-link'));
    assert.deepEqual(readOpened(join(dir, 'swapped-link')), { state: 'symlink-skipped', problem: null });
  });

  it('refuses a file below a folder that has become a link since', {
    skip: process.platform !== 'linux',
  }, () => {
    mkdirSync(join(dir, 'elsewhere'));
    writeFileSync(join(dir, 'elsewhere', 'f'), '{}');
    symlinkSync(join(dir, 'elsewhere'), join(dir, 'became-a-link'));
    assert.equal(readOpened(join(dir, 'elsewhere', 'f')).state, 'present');
    assert.deepEqual(readOpened(join(dir, 'became-a-link', 'f')), {
      state: 'unreadable',
      problem: 'changed-while-read',
    });
  });

  it('refuses a folder put in place since and sees a removal', () => {
    mkdirSync(join(dir, 'swapped-folder'));
    assert.equal(readOpened(join(dir, 'swapped-folder')).state, 'not-file');
    assert.equal(readOpened(join(dir, 'removed')).state, 'missing');
  });
});
