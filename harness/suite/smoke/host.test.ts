import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { satisfies } from 'semver';
import type { BoxProcess, Snapshot, SnapshotEntry } from '../../engine/engine.ts';
import { toCandidateFacts } from '../candidate-facts.ts';
import { classify } from '../classify.ts';
import type { BinClass, CompiledCase, CompiledStep, DialogueExchange } from '../compiled.ts';
import { type CaseEvaluation, evaluateCase } from '../evaluate/evaluator.ts';
import type {
  CaseObservation,
  StepAction,
  StepObservation,
  StreamObservation,
  Termination,
} from '../observation.ts';
import { FAULT_PACKAGES, type FaultPackage } from '../testing/fault-packages.ts';
import { generateSmokeSuite } from './generate.ts';

/**
 * Runs the generated cases with plain processes on this machine, in place of boxes: the same links, arguments,
 * input plans and evaluation, without the boundary. Faults that need the boundary are left to engine tests.
 */
const MARK = 'PACKPROOF_HOST_TEST';
const JOBS = 8;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

interface HostBox {
  readonly root: string;
  readonly mark: string;
  readonly bytes: Map<string, Buffer>;
}

/** Lays a package out as npm does: links only for files that are there, made executable, CRLF mended. */
function install(fault: FaultPackage): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'packproof-host-')));
  const project = join(root, 'opt/candidate');
  const home = join(project, 'node_modules', fault.name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true}\n');
  writeFileSync(join(home, 'package.json'), JSON.stringify(fault.manifest));
  const bins = Object.entries((fault.manifest['bin'] ?? {}) as Record<string, string>);
  for (const file of fault.files) {
    if (file.kind !== 'file') continue;
    mkdirSync(dirname(join(home, file.path)), { recursive: true });
    writeFileSync(join(home, file.path), file.content, { mode: file.mode });
  }
  const copy = join(project, 'global/lib/node_modules', fault.name);
  for (const [, path] of bins) mend(join(home, path));
  cpSync(home, copy, { recursive: true });
  for (const [name, path] of bins) {
    link(join(project, 'node_modules/.bin'), name, `../${fault.name}/${path}`);
    link(join(project, 'global/bin'), name, `../lib/node_modules/${fault.name}/${path}`);
  }
  return root;
}

function mend(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path, 'latin1').replace(/^(#![^\n]*)\r\n/, '$1\n');
  rmSync(path);
  writeFileSync(path, bytes, { encoding: 'latin1', mode: 0o755 });
}

function link(folder: string, name: string, target: string): void {
  mkdirSync(folder, { recursive: true });
  if (!name.includes('/') && existsSync(join(folder, target))) symlinkSync(target, join(folder, name));
}

function inside(root: string, path: string): string {
  if (path === '/usr/local/bin/node') return process.execPath;
  return /^\/(opt|work|home)(\/|$)/.test(path) ? join(root, path) : path;
}

function envOf(box: HostBox, step: CompiledStep): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...step.env, [MARK]: box.mark };
  if (env['PATH'] !== undefined) env['PATH'] = `${dirname(process.execPath)}:${env['PATH']}`;
  if (env['HOME'] === '/home/node') env['HOME'] = join(box.root, 'home/node');
  return env;
}

async function runCase(compiled: CompiledCase, box: HostBox): Promise<CaseObservation> {
  for (const top of ['work', 'home']) rmSync(join(box.root, top), { recursive: true, force: true });
  for (const path of ['work', 'home/node']) mkdirSync(join(box.root, path), { recursive: true });
  for (const file of compiled.files) {
    const path = join(box.root, file.path);
    if (file.kind === 'directory') mkdirSync(path, { recursive: true });
    if (file.kind === 'file') writeFileSync(path, Buffer.from(file.contentBase64, 'base64'));
  }
  const before = snapshot(box.root);
  const steps: StepObservation[] = [];
  for (const step of compiled.steps) steps.push(await runStep(compiled.id, step, box));
  const leftovers = await settle(box.mark, compiled.settleMs);
  return {
    caseId: compiled.id,
    attempt: 1,
    node: process.version.slice(1),
    boxId: box.mark,
    steps,
    leftovers,
    before,
    controls: [],
    after: snapshot(box.root),
    outside: { inspect: {}, status: null, mounts: null, namespaces: null, limits: null },
    end: { oomKilled: false, oomKills: 0, inspect: {} },
    teardown: [],
  };
}

