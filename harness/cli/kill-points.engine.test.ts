import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult } from './testing/documents.ts';
import {
  findProcesses,
  inBox,
  inPartial,
  inRun,
  type KillPoint,
  reach,
  spooled,
} from './testing/kill-points.ts';
import { findLeftovers, listBoxPids, untilGone } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { type Started, Workbench } from './testing/workbench.ts';

/** Boxes end when their control channel closes, which is at once; the rest is for a loaded machine. */
const BOX_END_MS = 10_000;
/** Runs in which a point is looked for. */
const MOST_TRIES = 4;

const PROGRAMS = {
  quick: "console.log('quick');",
  // Its files are what a snapshot takes its time for.
  files: `
    import { writeFileSync } from 'node:fs';
    for (let i = 0; i < 3000; i += 1) writeFileSync('/work/' + i, 'x'.repeat(4096));
    console.log('written');`,
};

/** A command that starts from an archive nobody has seen, so that nothing of it is cached. */
const PREPARING: readonly KillPoint[] = [
  { name: 'seal', says: / seal {5}/ },
  { name: 'audit', says: / audit {4}/ },
  { name: 'fetch', says: / fetch {4}/ },
  { name: 'resolve', says: / resolve {2}/ },
  { name: 'write', says: / write {4}/ },
  { name: 'install', says: / install {2}/ },
  { name: 'box of the install', left: inBox('runc', 'state.json', '') },
  { name: 'npm at work', left: inBox('runc', 'state.json', ''), afterMs: 400 },
];

/** The same context each time. */
const RUNNING: readonly KillPoint[] = [
  { name: 'run folder', left: inRun('owner') },
  { name: 'load', left: inRun('images') },
  { name: 'probe', says: /measuring the boundary/ },
  { name: 'box of the probe', left: inBox('runc', 'state.json', 'probe') },
  { name: 'cases', says: /run {6}2 cases/ },
  { name: 'open', left: inBox('boxes', 'config.json', 'case-0') },
  { name: 'box of a case', left: inBox('runc', 'state.json', 'case-0') },
  { name: 'output', left: spooled('quick') },
  { name: 'first case', says: /1\/2 pass/ },
  { name: 'box of the next case', left: inBox('runc', 'state.json', 'case-1') },
  { name: 'snapshot', left: spooled('files'), afterMs: 60 },
  { name: 'closing', says: /run {6}closing/ },
  { name: 'export', left: inPartial('.') },
  { name: 'index written', left: inPartial('bundle.json') },
  { name: 'sums written', left: inPartial('SHA256SUMS') },
  { name: 'rename', left: ({ target }) => existsSync(target) },
  { name: 'read back', says: /verify {3}/ },
];

describe('kill -9 at every stage', () => {
  let bench: Workbench;
  let context = '';
  let foreign = '';
  let count = 0;

  before(async () => {
    bench = await Workbench.open();
    await bench.writeFile('suite.json', suiteBytes(Object.keys(PROGRAMS).map((name) => binCase(name, name))));
    await writeCandidate('first.tgz');
    context = join(bench.work, 'context');
    const args = ['--suite', 'suite.json', '--out', context, '--node', '22', '--engine', 'runc'];
    const prepared = await bench.run(['prepare', 'first.tgz', ...args]);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
    // What is not a run's own is not looked at, whatever its name.
    foreign = join(bench.stateHome, 'packproof', 'runs', 'foreign');
    await mkdir(foreign, { recursive: true });
    await writeFile(join(foreign, 'kept'), '');
    await bench.writeFile('.own.partial', 'kept');
  });
  after(async () => {
    await rm(foreign, { recursive: true });
    await bench.close();
  });

  /** An archive that no cache has seen. */
  function writeCandidate(name: string): Promise<string> {
    const programs = { ...PROGRAMS, mark: `console.log('${randomUUID()}');` };
    return bench.writeFile(name, packFault(programPackage('killed', programs)));
  }

  /** Starts the command, kills it at the point, and looks at what is left. False when it was over before. */
  async function killAt(point: KillPoint, args: readonly string[], target: string): Promise<boolean> {
    const state = join(bench.stateHome, 'packproof');
    const started = bench.start([...args, '--out', target, '--engine', 'runc', '--jobs', '1']);
    const miss: unknown = await reach(point, started, { state, target }).then(
      () => null,
      (fault) => fault,
    );
    if (miss !== null) return missed(started, miss);
    const boxes = await listBoxPids(bench);
    await kill(started);
    assert.deepEqual(await untilGone(boxes, BOX_END_MS), [], 'boxes end by themselves');
    assert.deepEqual(await findProcesses(bench), []);
    // What has the name of evidence is evidence, whole and good: it claims nothing that was not seen.
    if (existsSync(target)) await assertAccepted(bench, target, 0);
    const cleaned = await bench.run(['clean', '--json']);
    assert.equal(cleaned.exitCode, 0, cleaned.stderr);
    assert.deepEqual(await findLeftovers(bench, (line) => line !== 'run foreign'), []);
    assert.deepEqual(readdirSync(foreign), ['kept']);
    const partial = (await readdir(bench.work)).filter((name) => name.endsWith('.partial'));
    assert.deepEqual(partial, ['.own.partial']);
    return true;
  }

  /** The shortest points last a few milliseconds, which a loaded machine can pass over between two looks. */
  async function missed(started: Started, miss: unknown): Promise<false> {
    const { exitCode, stderr } = await started.answer;
    if (exitCode !== 0) throw new Error(stderr, { cause: miss });
    return false;
  }

  async function kill(started: Started): Promise<void> {
    started.child.kill('SIGKILL');
    const { exitCode, signal, stdout } = await started.answer;
    assert.deepEqual([exitCode, signal, stdout], [null, 'SIGKILL', '']);
  }

  for (const point of PREPARING) {
    it(`in prepare, at ${point.name}`, async () => {
      count += 1;
      const name = `new-${count}.tgz`;
      await writeCandidate(name);
      const target = join(bench.work, `out-${count}`);
      assert.ok(await killAt(point, ['check', name, '--suite', 'suite.json', '--node', '22'], target));
      assert.ok(!existsSync(target), 'nothing ran, so there is no evidence');
    });
  }

  for (const point of RUNNING) {
    it(`in run, at ${point.name}`, async () => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        count += 1;
        if (await killAt(point, ['run', context], join(bench.work, `out-${count}`))) return;
      }
      assert.fail(`not reached in ${MOST_TRIES} runs`);
    });
  }

  it('and the next ones are well', async () => {
    const checked = await bench.run([
      ...['check', 'new-1.tgz', '--suite', 'suite.json', '--node', '22', '--out', 'checked'],
      ...['--engine', 'runc', '--json'],
    ]);
    assert.equal(checked.exitCode, 0, checked.stderr);
    const ran = await bench.run(['run', context, '--out', 'ran', '--engine', 'runc', '--json']);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual([parseResult(checked).verdict, parseResult(ran).verdict], ['accepted', 'accepted']);
    const again = await bench.run(['clean']);
    assert.deepEqual([again.exitCode, again.stdout], [0, 'nothing to clean\n']);
  });
});
