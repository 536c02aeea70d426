import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readDurationsFlag } from './durations.ts';
import { UsageError } from './errors.ts';

let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-durations-'));
});

after(() => rm(folder, { recursive: true, force: true }));

async function place(name: string, value: unknown): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

/** The last part of the path and what was there instead. */
async function refusalOf(path: string): Promise<string> {
  const answer = await readDurationsFlag(path).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(answer instanceof UsageError);
  assert.equal(answer.code, 'DURATIONS_UNREADABLE');
  return `${answer.where?.slice(folder.length + 1)}: ${answer.actual}`;
}

test('a document of durations balances, and nothing does when no flag names one', async () => {
  const good = await place('good.json', { formatVersion: 1, cases: { 'a.b': 12 } });
  assert.notEqual(await readDurationsFlag(good), null);
  assert.equal(await readDurationsFlag(undefined), null);
});

test('what is no document of durations is refused, and nothing waits for a FIFO', async () => {
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'broken', 'cases', 'a'), { recursive: true });
  await place('broken/cases/a/receipt.json', { caseId: 'a', attempts: [{ steps: [{}] }] });
  const refusals: readonly (readonly [string, string])[] = [
    [join(folder, 'absent'), 'absent: ENOENT'],
    [join(folder, 'fifo'), 'fifo: no regular file'],
    [join(folder, 'empty'), 'empty/cases: ENOENT'],
    [join(folder, 'broken'), 'broken/cases/a: a duration of NaN'],
    [
      await place('version.json', { formatVersion: 2, cases: { a: 1 } }),
      'version.json: no document of durations',
    ],
    [await place('negative.json', { formatVersion: 1, cases: { a: -1 } }), 'negative.json: a: -1'],
    [await place('none.json', { formatVersion: 1, cases: {} }), 'none.json: no duration of a case'],
  ];
  for (const [path, expected] of refusals) assert.equal(await refusalOf(path), expected);
  assert.match(await refusalOf(await place('text.json', '{')), /^text\.json: .*JSON/);
});
