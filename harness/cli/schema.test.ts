import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../document/assets.ts';

const main = fileURLToPath(new URL('./main.js', import.meta.url));

function schema(...args: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync(process.execPath, [main, 'schema', ...args], { encoding: 'utf8' });
}

test('a schema is printed byte for byte', () => {
  const answer = schema('receipt');
  assert.equal(answer.status, 0, String(answer.stderr));
  const file = join(packageRoot(), 'evidence-schema', 'receipt.schema.json');
  assert.equal(answer.stdout, readFileSync(file, 'utf8'));
});

test('without a name all names are listed, one a line', () => {
  const answer = schema();
  assert.equal(answer.status, 0);
  const names = readdirSync(join(packageRoot(), 'evidence-schema'))
    .filter((file) => file.endsWith('.schema.json'))
    .map((file) => file.replace('.schema.json', ''));
  assert.deepEqual(String(answer.stdout).trimEnd().split('\n'), names.sort());
});

test('an unknown name, or one that would leave the folder, is a usage error that lists the names', () => {
  for (const name of ['reciept', '../package', '', 'receipt.schema.json']) {
    const answer = schema(name);
    assert.equal(answer.status, 2, name);
    assert.equal(answer.stdout, '');
    assert.match(String(answer.stderr), /SCHEMA_UNKNOWN|expected one of .*receipt/);
  }
});
