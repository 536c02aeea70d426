import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PrepareError } from './errors.ts';
import { pinnedNpm } from './tools-lock.ts';

const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
const npm = { version: '1.2.3', integrity, sizeBytes: 4 };

function refusalOf(value: unknown): string {
  try {
    pinnedNpm(Buffer.from(JSON.stringify(value)));
  } catch (error) {
    assert.ok(error instanceof PrepareError);
    return error.code;
  }
  return 'none';
}

test('the npm that installs is pinned by digest and size', () => {
  const { name, version, sizeBytes } = pinnedNpm(Buffer.from(JSON.stringify({ formatVersion: 1, npm })));
  assert.deepEqual([name, version, sizeBytes], ['npm', '1.2.3', 4]);
  assert.ok(pinnedNpm().sizeBytes > 0);
});

test('a lock of tools that leaves anything out is refused', () => {
  for (const key of ['version', 'integrity', 'sizeBytes'])
    assert.equal(
      refusalOf({ formatVersion: 1, npm: { ...npm, [key]: undefined } }),
      'TOOLS_LOCK_INVALID',
      key,
    );
  for (const value of [{ formatVersion: 2, npm }, { formatVersion: 1 }, [], null])
    assert.equal(refusalOf(value), 'TOOLS_LOCK_INVALID');
});
