import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { formatOwner, parseOwner, readOwner, readOwnerState } from './owner.ts';

describe('the owner of an object', () => {
  it('is alive as long as this process is', async () => {
    const owner = await readOwner();
    assert.deepEqual(parseOwner(formatOwner(owner)), owner);
    assert.equal(await readOwnerState(owner), 'alive');
  });

  it('is dead when its pid is unused, or used by a later process', async () => {
    const owner = await readOwner();
    const { pid } = spawnSync('true');
    assert.equal(await readOwnerState({ ...owner, pid }), 'dead');
    assert.equal(await readOwnerState({ ...owner, startTicks: '1' }), 'dead');
  });

  it('is elsewhere on another boot or in another pid namespace, whatever its pid', async () => {
    const owner = await readOwner();
    const bootId = '00000000-0000-0000-0000-000000000000';
    assert.equal(await readOwnerState({ ...owner, bootId }), 'elsewhere');
    assert.equal(await readOwnerState({ ...owner, pidNamespace: '1' }), 'elsewhere');
  });

  for (const text of ['', '1', 'a/b/c/d', '/////', '00000000-0000-0000-0000-000000000000/1/-2/3']) {
    it(`is not read from ${JSON.stringify(text)}`, () => {
      assert.equal(parseOwner(text), null);
    });
  }
});
