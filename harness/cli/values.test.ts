import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from './errors.ts';
import { type CheckFlags, parseNodeList, parseRunFlags } from './flags.ts';
import { parseCount, parseDuration, parseList } from './values.ts';

const DEFAULTS: CheckFlags = { engine: 'auto' };

/** The refusal of a value: its code, its flag and the value itself. */
function refused(flag: string, actual: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof UsageError);
    assert.deepEqual(
      { code: error.code, kind: error.kind, where: error.where, actual: error.actual },
      { code: 'FLAG_VALUE', kind: 'usage', where: flag, actual },
    );
    return true;
  };
}

describe('values of flags', () => {
  it('durations have a unit and are more than nothing and at most a day', () => {
    const good: readonly (readonly [string, number])[] = [
      ['1ms', 1],
      ['1500ms', 1_500],
      ['180s', 180_000],
      ['3m', 180_000],
      ['24h', 86_400_000],
      ['007s', 7_000],
    ];
    for (const [text, ms] of good) assert.equal(parseDuration('--budget', text), ms);
    const bad = [
      '',
      '0s',
      '0ms',
      '180',
      '1.5s',
      '-1s',
      '+1s',
      ' 1s',
      '1s ',
      '1S',
      '1d',
      '25h',
      '1441m',
      '1e3s',
      '1s1s',
    ];
    for (const text of [...bad, `${'9'.repeat(10)}s`, '１s']) {
      assert.throws(() => parseDuration('--budget', text), refused('--budget', text));
    }
  });

  it('counts are whole numbers from 1 to their limit', () => {
    assert.equal(parseCount('--jobs', '1', 64), 1);
    assert.equal(parseCount('--jobs', '64', 64), 64);
    for (const text of ['', '0', '65', '01', '1.0', '-1', '+1', '1e1', '0x1', ' 1', 'NaN', '1000000']) {
      assert.throws(() => parseCount('--jobs', text, 64), refused('--jobs', text));
    }
  });

  it('lists have no gap and no repetition', () => {
    assert.deepEqual(parseList('--node', '22, 24,floor'), ['22', '24', 'floor']);
    for (const text of ['', ',', '22,', ',22', '22,,24', '22,22', '22, 22']) {
      assert.throws(() => parseList('--node', text), refused('--node', text));
    }
  });
});

describe('flags of a run', () => {
  it('have the documented defaults', () => {
    assert.deepEqual(parseRunFlags(DEFAULTS), {
      budgetMs: 180_000,
      caseTimeoutMs: 20_000,
      jobs: 2,
      repeat: 1,
      only: [],
      shard: null,
      shuffle: null,
      nonce: null,
    });
    assert.deepEqual(parseNodeList(DEFAULTS), []);
  });

  it('are read as they are given', () => {
    const flags = { ...DEFAULTS, budget: '5s', caseTimeout: '100ms', jobs: '3', repeat: '2', only: ['a*'] };
    const values = parseRunFlags({ ...flags, shard: '2/3', shuffle: 'Seed-1', nonce: 'a b' });
    assert.deepEqual(values, {
      budgetMs: 5_000,
      caseTimeoutMs: 100,
      jobs: 3,
      repeat: 2,
      only: ['a*'],
      shard: { index: 2, count: 3 },
      shuffle: 'Seed-1',
      nonce: 'a b',
    });
    assert.deepEqual(parseNodeList({ ...DEFAULTS, node: '20,floor' }), ['20', 'floor']);
  });

  it('say of an execution as results name it where its version belongs', () => {
    assert.throws(
      () => parseRunFlags({ ...DEFAULTS, only: ['own.file@26.12.1'] }),
      (error) =>
        refused('--only', 'own.file@26.12.1')(error) &&
        error instanceof UsageError &&
        error.expected === 'own.file, and --node 26.12.1 of check or prepare for that version alone',
    );
  });

  it('refuse shards that do not exist and nonces that a line cannot hold', () => {
    for (const shard of ['', '1', '0/1', '2/1', '1/0', '1/', '/1', 'a/b', '1/2/3', '1/99999']) {
      assert.throws(() => parseRunFlags({ ...DEFAULTS, shard }), refused('--shard', shard));
    }
    for (const nonce of ['', 'x'.repeat(257), 'a\nb', 'ä', '\u001b[2J']) {
      assert.throws(() => parseRunFlags({ ...DEFAULTS, nonce }), refused('--nonce', nonce));
    }
  });
});
