import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { changeDocument, editAt, reseal } from '../evidence/testing/forge.ts';
import { listRunContainers, openDocker } from './testing/boxes.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { type CommandOptions, requireDocker, Workbench } from './testing/workbench.ts';

/** Enough for the boundary and one case on a loaded machine, twice at once. */
const BUDGET_MS = 18_000;
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

  it('ends in time on an engine that takes minutes for a kill, with what was seen', async () => {
    const runc = await SlowRunc.open(bench);
    const onDocker = { env: { DOCKER_HOST: `unix://${slow.path}` } };
    // Both wait most of the time.
    const both = await Promise.allSettled([
      endsInTime('docker', onDocker, () => slow.slowDown()),
      endsInTime('runc', { under: runc.under }, () => runc.slowDown()),
    ]);
    // Not before both are over: a run left alone would keep the test from ending.
    for (const one of both) if (one.status === 'rejected') throw one.reason;
    assert.ok(slow.held > 0, 'Docker was asked to kill, and took its time');
    // The boxes ended with their control channels, whatever the engine did; their remains go with the next clean.
    const cleaned = await bench.run(['clean']);
    assert.equal(cleaned.exitCode, 0, cleaned.stderr);
    const { runId } = readReport(join(bench.work, 'slow-docker'));
    assert.deepEqual(await listRunContainers(openDocker(), [runId]), []);
  });

  /** Of the two cases the second hangs, on an engine that is slowed down once the first is over. */
  async function endsInTime(engine: string, options: CommandOptions, slowDown: () => unknown): Promise<void> {
    const startedAt = performance.now();
    const limits = ['--budget', `${BUDGET_MS / 1000}s`, '--case-timeout', '180s', '--jobs', '1'];
    const evidence = join(bench.work, `slow-${engine}`);
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
    const [step] = attempts[0]?.steps ?? [];
    assert.deepEqual([step?.termination, step?.stdout.keptBytes], [{ kind: 'budget' }, 7]);
    const actions = (attempts[0]?.teardown ?? []).map(({ action }) => action);
    assert.deepEqual(actions, ['kill-box', 'drain', 'close']);
    assert.equal(readReceipt(evidence, 'quick').outcome, 'pass');
    await assertAccepted(bench, evidence, 124);
    await changeDocument(evidence, 'report.json', (told) => editAt(told, 'watchdog.firedAtMs', () => null));
    await reseal(evidence);
    const { exitCode, stdout } = await bench.run(['verify', evidence]);
    assert.equal(exitCode, 4);
    assert.match(stdout, /REPORT_BUDGET report\.json\.watchdog\.firedAtMs: /);
  }
});

/**
 * A runc that takes minutes to kill or remove a container, once slowed down, in front of the real one. Boxes end by
 * their process and are removed without it, unless something is in the way.
 */
class SlowRunc {
  /** What to put before a command: a mount namespace in which this one has the place of the program. */
  readonly under: readonly string[];
  readonly #slow: string;

  static async open(bench: Workbench): Promise<SlowRunc> {
    const program = execFileSync('sh', ['-c', 'command -v runc'], { encoding: 'utf8' }).trim();
    const folder = await bench.makeFolder('shim');
    const [real, slow] = [join(folder, 'real'), join(folder, 'slow')];
    await copyFile(program, real);
    const script = [
      '#!/usr/bin/perl',
      'my ($ends) = grep { /^(?:kill|delete)$/ } @ARGV;',
      `if (defined $ends && -e '${slow}') { sleep ${SLOW_MS / 1000} }`,
      `exec '${real}', @ARGV;`,
    ];
    const shim = join(folder, 'runc');
    await writeFile(shim, `${script.join('\n')}\n`, { mode: 0o755 });
    return new SlowRunc({ shim, program, slow });
  }

  private constructor(place: {
    readonly shim: string;
    readonly program: string;
    readonly slow: string;
  }) {
    const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
    this.under = ['unshare', '--mount', 'sh', '-c', script, 'sh', place.shim, place.program];
    this.#slow = place.slow;
  }

  slowDown(): Promise<void> {
    return writeFile(this.#slow, '');
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
