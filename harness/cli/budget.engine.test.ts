import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { changeDocument, editAt, reseal } from '../evidence/testing/forge.ts';
import { listRunContainers, openDocker } from './testing/boxes.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { type CommandOptions, requireDocker, Workbench } from './testing/workbench.ts';

/** Enough for the boundary and one case on a loaded machine, four times at once: together they take one second. */
const BUDGET_MS = 12_000;
/** What the slow engine takes for a kill: so long that a run that waited for it would show. */
const SLOW_MS = 120_000;
/** The watchdog waits no longer for an engine's answers than this. */
const END_MS = 30_000;
const ENDS_A_BOX = /^(POST \S*\/containers\/\S+\/kill|DELETE \S*\/containers\/)/;

describe('the budget of a run through the real program', () => {
  let bench: Workbench;
  let slow: SlowEngine;

  before(async () => {
    requireDocker();
    bench = await Workbench.open();
    const programs = {
      quick: "console.log('quick');",
      hang: "console.log('before'); setInterval(() => {}, 1e6);",
      // A candidate that no cache has seen is prepared from cold.
      mark: `console.log('${randomUUID()}');`,
    };
    await bench.writeFile('slow.tgz', packFault(programPackage('slow', programs)));
    const hang = binCase('hang', 'hang', { timeoutMs: 200_000 });
    await bench.writeFile('suite.json', suiteBytes([binCase('quick', 'quick'), hang]));
    slow = await SlowEngine.open(join(bench.folder, 'slow.sock'));
  });
  after(async () => {
    slow.close();
    await bench.close();
  });
  afterEach(async () => assert.deepEqual(await findLeftovers(bench), []));

  it('does not count a cold prepare, and says so', async () => {
    const args = ['check', 'slow.tgz', '--suite', 'suite.json', '--node', '22', '--engine', 'runc'];
    const answer = await bench.run([...args, '--only', 'quick', '--out', 'cold', '--json']);
    assert.equal(answer.exitCode, 0, answer.stderr);
    const { budget, prepareMs, durationMs } = parseResult(answer);
    assert.ok(prepareMs !== null && prepareMs > 0 && budget.usedMs > 0);
    assert.ok(prepareMs + budget.usedMs <= durationMs, `${prepareMs} + ${budget.usedMs} of ${durationMs}`);
    const report = readReport(join(bench.work, 'cold'));
    assert.equal(report.timings?.prepareMs, prepareMs);
    assert.equal(Math.round(report.timings.totalMs), budget.usedMs);
    // The same without --json, now that the context is there: nothing is to be told apart.
    const again = await bench.run(['run', 'cold.context', '--only', 'quick', '--out', 'warm']);
    assert.match(again.stdout, /on (runc|docker), \d+\.\d s, exit 0\n/);
    assert.equal(readReport(join(bench.work, 'warm')).timings?.prepareMs, null);
  });

  it('ends in time on an engine that takes minutes, with what was seen', async () => {
    const onDocker = { env: { DOCKER_HOST: `unix://${slow.path}` } };
    const [kills, obstructed, starts] = [
      await SlowRunc.open(bench, 'kills'),
      await SlowRunc.open(bench, 'obstructed'),
      await SlowRunc.open(bench, 'starts'),
    ];
    const stateHome = join(bench.folder, 'state-obstructed');
    let inTheWay = '';
    // The second box is the first whose start is slow.
    await starts.slowDown(['run .*case-1-1']);
    // All wait most of the time.
    const all = await Promise.allSettled([
      endsInTime('docker', onDocker, () => slow.slowDown()),
      endsInTime('runc', kills, () => kills.slowDown(['kill', 'delete'])),
      endsInTime('runc', { ...obstructed, env: { XDG_STATE_HOME: stateHome } }, async () => {
        await obstructed.slowDown(['kill', 'delete']);
        inTheWay = await obstruct(stateHome);
      }),
      endsInTime('runc', starts, () => undefined),
    ]);
    // Not before all are over: a run left alone would keep the test from ending.
    for (const one of all) if (one.status === 'rejected') throw one.reason;
    assert.ok(slow.held > 0, 'Docker was asked to kill, and took its time');
    // runc is asked for no kill at all, and at a normal end for nothing: a box ends by its holder, which is killed by
    // its number, and what runc keeps of it are folders. Only when one of those cannot be removed is runc asked to.
    assert.deepEqual(await kills.held(), []);
    assert.deepEqual([...new Set(await obstructed.held())], ['delete']);
    assert.deepEqual(await starts.held(), ['run']);
    // No command that took its time was left to go on by itself, such as to start a box after the end.
    assert.deepEqual(await commandsNaming(bench.folder), []);
    // The boxes ended with their control channels, whatever the engine did; their remains go with the next clean.
    for (const env of [{}, { XDG_STATE_HOME: stateHome }]) {
      const cleaned = await bench.run(['clean'], { env });
      assert.equal(cleaned.exitCode, 0, cleaned.stderr);
    }
    const { runId } = readReport(join(bench.work, 'slow-docker'));
    assert.deepEqual(await listRunContainers(openDocker(), [runId]), []);
    assert.deepEqual(await readdir(join(stateHome, 'packproof', 'runs')), []);
    assert.equal(existsSync(inTheWay), false);
  });

  /** Of the two cases the second hangs, on an engine that is slowed down once the first is over. */
  async function endsInTime(
    engine: string,
    options: CommandOptions & { readonly name?: string },
    slowDown: () => unknown,
  ): Promise<void> {
    const startedAt = performance.now();
    const limits = ['--budget', `${BUDGET_MS / 1000}s`, '--case-timeout', '180s', '--jobs', '1'];
    const evidence = join(bench.work, `slow-${options.name ?? engine}`);
    const args = ['run', 'cold.context', '--out', evidence, '--engine', engine, '--json', ...limits];
    const started = bench.start(args, options);
    // Boxes that packproof removes for its own ends, such as to read an image back, have no deadline.
    await started.untilStderr(/1\/2 pass/);
    await slowDown();
    const answer = await started.answer;
    const tookMs = performance.now() - startedAt;
    assert.equal(answer.exitCode, 124, answer.stderr);
    assert.ok(tookMs < SLOW_MS, `took ${tookMs} ms`);
    const report = readReport(evidence);
    assert.equal(report.budget.exhausted, true);
    assert.ok(report.durationMs < BUDGET_MS + END_MS, `ended after ${report.durationMs} ms`);
    assert.ok((report.watchdog?.firedAtMs ?? 0) >= BUDGET_MS);
    const { outcome, reason, attempts } = readReceipt(evidence, 'hang');
    assert.deepEqual([outcome, reason], ['unrun', 'budget']);
    const [attempt] = attempts;
    // Of a box that never came up nothing was seen.
    assert.equal(attempt === undefined, options.name === 'starts');
    if (attempt !== undefined) {
      const [step] = attempt.steps;
      assert.deepEqual([step?.termination, step?.stdout.keptBytes], [{ kind: 'budget' }, 7]);
      assert.deepEqual(
        attempt.teardown.map(({ action }) => action),
        ['kill-box', 'drain', 'close'],
      );
    }
    assert.equal(readReceipt(evidence, 'quick').outcome, 'pass');
    await assertAccepted(bench, evidence, 124);
    await changeDocument(evidence, 'report.json', (told) => editAt(told, 'watchdog.firedAtMs', () => null));
    await reseal(evidence);
    const { exitCode, stdout } = await bench.run(['verify', evidence]);
    assert.equal(exitCode, 4);
    assert.match(stdout, /REPORT_BUDGET report\.json\.watchdog\.firedAtMs: /);
  }
});

