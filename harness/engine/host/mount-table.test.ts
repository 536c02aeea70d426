import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMountInfo, toBoxMounts } from './mount-table.ts';

const TEXT = [
  '70 60 0:50 / / ro,relatime - overlay packproof ro,lowerdir=/root/.cache/a:/root/.cache/b,upperdir=/u,workdir=/w,redirect_dir=on',
  '71 70 0:51 / /work rw,nosuid,nodev - tmpfs tmpfs rw,size=262144k,uid=1000',
  '72 70 0:52 /sub\\040dir /a\\134b\\011c rw shared:4 master:1 - ext4 /dev/sda1 rw',
  'not a line',
  '',
].join('\n');

test('mount lines are parsed with optional fields and escapes', () => {
  const lines = parseMountInfo(TEXT);
  assert.equal(lines.length, 3);
  assert.deepEqual(lines[2], {
    root: '/sub dir',
    path: '/a\\b\tc',
    options: ['rw'],
    type: 'ext4',
    source: '/dev/sda1',
    superOptions: ['rw'],
  });
});

test('the mounts of a box carry no path of the host, and each option once', () => {
  assert.deepEqual(toBoxMounts(parseMountInfo(TEXT)), [
    { path: '/', type: 'overlay', options: ['ro', 'relatime', 'redirect_dir=on'] },
    { path: '/work', type: 'tmpfs', options: ['rw', 'nosuid', 'nodev', 'size=262144k', 'uid=1000'] },
    { path: '/a\\b\tc', type: 'ext4', options: ['rw'] },
  ]);
});
