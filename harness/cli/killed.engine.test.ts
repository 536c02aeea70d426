import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listRunContainers, openDocker, type RunContainer } from './testing/boxes.ts';
import { packFault } from './testing/candidates.ts';
import { parseResult, parseStdout } from './testing/documents.ts';
import { findLeftovers, listBoxPids, listLeftovers, untilGone } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { type Started, Workbench } from './testing/workbench.ts';

/** Longer than the test waits. */
const HANG_MS = 240_000;
/** Boxes end when their control channel closes, which is at once; the rest is for a loaded machine. */
const BOX_END_MS = 10_000;

describe('kill -9 in the middle of a run', () => {
  let bench: Workbench;
  let context = '';
  before(async () => {
    bench = await Workbench.open();
    const hang = "console.log('up'); setInterval(() => {}, 1e6);";
    await bench.writeFile(
      'two.tgz',
      packFault(programPackage('two', { quick: "console.log('quick');", hang })),
    );
    const cases = [binCase('quick', 'quick'), binCase('hang', 'hang', { timeoutMs: HANG_MS })];
    await bench.writeFile('suite.json', suiteBytes(cases));
    context = join(bench.work, 'context');
    const args = ['prepare', 'two.tgz', '--suite', 'suite.json', '--out', context, '--node', '22'];
    const prepared = await bench.run([...args, '--engine', 'runc']);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
  });
  after(() => bench.close());
  afterEach(async () => assert.deepEqual(await findLeftovers(bench), []));

  /** Starts a run and waits until its second case, which hangs, is in its box. */
  async function startHanging(engine: string, out: string): Promise<Started> {
    const limits = ['--jobs', '1', '--budget', '200s', '--case-timeout', '230s'];
    const started = bench.start(['run', context, '--out', out, '--engine', engine, ...limits]);
    await started.untilStderr(/1\/2 pass/);
    await delay(1_500);
    return started;
  }

  async function kill(started: Started): Promise<void> {
    started.child.kill('SIGKILL');
    const answer = await started.answer;
    assert.deepEqual([answer.exitCode, answer.signal, answer.stdout], [null, 'SIGKILL', '']);
  }

  async function runIds(): Promise<readonly string[]> {
    const names = await readdir(join(bench.stateHome, 'packproof', 'scratch'));
    return names.map((name) => name.slice(0, name.indexOf('_')));
  }

  it('on runc the box ends by itself, clean removes the rest and nothing else', async () => {
    const started = await startHanging('runc', 'out');
    const boxes = await listBoxPids(bench);
    assert.ok(boxes.length > 0, 'a box is there');
    await kill(started);
    assert.deepEqual(await untilGone(boxes, BOX_END_MS), []);
    const left = await untilOnlyFiles();
    assert.deepEqual(
      left.map((line) => line.replace(/ .*/, '')).filter((kind) => kind === 'run'),
      ['run'],
    );

    // What is not a run's own is not looked at.
    const foreign = join(bench.stateHome, 'packproof', 'runs', 'foreign');
    await mkdir(foreign);
    await writeFile(join(foreign, 'kept'), '');
    const [runId = ''] = await runIds();
    const cleaned = await bench.run(['clean', '--json']);
    assert.equal(cleaned.exitCode, 0, cleaned.stderr);
    const { removed } = parseStdout<{ readonly removed: readonly string[] }>(cleaned);
    assert.ok(removed.includes(`scratch ${runId}`), removed.join('\n'));
    assert.ok(removed.includes(`runc run ${runId}`), removed.join('\n'));
    assert.deepEqual(await readdir(foreign), ['kept']);
    await rm(foreign, { recursive: true });
    assert.ok(!(await readdir(bench.work)).some((name) => name.startsWith('out') || name.startsWith('.out')));
    const again = await bench.run(['clean']);
    assert.deepEqual([again.exitCode, again.stdout], [0, 'nothing to clean\n']);
  });

  it('on runc the next run removes the rest by itself', async () => {
    const started = await startHanging('runc', 'out');
    await kill(started);
    await untilOnlyFiles();
    const next = await bench.run([
      'run',
      context,
      '--out',
      'next',
      '--engine',
      'runc',
      '--only',
      'quick',
      '--json',
    ]);
    assert.equal(next.exitCode, 0, next.stderr);
    assert.equal(parseResult(next).verdict, 'accepted');
    assert.match(next.stderr, /left-overs of dead runs/);
  });

  it('on Docker the container ends by itself, clean removes it and nothing else', async () => {
    const docker = openDocker();
    const started = await startHanging('docker', 'out');
    const ids = await runIds();
    const containers = await listRunContainers(docker, ids);
    const [box] = containers;
    assert.ok(box !== undefined && box.pid > 0, 'a box is there');
    const foreign = await docker.createContainer({ Image: box.image, Cmd: ['/bin/sh'] });
    try {
      await kill(started);
      assert.deepEqual(
        await untilGone(
          containers.map(({ pid }) => pid),
          BOX_END_MS,
        ),
        [],
      );
      await untilOnlyFiles();
      const cleaned = await bench.run(['clean', '--json']);
      assert.equal(cleaned.exitCode, 0, cleaned.stderr);
      const { removed } = parseStdout<{ readonly removed: readonly string[] }>(cleaned);
      // The watchdog may have been quicker than the killer; then there was nothing left to remove.
      const named = containers.map(({ id }: RunContainer) => `docker container ${id}`);
      assert.ok(removed.filter((line) => line.includes('container')).every((line) => named.includes(line)));
      assert.deepEqual(await listRunContainers(docker, ids), []);
      assert.equal((await foreign.inspect()).State.Status, 'created');
    } finally {
      await foreign.remove({ force: true });
    }
  });

  /** Waits until no process of the bench is left, whatever files are. */
  async function untilOnlyFiles(): Promise<readonly string[]> {
    for (;;) {
      const left = await listLeftovers(bench);
      if (!left.some((line) => line.startsWith('process '))) return left;
      await delay(100);
    }
  }
});
