import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { listRunContainers, openDocker } from './testing/boxes.ts';
import { packFault } from './testing/candidates.ts';
import { assertAccepted, parseResult, readReceipt, readReport } from './testing/documents.ts';
import { findLeftovers } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { requireDocker, Workbench } from './testing/workbench.ts';

/** Enough for the boundary and one case on a loaded machine. */
const BUDGET_MS = 15_000;
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
    const startedAt = performance.now();
    const limits = ['--budget', `${BUDGET_MS / 1000}s`, '--case-timeout', '180s', '--jobs', '1'];
    const started = bench.start(
      ['run', 'cold.context', '--out', 'slow', '--engine', 'docker', '--json', ...limits],
      { env: { DOCKER_HOST: `unix://${slow.path}` } },
    );
    // Boxes that packproof removes for its own ends, such as to read an image back, have no deadline.
    await started.untilStderr(/1\/2 pass/);
    slow.slowDown();
    const answer = await started.answer;
    const tookMs = performance.now() - startedAt;
    assert.equal(answer.exitCode, 124, answer.stderr);
    assert.ok(tookMs < SLOW_MS, `took ${tookMs} ms`);
    assert.ok(slow.held > 0, 'the engine was asked to kill, and took its time');
    const evidence = join(bench.work, 'slow');
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
    // The box ended with its control channel, whatever the engine did; its remains go with the next clean.
    const cleaned = await bench.run(['clean']);
    assert.equal(cleaned.exitCode, 0, cleaned.stderr);
    assert.deepEqual(await listRunContainers(openDocker(), [report.runId]), []);
  });
});

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
