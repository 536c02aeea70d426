import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCanonicalBytes } from '../document/canonical.ts';
import { defaultBoundary } from './default-boundary.ts';
import { BoundaryError } from './errors.ts';
import { parseBoundary } from './parse-boundary.ts';
import { digestSeccompPolicy, readSeccompPolicy } from './seccomp-policy.ts';
import { type Json, mutate } from './testing/mutations.ts';

const BOUNDARY = defaultBoundary('linux/amd64', { exec: false });

function isMalformedAt(where: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof BoundaryError && error.code === 'BOUNDARY_MALFORMED' && error.where === where;
}

test('the boundaries of ours are read back as they were written', () => {
  for (const boundary of [BOUNDARY, defaultBoundary('linux/arm64', { exec: true })]) {
    const stored: unknown = JSON.parse(toCanonicalBytes(boundary).toString());
    assert.deepEqual(parseBoundary(stored), boundary);
  }
});

test('the default boundary has the values of the format version', () => {
  assert.deepEqual([BOUNDARY.uid, BOUNDARY.gid, BOUNDARY.capabilities], [1000, 1000, []]);
  assert.deepEqual(
    BOUNDARY.mounts.map(({ path, sizeBytes, exec }) => [path, sizeBytes / 1024 ** 2, exec]),
    [
      ['/work', 256, false],
      ['/home/node', 256, false],
      ['/tmp', 128, false],
    ],
  );
  assert.deepEqual(
    [BOUNDARY.pidsLimit, BOUNDARY.cpuMillis, BOUNDARY.memoryBytes],
    [256, 2000, 2 * 1024 ** 3],
  );
  assert.equal(BOUNDARY.memorySwapBytes, BOUNDARY.memoryBytes);
  assert.equal(BOUNDARY.seccompSha256, digestSeccompPolicy(readSeccompPolicy()));
});

test('an extra mount is added as given, and exec opens all three places', () => {
  const extra = {
    path: '/data',
    sizeBytes: 4096,
    inodes: 2,
    uid: 1000,
    gid: 1000,
    mode: '0700',
    exec: false,
  };
  const boundary = defaultBoundary('linux/amd64', { exec: true, extra: [extra] });
  assert.deepEqual(boundary.mounts.at(-1), extra);
  assert.deepEqual(
    boundary.mounts.map((mount) => mount.exec),
    [true, true, true, false],
  );
  assert.deepEqual(parseBoundary(boundary), boundary);
});

test('a field too many or too few anywhere is refused with its path', () => {
  const sample: Json = JSON.parse(JSON.stringify(BOUNDARY));
  let judged = 0;
  for (const { place, kind, value } of mutate(sample)) {
    const isList =
      /^(supplementaryGids|capabilities|mounts|resourceLimits|maskedPaths|readonlyPaths)(\.\d+)?$/;
    const path = place.join('.');
    if (kind === 'changed' || (isList.test(path) && !/^(mounts|resourceLimits)\.\d+$/.test(path))) continue;
    if (kind === 'removed' && /\.\d+$/.test(path)) continue;
    const where = kind === 'added' ? [path, 'packproofAdded'].filter((part) => part !== '').join('.') : path;
    // A field that is gone is missed, and what would have stood there is read as wrong.
    const expected = kind === 'added' ? where : `${where} ${where}`;
    assert.throws(() => parseBoundary(value), isMalformedAt(expected), `${kind} ${path}`);
    judged += 1;
  }
  assert.equal(judged > 40, true);
});

test('a value that could not be enforced, or only in name, is refused with its path', () => {
  const [work, home] = BOUNDARY.mounts;
  const wrong: readonly (readonly [string, object])[] = [
    ['platform', { platform: 'linux/riscv64' }],
    ['uid', { uid: 0 }],
    ['gid', { gid: 1.5 }],
    ['capabilities.0', { capabilities: ['net_raw'] }],
    ['noNewPrivileges', { noNewPrivileges: 'true' }],
    ['seccompSha256', { seccompSha256: 'F'.repeat(64) }],
    ['network', { network: 'host' }],
    ['ipc', { ipc: 'host' }],
    ['cgroupNamespace', { cgroupNamespace: 'host' }],
    ['pidsLimit', { pidsLimit: 0 }],
    ['memorySwapBytes', { memorySwapBytes: BOUNDARY.memoryBytes + 4096 }],
    ['cpuMillis', { cpuMillis: -1 }],
    ['hostname', { hostname: 'a b' }],
    ['resourceLimits.0.name', { resourceLimits: [{ name: 'RLIMIT_AS', value: 1 }] }],
    ['resourceLimits', { resourceLimits: BOUNDARY.resourceLimits.slice(1) }],
    ['resourceLimits', { resourceLimits: Array(3).fill(BOUNDARY.resourceLimits[0]) }],
    ['maskedPaths.0', { maskedPaths: ['/proc/../etc'] }],
    ['readonlyPaths.0', { readonlyPaths: ['proc/sys'] }],
    ['mounts', { mounts: 'none' }],
    ['mounts.0.path', { mounts: [{ ...work, path: '/work,exec' }] }],
    ['mounts.0.mode', { mounts: [{ ...work, mode: '755' }] }],
    ['mounts.0.sizeBytes', { mounts: [{ ...work, sizeBytes: 5000 }] }],
    ['mounts.1.path', { mounts: [work, { ...home, path: '/work/inner' }] }],
    ['mounts.1.path', { mounts: [work, work] }],
    ['mounts.0.path', { mounts: [{ ...work, path: '/proc' }] }],
    ['mounts.0.path', { mounts: [{ ...work, path: '/proc/sys/kernel' }] }],
  ];
  for (const [path, change] of wrong) {
    assert.throws(
      () => parseBoundary({ ...BOUNDARY, ...change }),
      isMalformedAt(path),
      JSON.stringify(change),
    );
  }
});
