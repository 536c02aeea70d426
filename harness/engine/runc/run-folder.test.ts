import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatOwner, readOwner } from '../host/owner.ts';
import { RunFolder } from './run-folder.ts';

let state = '';
let mine = '';
let dead = '';

before(async () => {
  state = await mkdtemp(join(tmpdir(), 'packproof-run-folder-'));
  const owner = await readOwner();
  mine = formatOwner(owner);
  // The pid is used again, by a process of another start.
  dead = formatOwner({ ...owner, startTicks: '1' });
});
after(() => rm(state, { recursive: true }));

/** A run folder with these files; `ageMs` is how long ago it and they were last changed. */
async function folder(
  runId: string,
  files: Readonly<Record<string, string>>,
  ageMs: number,
): Promise<RunFolder> {
  const run = new RunFolder(state, runId);
  await mkdir(run.path, { recursive: true });
  const at = new Date(Date.now() - ageMs);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(run.path, name)), { recursive: true });
    await writeFile(join(run.path, name), text);
    await utimes(join(run.path, name), at, at);
  }
  await utimes(run.path, at, at);
  return run;
}

test('a claimed folder lives with its process, and goes whole with what a killed claim left', async () => {
  const run = new RunFolder(state, 'claimed');
  await run.claim();
  assert.equal(await run.isDead(), false);
  await writeFile(join(run.path, '.owner-0123'), mine);
  await run.remove();
  assert.equal(existsSync(run.path), false);
});

test('a folder whose claim or removal was cut off at any moment is dead, and a live or a young one is not', async () => {
  const [now, later] = [0, 120_000];
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, number, boolean])[] = [
    ['empty', {}, later, true],
    ['empty-young', {}, now, false],
    ['draft', { '.owner-1': dead }, now, true],
    ['draft-alive', { '.owner-1': mine }, later, false],
    ['draft-half', { '.owner-1': dead.slice(0, 9) }, later, true],
    ['draft-half-young', { '.owner-1': dead.slice(0, 9) }, now, false],
    ['drafts', { '.owner-1': dead, '.owner-2': mine }, now, false],
    ['both', { '.owner-1': dead, owner: dead }, now, true],
    ['named', { owner: dead }, now, true],
    ['nameless', { 'images/a/left': '' }, later, true],
    ['nameless-young', { 'images/a/left': '' }, now, false],
    ['nameless-draft', { 'images/a/left': '', '.owner-1': mine }, later, false],
    ['nameless-foreign', { 'images/a/left': '', kept: '' }, later, false],
    ['foreign', { kept: '' }, later, false],
    ['foreign-draft', { '.owner-1': dead, kept: '' }, later, false],
  ];
  for (const [runId, files, ageMs, isDead] of cases) {
    const run = await folder(runId, files, ageMs);
    assert.equal(await run.isDead(), isDead, runId);
    if (!isDead) continue;
    await run.remove();
    assert.equal(existsSync(run.path), false, runId);
  }
});

test('an owner of another boot is left alone for a day', async () => {
  const elsewhere = dead.replace(/^[0-9a-f]{8}/, '00000000');
  assert.equal(await (await folder('elsewhere', { owner: elsewhere }, 3_600_000)).isDead(), false);
  assert.equal(await (await folder('elsewhere-old', { owner: elsewhere }, 90_000_000)).isDead(), true);
});
