import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FAULT_PACKAGES } from '../suite/testing/fault-packages.ts';
import type { ResultDocument } from './result-document.ts';
import { packFault } from './testing/candidates.ts';
import {
  assertAccepted,
  parseResult,
  parseStdout,
  readReceipt,
  readReport,
  type Verdict,
} from './testing/documents.ts';
import { findLeftovers, listBoxPids } from './testing/leftovers.ts';
import { binCase, programPackage, suiteBytes } from './testing/suites.ts';
import { hideRunc, Workbench } from './testing/workbench.ts';

const RUNC = ['--engine', 'runc'];
const NODE_22 = ['--node', '22'];
/** Longer than any test waits: only a stop of ours ends it. */
const HANG_MS = 240_000;
const COUNTS = ['pass', 'fail', 'error', 'unrun', 'excluded', 'unsupported', 'flaky'];

function bytesOf(name: string): Buffer {
  const found = FAULT_PACKAGES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no package ${name}`);
  return packFault(found);
}

describe('exit codes of the real program', () => {
  let bench: Workbench;
  /** A context whose suite has one quick case and one that never ends. */
  let context = '';

  before(async () => {
    bench = await Workbench.open();
    await bench.writeFile('good.tgz', bytesOf('g-cli'));
    await bench.writeFile('stale.tgz', bytesOf('f-version-stale'));
    const programs = {
      quick: "console.log('quick');",
      hang: "console.log('partial'); setInterval(() => {}, 1e6);",
    };
    await bench.writeFile('two.tgz', packFault(programPackage('two', programs)));
    const cases = [binCase('quick', 'quick'), binCase('hang', 'hang', { timeoutMs: HANG_MS })];
    await bench.writeFile('suite.json', suiteBytes(cases));
    context = join(bench.work, 'two.context');
    const prepared = await bench.run([
      'prepare',
      'two.tgz',
      '--suite',
      'suite.json',
      '--out',
      context,
      ...RUNC,
      ...NODE_22,
    ]);
    assert.equal(prepared.exitCode, 0, prepared.stderr);
  });
  after(() => bench.close());
  afterEach(async () => assert.deepEqual(await findLeftovers(bench), []));

  /** Runs the context with one box at a time, so that the quick case is over before the other begins. */
  const runArgs = (out: string, budget = '200s'): readonly string[] => [
    ...['run', context, '--out', out, '--json', '--jobs', '1', '--budget', budget],
    ...['--case-timeout', '230s', ...RUNC],
  ];

  function assertCounts(result: ResultDocument, expected: Readonly<Record<string, number>>): void {
    const zero = Object.fromEntries(COUNTS.map((outcome) => [outcome, 0]));
    assert.deepEqual(result.counts, { ...zero, ...expected });
  }

  /** The hanging case was cut off, and its bytes so far are kept. */
  async function assertCutOff(evidence: string, reason: string): Promise<void> {
    const receipt = readReceipt(evidence, 'hang');
    assert.deepEqual([receipt.outcome, receipt.reason], ['unrun', reason]);
    assert.equal(receipt.attempts.length, 1);
    const { nodeVersions } = readReport(evidence);
    const stdout = join(evidence, 'cases', `hang@${nodeVersions[0]}`, 'steps', '1-run', 'stdout');
    assert.equal(await readFile(stdout, 'utf8'), 'partial\n');
    assert.equal(readReceipt(evidence, 'quick').outcome, 'pass');
  }

  it('0: a good package passes, and every field of the result is what the evidence says', async () => {
    const answer = await bench.run(['check', 'good.tgz', '--json', ...RUNC, ...NODE_22]);
    const result = parseResult(answer);
    assert.equal(answer.exitCode, 0, answer.stderr);
    assert.deepEqual(Object.keys(result), [
      ...['formatVersion', 'result', 'exitCode', 'candidate', 'engine', 'counts', 'failures', 'audit'],
      ...['evidence', 'verdict', 'signedBy', 'budget', 'prepareMs', 'selfCheck', 'durationMs'],
    ]);
    const bytes = bytesOf('g-cli');
    const digest = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex');
    assert.deepEqual(result.candidate, {
      name: 'g-cli',
      version: '1.2.3',
      sha256: digest('sha256'),
      sha512: digest('sha512'),
    });
    assert.deepEqual([result.formatVersion, result.result, result.exitCode], [1, 'passed', 0]);
    assert.equal(result.verdict, 'accepted');
    assert.equal(result.engine?.name, 'runc');
    assert.match(result.engine?.version ?? '', /^\d+\.\d+/);
    assert.deepEqual(Object.keys(result.counts).sort(), [...COUNTS].sort());
    assert.ok((result.counts['pass'] ?? 0) >= 8, JSON.stringify(result.counts));
    assertCounts(result, {
      pass: result.counts['pass'] ?? 0,
      unsupported: result.counts['unsupported'] ?? 0,
    });
    assert.deepEqual(
      result.failures.filter(({ severity }) => severity === 'gate'),
      [],
    );
    assert.deepEqual(
      result.audit.map(({ code, severity, waived }) => [code, severity, waived]),
      [['REPOSITORY_MISSING', 'info', false]],
    );
    assert.match(result.evidence, /^\.packproof\/evidence\/g-cli@1\.2\.3\/\d{8}t\d{6}z-[0-9a-f]{6}$/);
    assert.ok(Number.isSafeInteger(result.durationMs) && result.durationMs > 0);
    const evidence = join(bench.work, result.evidence);
    const verdict = await assertAccepted(bench, evidence, 0);
    assert.deepEqual(verdict.counts, result.counts);
    const report = readReport(evidence);
    assert.deepEqual([report.result, report.exitCode, report.counts], ['passed', 0, result.counts]);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: evidence });
    const runId = result.evidence.slice(result.evidence.lastIndexOf('/') + 1);
    const beside = await readdir(join(evidence, '..'));
    assert.deepEqual(beside.sort(), [runId, `${runId}.context`]);
  });

  it('1: a failed gate names case, check, severity, reason, advice and the place of the evidence', async () => {
    const args = ['--only', '*.arguments', '--out', 'stale', '--json', ...RUNC, ...NODE_22];
    const answer = await bench.run(['check', 'stale.tgz', ...args]);
    const result = parseResult(answer);
    assert.equal(answer.exitCode, 1, answer.stderr);
    assert.deepEqual([result.result, result.exitCode, result.verdict], ['failed', 1, 'accepted']);
    const gates = result.failures.filter(({ severity }) => severity === 'gate');
    assert.equal(gates.length, 1, JSON.stringify(gates));
    const [failure] = gates;
    assert.match(failure?.case ?? '', /^bin\.f-version-stale\.arguments@22\.\d+\.\d+$/);
    assert.equal(failure?.check, 'version.matches');
    assert.match(failure?.message ?? '', /1\.2\.2/);
    assert.notEqual(failure?.advice, '');
    assert.equal(result.evidence, 'stale');
    const receipt = await readFile(join(bench.work, 'stale', failure?.evidencePath ?? ''), 'utf8');
    assert.match(receipt, /"outcome":"fail"/);
    await assertAccepted(bench, join(bench.work, 'stale'), 1);
  });

  it('2: a wrong flag is told on stderr alone, and nothing is begun', async () => {
    const answer = await bench.run(['check', 'good.tgz', '--budget', '5']);
    assert.equal(answer.exitCode, 2);
    assert.equal(answer.stdout, '');
    assert.equal(
      answer.stderr,
      'packproof: flag: --budget: expected a duration such as 180s, up to 24h, got 5 [FLAG_VALUE]\n',
    );
  });

  it('3: an engine that is not there', async () => {
    const nowhere = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    const under = await hideRunc(bench);
    const docker = await bench.run(['run', context, '--out', 'no-docker', '--engine', 'docker'], {
      env: nowhere,
    });
    assert.equal(docker.exitCode, 3);
    assert.match(docker.stderr, /nonexistent\/docker\.sock.*\[\w+\]\n$/);
    const runc = await bench.run(['run', context, '--out', 'no-runc', ...RUNC], { under });
    assert.equal(runc.exitCode, 3);
    assert.match(runc.stderr, /\[ENGINE_ABSENT\]\n$/);
    const auto = await bench.run(['run', context, '--out', 'no-engine'], { under, env: nowhere });
    assert.equal(auto.exitCode, 3);
    assert.match(auto.stderr, /packproof doctor.*\[NO_ENGINE\]\n$/);
    for (const answer of [docker, runc, auto]) assert.equal(answer.stdout, '');
    const names = await readdir(bench.work);
    assert.deepEqual(
      names.filter((name) => name.startsWith('no-')),
      [],
    );
  });

  it('3: a case whose box is taken away is an error, never a failure of the candidate', async () => {
    const started = bench.start(runArgs('lost'));
    await started.untilStderr(/1\/2 pass/);
    let pids: readonly number[] = [];
    while (pids.length === 0) {
      await delay(50);
      pids = await listBoxPids(bench);
    }
    // The candidate is given the time to start, so that the case is one that ran.
    await delay(1_000);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    const answer = await started.answer;
    assert.equal(answer.exitCode, 3, answer.stderr);
    const result = parseResult(answer);
    assert.equal(result.result, 'error');
    assertCounts(result, { pass: 1, error: 1 });
    assert.match(result.failures[0]?.message ?? '', /box-lost/);
    await assertAccepted(bench, join(bench.work, 'lost'), 3);
  });

  it('4: evidence with one byte more is rejected', async () => {
    const source = join(bench.work, 'stale');
    const target = join(bench.work, 'spoilt');
    await cp(source, target, { recursive: true });
    await appendFile(join(target, 'report.json'), ' ');
    const answer = await bench.run(['verify', 'spoilt', '--json']);
    assert.equal(answer.exitCode, 4);
    const verdict = parseStdout<Verdict>(answer);
    assert.equal(verdict.verdict, 'rejected');
    assert.equal(verdict.runExitCode, null);
    const found = verdict.findings.map(({ code, path }) => `${code} ${path}`);
    assert.ok(found.includes('FILE_SIZE report.json'), found.join('\n'));
  });

  it('124: the budget ends what hangs, and what ran is kept', async () => {
    const answer = await bench.run(runArgs('budget', '12s'));
    assert.equal(answer.exitCode, 124, answer.stderr);
    const result = parseResult(answer);
    assert.deepEqual([result.result, result.exitCode, result.verdict], ['error', 124, 'accepted']);
    assertCounts(result, { pass: 1, unrun: 1 });
    assert.match(result.failures[0]?.message ?? '', /unrun: budget/);
    const evidence = join(bench.work, 'budget');
    await assertCutOff(evidence, 'budget');
    const report = readReport(evidence);
    assert.equal(report.budget.exhausted, true);
    assert.equal(report.budget.limitMs, 12_000);
    assert.notEqual(report.watchdog?.firedAtMs, null);
    await assertAccepted(bench, evidence, 124);
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    it(`${code}: ${signal} ends the run in order, with its evidence`, async () => {
      const out = signal.toLowerCase();
      // Ctrl-C goes to the whole group of a terminal, SIGTERM to one process.
      const ownGroup = signal === 'SIGINT';
      const started = bench.start(runArgs(out), { ownGroup });
      await started.untilStderr(/1\/2 pass/);
      await delay(1_500);
      const pid = started.child.pid ?? assert.fail('it runs');
      process.kill(ownGroup ? -pid : pid, signal);
      const answer = await started.answer;
      assert.equal(answer.exitCode, code, answer.stderr);
      const result = parseResult(answer);
      assert.deepEqual([result.result, result.exitCode, result.verdict], ['error', code, 'accepted']);
      assertCounts(result, { pass: 1, unrun: 1 });
      await assertCutOff(join(bench.work, out), 'interrupted');
      assert.equal(readReport(join(bench.work, out)).interruptedBy, signal);
      await assertAccepted(bench, join(bench.work, out), code);
    });
  }

  /** Waits until a process has a child whose command line names a program. */
  async function untilChild(pid: number, program: string): Promise<void> {
    for (;;) {
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      for (const child of children.trim().split(' ')) {
        const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
        if (line.includes(program)) return;
      }
      await delay(1);
    }
  }

  it('Ctrl-C after the run is over: the evidence is read back all the same', async () => {
    const args = ['run', context, '--out', 'late', '--only', 'quick', '--json', ...RUNC];
    const started = bench.start(args, { ownGroup: true });
    await started.untilStderr(/reading the evidence back/);
    const pid = started.child.pid ?? assert.fail('it runs');
    await untilChild(pid, 'packproof-verify');
    process.kill(-pid, 'SIGINT');
    const answer = await started.answer;
    assert.equal(answer.exitCode, 0, answer.stderr);
    assert.equal(parseResult(answer).verdict, 'accepted');
  });

  it('130: Ctrl-C while preparing leaves nothing behind', async () => {
    const empty = await bench.makeFolder('interrupted');
    for (const args of [
      ['check', '../good.tgz'],
      ['prepare', '../good.tgz', '--out', 'a/context'],
    ]) {
      const started = bench.start([...args, ...RUNC, ...NODE_22], { cwd: empty, ownGroup: true });
      await started.untilStderr(/seal/);
      process.kill(-(started.child.pid ?? assert.fail('it runs')), 'SIGINT');
      const answer = await started.answer;
      assert.equal(answer.exitCode, 130, answer.stderr);
      assert.equal(answer.stdout, '');
      assert.match(answer.stderr, /packproof: interrupted: SIGINT \[INTERRUPTED\]\n$/);
      assert.deepEqual(await readdir(empty), []);
    }
  });
});
