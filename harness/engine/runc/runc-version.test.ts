import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../errors.ts';
import { parseRuncVersion, requireSafeVersion } from './runc-version.ts';

const SAFE = [
  ['1.1.12', ''],
  ['1.1.12-0ubuntu2~22.04.1', ''],
  ['1.2.0-rc.1', 'v1.2.0-rc.1-0-g1'],
  ['2.0.0', ''],
  ['1.1.5+ds1', '1.1.5+ds1-1+deb12u1'],
  ['1.1.5+ds1', '1.1.5+ds1-1+deb12u12'],
] as const;
const UNSAFE = [
  ['1.1.11', 'v1.1.11-0-g4bccb38c'],
  ['1.1.12-rc.1', ''],
  ['1.0.0', ''],
  ['1.1.5+ds1', '1.1.5+ds1-1+b1'],
  ['1.1.5+ds1', '1.1.5+ds1-1+deb12u0'],
  ['0.9.9', ''],
] as const;

for (const [version, commit] of SAFE) {
  test(`${version} ${commit} is taken`, () => requireSafeVersion({ version, commit }));
}
for (const [version, commit] of UNSAFE) {
  test(`${version} ${commit} is refused`, () => {
    assert.throws(
      () => requireSafeVersion({ version, commit }),
      (error: unknown) =>
        error instanceof EngineError &&
        error.code === 'ENGINE_TOO_OLD' &&
        error.where === 'runc' &&
        error.actual === `${version} ${commit}`.trim(),
    );
  });
}

test('the version is read from what runc prints, and nothing else is taken for one', () => {
  const text = 'runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1\nspec: 1.0.2-dev\ngo: go1.19.8';
  assert.deepEqual(parseRuncVersion(text), { version: '1.1.5+ds1', commit: '1.1.5+ds1-1+deb12u1' });
  assert.deepEqual(parseRuncVersion('runc version 1.2.3'), { version: '1.2.3', commit: '' });
  for (const bad of ['', 'crun version 1.8', 'runc version unknown']) {
    assert.throws(
      () => parseRuncVersion(bad),
      (error: unknown) =>
        error instanceof EngineError && error.code === 'ENGINE_FAILED' && error.actual === bad,
    );
  }
});