/** Processes whose words name this folder. */
async function commandsNaming(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const words = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => ''));
  return (await Promise.all(words)).filter((one) => one.includes(folder));
}

/** Puts something in the way of the removal of the box of the second case: a cgroup below one of its own, which is told. */
async function obstruct(stateHome: string): Promise<string> {
  const runs = join(stateHome, 'packproof', 'runs');
  for (;;) {
    const found = await readdir(runs, { recursive: true }).catch(() => []);
    const path = found.find((one) => /runc\/[^/]*-case-1-1-[^/]*\/state\.json$/.test(one));
    const text = path === undefined ? '' : await readFile(join(runs, path), 'utf8');
    const cgroup = /"memory":"([^"]+)"/.exec(text)?.[1];
    if (cgroup !== undefined) {
      await mkdir(join(cgroup, 'in-the-way'));
      return cgroup;
    }
    await pause(50);
  }
}

/**
 * A runc that takes minutes for some of its commands, once slowed down, in front of the real one. It keeps a list
 * of those that had to wait.
 */
class SlowRunc {
  readonly name: string;
  /** What to put before a command: a mount namespace in which this one has the place of the program. */
  readonly under: readonly string[];
  readonly #folder: string;

  static async open(bench: Workbench, name: string): Promise<SlowRunc> {
    const program = execFileSync('sh', ['-c', 'command -v runc'], { encoding: 'utf8' }).trim();
    const folder = await bench.makeFolder(`shim-${name}`);
    await copyFile(program, join(folder, 'real'));
    const script = [
      '#!/usr/bin/perl',
      `if (open(my $slow, '<', '${folder}/slow')) {`,
      '  chomp(my @slow = <$slow>);',
      "  my $words = join(' ', @ARGV);",
      '  if (grep { $words =~ / $_/ } @slow) {',
      `    open(my $held, '>>', '${folder}/held');`,
      '    print $held "$words\\n";',
      '    close $held;',
      `    sleep ${SLOW_MS / 1000};`,
      '  }',
      '}',
      `exec '${folder}/real', @ARGV;`,
    ];
    const shim = join(folder, 'runc');
    await writeFile(shim, `${script.join('\n')}\n`, { mode: 0o755 });
    return new SlowRunc(name, folder, program);
  }

