import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { FREE_FIELDS, freeField } from './free-fields.ts';

test('the documentation lists the free fields, and no others', () => {
  const text = readFileSync(join(packageRoot(), 'docs', 'tampering.md'), 'utf8');
  const [, table = ''] = text.split('| document | field | why nothing contradicts it |\n');
  const rows = table
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map(([, document, field, why]) => ({ document, field: field === 'as a whole' ? '' : field, why }));
  assert.deepEqual(
    rows,
    FREE_FIELDS.map(({ document, field, why }) => ({ document, field, why })),
  );
});

test('no field is listed twice, or under one that covers it', () => {
  for (const [index, field] of FREE_FIELDS.entries()) {
    assert.equal(
      FREE_FIELDS.findIndex((one) => one.document === field.document && one.field === field.field),
      index,
    );
    assert.equal(freeField(field, true), field, `${field.document} ${field.field}`);
  }
});

test('what decides a verdict is never free', () => {
  const deciding = [
    ['cases/*/receipt.json', 'outcome'],
    ['cases/*/receipt.json', 'checks[].result'],
    ['cases/*/receipt.json', 'checks[].severity'],
    ['cases/*/receipt.json', 'attempts[].teardown'],
    ['report.json', 'exitCode'],
    ['report.json', 'result'],
    ['report.json', 'counts.pass'],
    ['report.json', 'candidate.sha512'],
    ['boundary/declared.json', 'boundaries[].boundary.network'],
    ['boundary/measured.json', 'views[].measured.outcomes.*'],
    ['inputs/suites/*/suite.json', 'cases[].checks[].expect.kind'],
    ['statement.json', 'predicate.result'],
    ['inputs/candidate.tgz', ''],
  ] as const;
  for (const [document, field] of deciding)
    assert.equal(freeField({ document, field }, true), null, `${document} ${field}`);
});

test('what is free where nothing ran is not free where something did', () => {
  const field = { document: 'report.json', field: 'limits.repeat' };
  assert.equal(freeField(field, true)?.within, 'stopped');
  assert.equal(freeField(field, false), null);
});
