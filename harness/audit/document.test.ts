import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../document/assets.ts';
import { listFindingCodes } from './catalogue/catalogue.ts';
import { toFindingsDocument } from './document.ts';
import { parseWaivers } from './waivers.ts';

test('docs/audit-findings.md is what the catalogue says', () => {
  assert.equal(readFileSync(join(packageRoot(), 'docs', 'audit-findings.md'), 'utf8'), toFindingsDocument());
});

test('the page has one row for every code', () => {
  const rows = [...toFindingsDocument().matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, code = '']) => code);
  assert.deepEqual(rows.sort(), listFindingCodes());
});

test('the waiver file on the page is one', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(toFindingsDocument()) ?? [];
  assert.deepEqual(
    parseWaivers(Buffer.from(example)).map(({ code, path }) => [code, path]),
    [['BIN_SHEBANG_CRLF', 'package/cli.js']],
  );
});
