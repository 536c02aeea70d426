import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { toCanonicalBytes } from '../document/canonical.ts';
import { startPrivateEngine } from '../engine/docker/testing/private-engine.ts';
import { reseal } from '../evidence/testing/forge.ts';
import { listRunContainers, openDocker } from './testing/boxes.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt } from './testing/documents.ts';
import { inBox, reach, spooled } from './testing/kill-points.ts';
import { findLeftovers, untilGone } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { requireDocker, type Started, Workbench } from './testing/workbench.ts';

/** Longer than the test waits. */
const HANG_MS = 240_000;
const BOX_END_MS = 10_000;

describe('a run that loses what it stands on', () => {
  let bench: Workbench;
  let context = '';

  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    const programs = {
      quick: "console.log('quick');",
      hang: "console.log('up'); setInterval(() => {}, 1e6);",
      loud: "process.stdout.write('x'.repeat(8 << 20));",
      nap: "console.log('up'); setTimeout(() => {}, 3000);",
    };
    await bench.writeFile('lost.tgz', packFault(programPackage('lost', programs)));
    const hang = binCase('hang', 'hang', { timeoutMs: HANG_MS });
    await bench.writeFile(
      'suite.json',
      suiteBytes([binCase('quick', 'quick'), hang, binCase('loud', 'loud'), binCase('nap', 'nap')]),
    );
    context = join(bench.work, 'context');
    const args = ['--suite', 'suite.json', '--out', context, '--node', '22', '--engine', 'runc'];
    const prepared = await bench.run(['prepare', 'lost.tgz', ...args]);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
  });
  after(() => bench.close());
  afterEach(async () => assert.deepEqual(await findLeftovers(bench), []));

  function runArgs(engine: string, out: string, only: readonly string[]): readonly string[] {
    const globs = only.flatMap((glob) => ['--only', glob]);
    return ['run', context, '--out', out, '--engine', engine, '--jobs', '1', '--json', ...globs];
  }

  /** Starts a run whose second case hangs, and waits until that is in its box. */
  async function startHanging(engine: string, out: string, host?: string): Promise<Started> {
    const limits = ['--budget', '200s', '--case-timeout', '230s'];
    const env = host === undefined ? {} : { DOCKER_HOST: host };
    const started = bench.start([...runArgs(engine, out, ['quick', 'hang']), ...limits], { env });
    await started.untilStderr(/1\/2 pass/);
    // The next box is opened after that, and is there once its step is.
    const place = { state: join(bench.stateHome, 'packproof'), target: '' };
    await reach({ name: 'step', left: spooled('hang') }, started, place);
    return started;
  }

  /** The evidence says that the case could not be observed, and passes for nothing. */
  async function expectLost(started: Started, out: string): Promise<void> {
    const answer = await started.answer;
    assert.equal(answer.exitCode, 3, answer.stderr);
    const result = parseResult(answer);
    assert.deepEqual([result.result, result.counts['pass'], result.counts['error']], ['error', 1, 1]);
    await assertAccepted(bench, join(bench.work, out), 3);
    const { outcome, checks } = readReceipt(join(bench.work, out), 'hang');
    assert.deepEqual([outcome, checks], ['error', []]);
  }

  it('on runc has a case in error when its box is removed from under it', async () => {
    const started = await startHanging('runc', 'removed');
    const state = join(bench.stateHome, 'packproof');
    const point = { name: 'box', left: inBox('runc', 'state.json', 'case-1'), afterMs: 500 };
    await reach(point, started, { state, target: '' });
    const [run = ''] = await readdir(join(state, 'runs'));
    const root = join(state, 'runs', run, 'runc');
    const [box = ''] = (await readdir(root)).filter((name) => name.includes('case-1'));
    execFileSync('runc', ['--root', root, 'delete', '--force', box]);
    await expectLost(started, 'removed');
  });

  it('on runc has no evidence when a file of the image changed while it ran', async () => {
    const started = bench.start(runArgs('runc', 'changed', ['nap']));
    const place = { state: join(bench.stateHome, 'packproof'), target: '' };
    await reach({ name: 'step', left: spooled('nap') }, started, place);
    const program = 'opt/candidate/node_modules/lost/package.json';
    const unpacked = join(bench.cacheHome, 'packproof', 'unpacked');
    const layers = (await readdir(unpacked)).filter((layer) => existsSync(join(unpacked, layer, program)));
    assert.equal(layers.length, 1);
    await appendFile(join(unpacked, layers[0] ?? '', program), ' ');
    const answer = await started.answer;
    assert.equal(answer.exitCode, 3, answer.stderr);
    assert.match(answer.stderr, /opt\/candidate\/node_modules\/lost\/package\.json.*\[IMAGE_CHANGED\]/);
    assert.ok(!existsSync(join(bench.work, 'changed')));
    // What lies in the cache is not believed: the next run has the image as it was.
    const next = await bench.run(runArgs('runc', 'after-changed', ['nap']));
    assert.equal(next.exitCode, 0, next.stderr);
  });

  it('on Docker has a case in error when its container is removed from under it', async () => {
    const docker = openDocker();
    const started = await startHanging('docker', 'removed-docker');
    const [run = ''] = await readdir(join(bench.stateHome, 'packproof', 'scratch'));
    const boxes = await listRunContainers(docker, [run.slice(0, run.indexOf('_'))]);
    assert.ok(boxes.length > 0, 'a box is there');
    for (const { id } of boxes) await docker.getContainer(id).remove({ force: true });
    await expectLost(started, 'removed-docker');
  });

  it('judges nothing when the daemon is killed, its boxes end too, and the next run works', async () => {
    const engine = await startPrivateEngine();
    const host = `unix://${engine.unix.socketPath}`;
    try {
      const started = await startHanging('docker', 'daemon', host);
      const pid = Number(await readFile(join(engine.engineFolder, 'dockerd.pid'), 'utf8'));
      const boxes = holdersBelow(engine.engineFolder);
      assert.ok(boxes.length > 0, 'a box is there');
      process.kill(pid, 'SIGKILL');
      const answer = await started.answer;
      assert.deepEqual(await untilGone(boxes, BOX_END_MS), []);
      // Nobody can say any more what the images were when the cases ran: what was seen is kept, and nothing passes.
      assert.equal(answer.exitCode, 3, answer.stderr);
      const { result, counts } = parseResult(answer);
      assert.deepEqual([result, counts['pass'], counts['error']], ['error', 0, 2]);
      const evidence = join(bench.work, 'daemon');
      const verdict = await assertAccepted(bench, evidence, 3);
      assert.deepEqual([verdict.counts['pass'], verdict.counts['error']], [0, 2]);
      const finished = readReceipt(evidence, 'quick');
      assert.deepEqual([finished.outcome, finished.reason, finished.checks], ['error', 'image-unread', []]);
      assert.deepEqual(finished.attempts[0]?.steps[0]?.termination, { kind: 'exited', code: 0 });
      assert.deepEqual(readReceipt(evidence, 'hang').outcome, 'error');
      // A bundle that lets the finished case pass all the same is not consistent with itself.
      const forged = join(bench.work, 'forged');
      await cp(evidence, forged, { recursive: true });
      const place = `cases/quick@${finished.node}/receipt.json`;
      const pass = { ...finished, outcome: 'pass', reason: null, detail: '' };
      await writeFile(join(forged, place), toCanonicalBytes(pass));
      await reseal(forged);
      assert.equal((await bench.run(['verify', forged])).exitCode, 4);
      execFileSync(join(process.cwd(), 'scripts', 'test-engine'), ['start', engine.engineFolder]);
      const env = { DOCKER_HOST: host };
      const next = await bench.run(runArgs('docker', 'after-daemon', ['quick']), { env });
      assert.equal(next.exitCode, 0, next.stderr);
      const cleaned = await bench.run(['clean'], { env });
      assert.equal(cleaned.exitCode, 0, cleaned.stderr);
    } finally {
      await engine.stop();
    }
  });

  for (const { what, size, args, env } of [
    { what: 'the evidence', size: '64k', args: () => runArgs('runc', 'small/evidence', ['quick']), env: {} },
    {
      what: 'the bytes of a step',
      size: '4m',
      args: () => runArgs('runc', 'spool', ['quick', 'loud']),
      env: { XDG_STATE_HOME: 'small' },
    },
    {
      what: 'the cache',
      size: '4m',
      args: () => ['prepare', 'lost.tgz', '--suite', 'suite.json', '--out', 'new', '--node', '22', '--json'],
      env: { XDG_CACHE_HOME: 'small' },
    },
  ]) {
    it(`is no result when the disk is too small for ${what}`, async () => {
      const small = join(bench.work, 'small');
      await mkdir(small);
      const before = await readdir(bench.work);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'packproof-test', small]);
      try {
        const places = Object.fromEntries(Object.keys(env).map((name) => [name, small]));
        const answer = await bench.run(args(), { env: places });
        assert.equal(answer.exitCode, 3, answer.stderr);
        assert.match(answer.stderr, /SPOOL_FAILED|WRITE_FAILED|DISK_FULL/);
        const left = (await readdir(small)).filter((name) => name !== 'packproof');
        assert.deepEqual(left, []);
      } finally {
        execFileSync('umount', [small]);
      }
      assert.deepEqual(await readdir(bench.work), before);
      execFileSync('rmdir', [small]);
      const next = await bench.run(runArgs('runc', `after-${size}-${before.length}`, ['quick']));
      assert.equal(next.exitCode, 0, next.stderr);
    });
  }
});

/** Host pids of the first processes of boxes whose cgroup is that of this engine. */
function holdersBelow(engineFolder: string): readonly number[] {
  const sum = execFileSync('sh', ['-c', `printf '%s' "$1" | cksum | cut -d' ' -f1`, 'sh', engineFolder], {
    encoding: 'utf8',
  }).trim();
  const found = execFileSync(
    'sh',
    ['-c', `grep -ls -F -- "/packproof-engine-${sum}/" /proc/[0-9]*/cgroup || true`],
    { encoding: 'utf8' },
  );
  return found.split('\n').flatMap((line) => {
    const pid = /^\/proc\/(\d+)\//.exec(line)?.[1];
    return pid === undefined ? [] : [Number(pid)];
  });
}
