import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBlocked } from './blocked.ts';
import { Findings } from './finding.ts';

type Told = Parameters<typeof checkBlocked>[0];
type Audited = Parameters<typeof checkBlocked>[1];

const UNSAFE: Audited['findings'][number] = {
  code: 'NAME_DOT_DOT',
  severity: 'gate',
  unsafe: true,
  path: 'package/../x',
  expected: 'no .. in the path',
  actual: 'package/../x',
  waived: null,
};

const CAUSE: NonNullable<Told['blocked']> = {
  stage: 'audit',
  code: UNSAFE.code,
  where: UNSAFE.path,
  expected: UNSAFE.expected,
  actual: UNSAFE.actual,
};

function found(change: Partial<Told>, findings: Audited['findings']): readonly string[] {
  const told: Told = {
    blocked: CAUSE,
    budget: { limitMs: 180_000, usedMs: 0, exhausted: false },
    durationMs: 0,
    ...change,
  };
  const all = new Findings();
  checkBlocked(told, { findings, omitted: [] }, all);
  return all.list().map(({ code, path }) => `${code} ${path}`);
}

test('an unsafe finding is the cause that is told, and the first one speaks for all', () => {
  assert.deepEqual(found({}, [UNSAFE]), []);
  const several = { ...CAUSE, actual: `${CAUSE.actual} (and 1 more)` };
  assert.deepEqual(found({ blocked: several }, [UNSAFE, { ...UNSAFE, path: 'other' }]), []);
  for (const change of [
    { code: 'OTHER' },
    { stage: 'install' as const },
    { where: 'elsewhere' },
    { expected: 'nothing' },
    { actual: 'another' },
    { actual: `${CAUSE.actual} (and 1 more)` },
  ]) {
    assert.deepEqual(found({ blocked: { ...CAUSE, ...change } }, [UNSAFE]), [
      'REPORT_FACT report.json.blocked',
    ]);
  }
});

test('what the audit found unsafe was never run', () => {
  assert.deepEqual(found({ blocked: null }, [UNSAFE]), ['REPORT_FACT report.json.blocked']);
  assert.deepEqual(found({ blocked: null }, [{ ...UNSAFE, unsafe: false }]), []);
});

test('what stopped a run that the audit let pass is the runner\u2019s word', () => {
  assert.deepEqual(found({ blocked: { ...CAUSE, stage: 'install', code: 'INSTALL_FAILED' } }, []), []);
});

test('a run that was stopped used no time', () => {
  const used = { budget: { limitMs: 180_000, usedMs: 5, exhausted: false }, durationMs: 5 };
  assert.deepEqual(found(used, [UNSAFE]), [
    'REPORT_BUDGET report.json.budget.usedMs',
    'REPORT_TIME report.json.durationMs',
  ]);
  assert.deepEqual(found({ ...used, blocked: null }, []), []);
});
