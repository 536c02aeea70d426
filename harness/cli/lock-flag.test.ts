import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { SuiteSource } from '../job/suite-sources.ts';
import { readLockFile } from '../prepare/lock-file.ts';
import { faultOf } from '../prepare/testing/folder.ts';
import { UsageError } from './errors.ts';
import { findLockFile } from './lock-flag.ts';

describe('the lock of a run', () => {
  let root = '';
  const at = (...parts: readonly string[]): string => join(root, ...parts);
  const suiteIn = (folder: string): SuiteSource => ({
    kind: 'written',
    file: at(folder, 'suite.yaml'),
    bytes: Buffer.alloc(0),
  });

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'packproof-lock-'));
    for (const folder of ['locked', 'also', 'bare', 'odd']) await mkdir(at(folder));
    for (const folder of ['locked', 'also']) await writeFile(at(folder, 'packproof.lock.json'), '{}');
    await mkdir(at('odd', 'packproof.lock.json'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('is the one beside the suite, or of the current folder, when there is one', async () => {
    const lock = at('locked', 'packproof.lock.json');
    const beside = [suiteIn('bare'), suiteIn('locked'), suiteIn('locked')];
    assert.equal(await findLockFile({}, beside, at('also')), lock);
    assert.equal(await findLockFile({}, [], at('locked')), lock);
    assert.equal(await findLockFile({}, [suiteIn('bare')], at('also')), null);
    assert.equal(await findLockFile({}, [], at('bare')), null);
  });

  it('is the named one, there or not', async () => {
    assert.equal(await findLockFile({ lock: 'own.lock' }, [suiteIn('locked')], root), at('own.lock'));
  });

  it('is demanded under --frozen at the place where it belongs', async () => {
    const lockFile = await findLockFile({ frozen: true }, [suiteIn('bare')], at('also'));
    assert.equal(lockFile, at('bare', 'packproof.lock.json'));
    await assert.rejects(
      readLockFile({ lockFile, frozen: true }),
      faultOf('LOCK_MISSING', at('bare', 'packproof.lock.json')),
    );
    assert.equal(await readLockFile({ lockFile, frozen: false }), null);
  });

  it('is not chosen among several', async () => {
    await assert.rejects(
      findLockFile({}, [suiteIn('locked'), suiteIn('also')], root),
      (error) =>
        error instanceof UsageError &&
        error.code === 'LOCK_AMBIGUOUS' &&
        error.where === '--lock' &&
        error.actual === `${at('locked', 'packproof.lock.json')}, ${at('also', 'packproof.lock.json')}`,
    );
  });

  it('is named when it is broken, and never taken for a missing one', async () => {
    const odd = await findLockFile({}, [suiteIn('odd')], root);
    await assert.rejects(
      readLockFile({ lockFile: odd, frozen: false }),
      faultOf('LOCK_UNREADABLE', at('odd', 'packproof.lock.json')),
    );
    const broken = at('locked', 'packproof.lock.json');
    await assert.rejects(readLockFile({ lockFile: broken, frozen: false }), faultOf('LOCK_VERSION', broken));
  });
});