  private constructor(name: string, folder: string, program: string) {
    const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
    this.name = name;
    this.under = ['unshare', '--mount', 'sh', '-c', script, 'sh', join(folder, 'runc'), program];
    this.#folder = folder;
  }

  /** From now on, commands whose words match one of these. */
  slowDown(commands: readonly string[]): Promise<void> {
    return writeFile(join(this.#folder, 'slow'), commands.map((one) => `${one}\n`).join(''));
  }

  /** The commands that had to wait, by their name. */
  async held(): Promise<readonly string[]> {
    const text = await readFile(join(this.#folder, 'held'), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => / (run|kill|delete) /.exec(line)?.[1] ?? []);
  }
}

/** A way to the test engine on which, once slowed down, requests to kill or remove a container wait. */
class SlowEngine {
  readonly path: string;
  readonly #server: Server;
  #slow = false;
  #held = 0;

  static async open(path: string): Promise<SlowEngine> {
    const engine = new SlowEngine(path);
    await new Promise<void>((resolve) => engine.#server.listen(path, resolve));
    return engine;
  }

  private constructor(path: string) {
    this.path = path;
    const target = requireDocker().replace(/^unix:\/\//, '');
    this.#server = createServer({ allowHalfOpen: true }, (client) =>
      this.#relay(client, connect({ path: target, allowHalfOpen: true })),
    );
  }

  /** Requests that had to wait. */
  get held(): number {
    return this.#held;
  }

  slowDown(): void {
    this.#slow = true;
  }

  close(): void {
    this.#server.close();
  }

  #relay(client: Socket, engine: Socket): void {
    tie(client, engine);
    engine.on('data', (bytes) => client.write(bytes));
    engine.on('end', () => client.end());
    client.on('end', () => engine.end());
    client.on('data', (bytes) => {
      if (!this.#slow || !ENDS_A_BOX.test(bytes.toString('latin1'))) {
        engine.write(bytes);
        return;
      }
      this.#held += 1;
      setTimeout(() => engine.writable && engine.write(bytes), SLOW_MS).unref();
    });
  }
}

/** One socket's failure is the other's end. */
function tie(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy());
  other.on('error', () => one.destroy());
}