async function runStep(caseId: string, step: CompiledStep, box: HostBox): Promise<StepObservation> {
  const [program = '', ...args] = step.argv.map((argument) => inside(box.root, argument));
  const output =
    typeof step.stdout === 'object' && 'file' in step.stdout
      ? openSync(inside(box.root, step.stdout.file), 'w')
      : 'pipe';
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: inside(box.root, step.cwd),
    env: envOf(box, step),
    stdio: [step.stdin.kind === 'closed' ? 'ignore' : 'pipe', output, 'pipe'],
  });
  const live = new LiveStep(child, startedAt);
  if (typeof step.stdout === 'object' && 'closeAfterBytes' in step.stdout) live.closeStdoutAfterFirst();
  const ended = live.ended;
  const limitMs = step.timeoutMs;
  const timer = setTimeout(() => live.timeOut(limitMs), limitMs);
  for (const plan of step.signals) {
    setTimeout(() => live.signal(plan.signal), plan.delayMs).unref();
  }
  void feed(step, live);
  const termination = await ended;
  clearTimeout(timer);
  if (typeof output === 'number') closeSync(output);
  const keep = (name: 'stdout' | 'stderr'): StreamObservation => {
    const bytes = Buffer.from(
      Buffer.concat(live.chunks[name]).toString('latin1').replaceAll(box.root, ''),
      'latin1',
    );
    box.bytes.set(`${caseId}/${step.name}/${name}`, bytes);
    return {
      totalBytes: bytes.length,
      keptBytes: bytes.length,
      totalSha256: sha256(bytes),
      keptSha256: sha256(bytes),
      truncated: false,
      eofSeen: true,
      lastByteAtMs: live.lastByteAtMs[name],
    };
  };
  return {
    name: step.name,
    argv: step.argv,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: live.endedAtMs,
    termination,
    killedBy: null,
    oomKilled: false,
    stdout: keep('stdout'),
    stderr: keep('stderr'),
    arrivals: [],
    actions: live.actions,
  };
}

class LiveStep {
  readonly chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  readonly lastByteAtMs: { stdout: number | null; stderr: number | null } = { stdout: null, stderr: null };
  readonly actions: StepAction[] = [];
  readonly ended: Promise<Termination>;
  readonly child: ChildProcess;
  endedAtMs = 0;
  #startedAt: number;
  #forced: Termination | null = null;
  #over = false;
  #total = 0;

