import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EvidenceError } from '../evidence/errors.ts';
import { JobError } from '../job/errors.ts';
import { PrepareError } from '../prepare/errors.ts';
import { CliError, UsageError } from './errors.ts';
import { EXIT, exitOfEnd, exitOfError, strongestExit } from './exit-code.ts';

/** The order of the contract: 129/130/143, 4, 3, 124, 1, 2, 0. */
const STRONGEST_FIRST = [130, 143, 129, 4, 3, 124, 1, 2, 0];

describe('exit codes', () => {
  it('are the documented ones', () => {
    assert.deepEqual(
      [...Object.values(EXIT)].sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 124, 129, 130, 143],
    );
  });

  it('of all that holds the strongest is taken, in every pair and order', () => {
    STRONGEST_FIRST.forEach((strong, rank) => {
      for (const weak of STRONGEST_FIRST.slice(rank)) {
        assert.equal(strongestExit([strong, weak]), strong);
        assert.equal(strongestExit([weak, strong]), strong);
      }
    });
    assert.equal(strongestExit(STRONGEST_FIRST.toReversed()), 130);
  });

  it('nothing to say is a pass, a code that nobody knows is not', () => {
    assert.equal(strongestExit([]), 0);
    assert.equal(strongestExit([77]), 3);
    assert.equal(strongestExit([77, 1]), 1);
  });

  it('follow from whose fault an error is, and a bug of ours is never the candidate', () => {
    const details = { where: 'x' };
    assert.equal(exitOfError(new UsageError('FLAG_VALUE', 'flag', details)), 2);
    assert.equal(exitOfError(new CliError('VERIFIER_FAILED', 'verifier', details)), 3);
    assert.equal(exitOfError(new EvidenceError('OUT_NOT_EMPTY', 'output folder', details)), 2);
    assert.equal(exitOfError(new EvidenceError('WRITE_FAILED', 'evidence', details)), 3);
    assert.equal(exitOfError(new JobError('NO_ENGINE', 'engine', details)), 3);
    assert.equal(exitOfError(new PrepareError('candidate', 'TREE_INVALID', 'tree', details)), 1);
    assert.equal(exitOfError(new PrepareError('evidence', 'TREE_INVALID', 'tree', details)), 4);
    for (const bug of [new TypeError('x'), 'text', undefined, null, { code: 1, kind: 'candidate' }]) {
      assert.equal(exitOfError(bug), 3);
    }
  });

  it('of an interruption is that of its signal', () => {
    assert.equal(exitOfError(new CliError('INTERRUPTED', 'interrupted', { where: 'SIGINT' })), 130);
    assert.equal(exitOfError(new CliError('INTERRUPTED', 'interrupted', { where: 'SIGTERM' })), 143);
    assert.equal(exitOfError(new CliError('INTERRUPTED', 'interrupted', { where: 'SIGHUP' })), 129);
  });

  it('stays that of the signal when cleaning up after it fails', () => {
    const failed = new CliError('SYSTEM', 'rmdir', { where: 'x', actual: 'EBUSY' });
    assert.equal(exitOfEnd(failed, null), 3);
    assert.equal(exitOfEnd(failed, 'SIGINT'), 130);
    assert.equal(exitOfEnd(failed, 'SIGTERM'), 143);
    assert.equal(exitOfEnd(failed, 'SIGHUP'), 129);
  });
});
