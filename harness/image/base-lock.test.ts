import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAsset } from '../document/assets.ts';
import { parseBaseLock } from './base-lock.ts';
import { fault } from './testing/scratch.ts';

const BYTES = readAsset('docker/base.lock.json');

describe('parseBaseLock', () => {
  it('accepts the lock that is shipped, which names the same packages for both platforms', () => {
    const { platforms } = parseBaseLock(BYTES);
    const names = (platform: 'linux/amd64' | 'linux/arm64'): readonly string[] =>
      platforms[platform].archives.map((archive) => archive.package);
    assert.deepEqual(names('linux/amd64'), names('linux/arm64'));
    assert.ok(names('linux/amd64').includes('libatomic1'));
  });

  const changed = (from: RegExp, to: string): Buffer => Buffer.from(BYTES.toString('utf8').replace(from, to));
  for (const [why, bytes, where] of [
    ['no JSON', Buffer.from('{'), 'document'],
    ['another version', changed(/"formatVersion": 1/u, '"formatVersion": 2'), 'baseLock.formatVersion'],
    ['an unknown field', changed(/"codename"/u, '"extra": 1, "codename"'), 'baseLock.release.extra'],
    [
      'a digest that is too short',
      changed(/"sha256": "[0-9a-f]/u, '"sha256": "'),
      'baseLock.platforms.linux/amd64.archives[0].sha256',
    ],
    [
      'a path that climbs',
      changed(/"to": "usr\/bin\/"/u, '"to": "usr/../etc/x"'),
      'baseLock.platforms.linux/amd64.archives[0].include[0].to',
    ],
    [
      'a pool path outside the pool',
      changed(/"poolPath": "pool/u, '"poolPath": "../pool'),
      'baseLock.platforms.linux/amd64.archives[0].poolPath',
    ],
  ] as const) {
    it(`refuses ${why}`, () => {
      assert.throws(() => parseBaseLock(bytes), fault('BASE_LOCK_MALFORMED', where));
    });
  }
});