  constructor(child: ChildProcess, startedAt: number) {
    this.child = child;
    this.#startedAt = startedAt;
    child.stdin?.on('error', () => this.#act('stdin', 'broken-pipe'));
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk: Buffer) => this.#take(name, chunk));
      child[name]?.on('error', () => {});
    }
    this.ended = this.#watch();
  }

  get over(): boolean {
    return this.#over;
  }

  answered(id: string | number): boolean {
    return Buffer.concat(this.chunks.stdout)
      .toString()
      .split('\n')
      .slice(0, -1)
      .some((line) => line.includes(`"id":${JSON.stringify(id)}`));
  }

  closeStdoutAfterFirst(): void {
    this.child.stdout?.once('data', () => this.child.stdout?.destroy());
  }

  write(text: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.child.stdin?.write(text, () => resolve());
    });
  }

  closeStdin(): void {
    if (this.#over) return;
    this.child.stdin?.end();
    this.#act('stdin-closed', '');
  }

  signal(name: string): void {
    if (this.#over) return;
    this.child.kill(name as NodeJS.Signals);
    this.#act('signal', name);
  }

  timeOut(limitMs: number): void {
    if (this.#over) return;
    this.#forced = { kind: 'timed-out', limitMs };
    this.child.kill('SIGKILL');
  }

  #watch(): Promise<Termination> {
    return new Promise((resolve) => {
      this.child.on('error', (error: NodeJS.ErrnoException) => {
        this.#finish();
        resolve({ kind: 'not-started', errno: error.code ?? 'EIO' });
      });
      this.child.on('exit', (code, signal) => {
        this.#finish();
        const natural: Termination =
          signal === null ? { kind: 'exited', code: code ?? -1 } : { kind: 'signaled', signal };
        const done = (): void => resolve(this.#forced ?? natural);
        this.child.on('close', done);
        setTimeout(done, 500).unref();
      });
    });
  }

  #finish(): void {
    this.#over = true;
    this.endedAtMs = performance.now() - this.#startedAt;
  }

  #take(name: 'stdout' | 'stderr', chunk: Buffer): void {
    this.chunks[name].push(chunk);
    this.lastByteAtMs[name] = performance.now() - this.#startedAt;
    this.#total += chunk.length;
    if (this.#total > 8 * 1024 * 1024 && !this.#over) {
      this.#forced = { kind: 'output-limit', stream: name };
      this.child.kill('SIGKILL');
    }
  }

  #act(kind: StepAction['kind'], detail: string): void {
    this.actions.push({ kind, detail, atMs: performance.now() - this.#startedAt });
  }
}

async function feed(step: CompiledStep, live: LiveStep): Promise<void> {
  const plan = step.stdin;
  if (plan.kind === 'fill') {
    await live.write(Buffer.alloc(plan.sizeBytes, 'x\n'));
    live.closeStdin();
  }
  if (plan.kind !== 'dialogue') return;
  for (const exchange of plan.exchanges) await exchangeLine(exchange, live);
  live.closeStdin();
  await pause(plan.ladder.afterEofMs, live);
  live.signal('SIGTERM');
  await pause(plan.ladder.afterTermMs, live);
  live.signal('SIGKILL');
}

async function exchangeLine(exchange: DialogueExchange, live: LiveStep): Promise<void> {
  if (live.over) return;
  await live.write(`${exchange.line}\n`);
  const { answerId } = exchange;
  if (answerId === null) return;
  await pause(exchange.waitMs, live, () => live.answered(answerId));
}

async function pause(limitMs: number, live: LiveStep, done: () => boolean = () => false): Promise<void> {
  const until = performance.now() + limitMs;
  while (performance.now() < until && !live.over && !done()) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function settle(mark: string, limitMs: number): Promise<readonly BoxProcess[]> {
  const until = performance.now() + limitMs;
  let left = marked(mark);
  while (left.length > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    left = marked(mark);
  }
  for (const one of left) if (one.pid !== null) process.kill(one.pid, 'SIGKILL');
  return left;
}

function marked(mark: string): readonly BoxProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
        if (/\) [ZX]/.test(status)) return [];
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${mark}`)) return [];
        const argv = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
        return [{ pid: Number(pid), parentPid: null, argv, state: 'S' }];
      } catch {
        return []; // it ended while we looked
      }
    });
}

function snapshot(root: string): Snapshot {
  const entries = ['work', 'home'].flatMap((top) => walk(root, `/${top}`));
  return { way: 'host', entries, truncated: [] };
}

function walk(root: string, path: string): readonly SnapshotEntry[] {
  const stat = lstatSync(join(root, path));
  const kind = stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : 'file';
  const bytes = kind === 'file' ? readFileSync(join(root, path)) : null;
  const entry: SnapshotEntry = {
    path,
    kind,
    mode: '0644',
    uid: stat.uid,
    gid: stat.gid,
    mtimeMs: stat.mtimeMs,
    sizeBytes: stat.size,
    sha256: bytes === null ? null : sha256(bytes),
    target: kind === 'symlink' ? readlinkSync(join(root, path)) : null,
  };
  if (kind !== 'directory') return [entry];
  return [entry, ...readdirSync(join(root, path)).flatMap((name) => walk(root, `${path}/${name}`))];
}

interface PackageResult {
  readonly classes: ReadonlyMap<string, BinClass>;
  readonly evaluations: ReadonlyMap<string, CaseEvaluation>;
}

/** Runs the cases of a package that matter: all of them for a good one, those named for one with a fault. */
async function runPackage(fault: FaultPackage): Promise<PackageResult> {
  const bins = Object.entries((fault.manifest['bin'] ?? {}) as Record<string, string>);
  const facts = toCandidateFacts(fault.manifest, {
    bins: bins.map(([name, path]) => ({ name, path: path.replace(/^\.\//, '') })),
    files: fault.files.map((file) => file.path),
  });
  const suite = generateSmokeSuite(facts, [process.version.slice(1)]);
  const topics = new Set(['classify', ...[...fault.gates, ...fault.warns].map((one) => one.topic)]);
  const isGood = fault.name.startsWith('g-');
  const classes = new Map<string, BinClass>();
  const evaluations = new Map<string, CaseEvaluation>();
  const observations = new Map<string, CaseObservation>();
  const root = install(fault);
  const box: HostBox = {
    root,
    mark: randomUUID(),
    bytes: new Map(),
  };
  const bytesOf = (caseId: string, step: string, stream: string) =>
    box.bytes.get(`${caseId}/${step}/${stream}`) ?? null;
  try {
    for (const compiled of suite.cases) {
      const topic = topicOf(compiled.id);
      if (!isGood && !topics.has(topic)) continue;
      const found = compiled.requires === null ? null : classes.get(compiled.requires.classification);
      if (compiled.requires !== null && (found == null || !compiled.requires.classes.includes(found)))
        continue;
      const observation = await runCase(compiled, box);
      observations.set(compiled.id, observation);
      if (topic.startsWith('classify')) classes.set(compiled.id, classify(observation, bytesOf));
      evaluations.set(topic, evaluateCase(compiled, [...observations.values()], bytesOf));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return { classes, evaluations };
}

function topicOf(caseId: string): string {
  return caseId.startsWith('bin.') ? caseId.slice(caseId.lastIndexOf('.') + 1) : caseId;
}

function failed(result: PackageResult, isWanted: (severity: string) => boolean): readonly string[] {
  return [...result.evaluations]
    .flatMap(([topic, evaluation]) =>
      evaluation.checks
        .filter((check) => check.result === 'fail' && isWanted(check.severity))
        .map((check) => `${topic}/${check.id}`),
    )
    .sort();
}

function errors(result: PackageResult): readonly string[] {
  return [...result.evaluations].flatMap(([topic, evaluation]) =>
    evaluation.checks
      .filter((check) => check.result === 'error')
      .map((check) => `${topic}/${check.id}: ${check.message}`),
  );
}

const named = (list: FaultPackage['gates']): readonly string[] =>
  list.map((one) => `${one.topic}/${one.check}`).sort();

const runnable = FAULT_PACKAGES.filter(
  (fault) =>
    !fault.installFails &&
    !fault.oracles.includes('boundary') &&
    fault.binClass !== null &&
    satisfies(process.version, fault.node),
);

describe('generated smoke cases on plain processes', { concurrency: JOBS }, () => {
  for (const fault of runnable) {
    test(`${fault.name}: ${fault.fault}`, async () => {
      const result = await runPackage(fault);
      assert.deepEqual(errors(result), []);
      assert.equal([...result.classes.values()][0], fault.binClass);
      const gates = failed(result, (severity) => severity === 'gate');
      const wanted = named(fault.gates);
      assert.deepEqual(fault.spreads ? gates.filter((one) => wanted.includes(one)) : gates, wanted);
      const lesser = failed(result, (severity) => severity !== 'gate');
      assert.deepEqual(
        named(fault.warns).filter((one) => !lesser.includes(one)),
        [],
      );
      for (const gate of fault.gates) {
        assert.equal(result.evaluations.get(gate.topic)?.outcome, 'fail');
      }
    });
  }
});
