import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary } from '../boundary/boundary.ts';
import { defaultBoundary } from '../boundary/default-boundary.ts';
import { toInstallBoundary } from './install.ts';

const GIB = 1024 ** 3;
const GIVEN = defaultBoundary('linux/arm64', { exec: false });

/** What may differ between the boundary of a case and that of an install. */
function split({ mounts, memoryBytes, memorySwapBytes, platform, ...rest }: Boundary) {
  return { mounts, memoryBytes, memorySwapBytes, platform, rest };
}

function install(withScripts: boolean) {
  const image = {
    platform: 'linux/amd64' as const,
    layers: [],
    configBytes: Buffer.alloc(0),
    configDigest: '',
  };
  return split(toInstallBoundary({ boundary: GIVEN, image, withScripts }));
}

test('an install has more room and not one right more', () => {
  const given = split(GIVEN);
  const box = install(false);
  assert.deepEqual(box.rest, given.rest);
  assert.equal(box.memoryBytes, box.memorySwapBytes);
  assert.ok(box.memoryBytes > given.memoryBytes);
  const [work, ...others] = box.mounts;
  assert.equal(work?.path, '/work');
  assert.ok((work?.sizeBytes ?? 0) >= 2 * GIB);
  assert.deepEqual(others, given.mounts.slice(1));
  assert.deepEqual(
    box.mounts.map(({ exec }) => exec),
    [false, false, false],
  );
});

test('an install for another platform runs in a box of the one that npm runs on', () => {
  assert.equal(install(false).platform, 'linux/amd64');
});

test('only install scripts that were asked for may start what they built', () => {
  assert.deepEqual(
    install(true).mounts.map(({ exec }) => exec),
    [true, true, true],
  );
});
