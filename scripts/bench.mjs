#!/usr/bin/env node
// Measures the promises about speed as ratios against a peer in the same run, because the machines are
// noisy. Needs what scripts/test sets up: root, runc, and a Docker Engine at DOCKER_HOST (started here when
// there is none). Exit code 1 when a ratio misses its target.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeEndlessList, writeLargeBundle } from './large-bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'bin', 'packproof.js');
const CASES = 40;
const JOBS = 2;
const SHORT_CASES = 139;
const SHORT_LIMIT_MS = { runc: 12_000, docker: 40_000 };
const SCALE_CASES = 10_000;
const SCALE_PEAK_LIMIT_MB = 250;
const PREPARED = 'npm:@modelcontextprotocol/server-filesystem@2026.8.31';
/** Prints the most memory that the process ever had, in KiB, after whatever it prints itself. */
const PEAK =
  "data:text/javascript,process.on('exit',()=>process.stderr.write(String(process.resourceUsage().maxRSS)))";
const PEAK_LIMIT_MB = 200;
/** A hundred thousand servers and more, which no client has: what a stranger's folder can cost at most. */
const FULL_PEAK_LIMIT_MB = 300;
const results = [];

const work = await mkdtemp(join(tmpdir(), 'packproof-bench-'));
let engine = null;
try {
  if (process.env.DOCKER_HOST === undefined) {
    engine = join(work, 'engine');
    const started = run(join(root, 'scripts/test-engine'), ['start', engine]);
    process.env.DOCKER_HOST = started.trim().replace(/^DOCKER_HOST=/, '');
  }
  if (process.argv.includes('--scale')) await benchScale();
  else await benchAll();
} finally {
  if (engine !== null) spawnSync(join(root, 'scripts/test-engine'), ['stop', engine], { stdio: 'ignore' });
  await rm(work, { recursive: true, force: true });
}
process.exitCode = results.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function benchAll() {
  await benchVersion();
  await benchScope();
  await benchCases();
  await benchShort();
  await benchPrepare();
  await benchVerify();
  await benchLargeVerify();
  await benchEndlessList();
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (result.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${result.status}\n${result.stderr}`);
  return result.stdout;
}

function timed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** The median of odd counts is robust against one disturbed run. */
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function record(name, ours, peer, limit) {
  const ratio = ours / peer;
  const figures = `${ours.toFixed(0)} ms against ${peer.toFixed(0)} ms`;
  report(name, { label: 'ratio', value: ratio, limit }, figures);
}

function report(name, { label, value, limit }, figures) {
  results.push({ value, limit });
  const word = value <= limit ? 'ok  ' : 'MISS';
  console.log(`${word} ${name}: ${label} ${value.toFixed(2)} (target ≤ ${limit.toFixed(2)})  ${figures}`);
}

async function benchVersion() {
  const ours = [];
  const peer = [];
  for (let turn = 0; turn < 11; turn += 1) {
    ours.push(timed(() => run(process.execPath, [bin, '--version'])));
    peer.push(timed(() => run(process.execPath, ['-e', '0'])));
  }
  record('packproof --version against node -e 0', median(ours), median(peer), 3);
}

/**
 * A project all of whose files, of every client, have as many servers as a source lists, and as long names as fit.
 * A stranger's folder may be just that.
 */
async function fullProject() {
  const folder = join(work, 'servers-everywhere');
  const entries = Array.from({ length: 10_000 }, (_, index) => [`${index}`.padStart(90, 'n'), {}]);
  const servers = Object.fromEntries(entries);
  const files = [
    ...[
      '.mcp.json',
      '.cursor/mcp.json',
      '.gemini/settings.json',
      '.junie/mcp/mcp.json',
      '.github/mcp.json',
    ].map((path) => [path, { mcpServers: servers }]),
    ['.vscode/mcp.json', { servers }],
    ['.zed/settings.json', { context_servers: servers }],
    ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'].map(
      (path) => [path, { mcp: servers }],
    ),
  ];
  for (const [path, document] of files) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(document));
  }
  return folder;
}

/** A project whose one file declares that many servers, each with a canary that no output may have. */
async function projectOf(count) {
  const folder = join(work, `servers-${count}`);
  await mkdir(folder);
  const entries = Array.from({ length: count }, (_, index) => [
    `s-${index}`,
    { command: 'x', args: ['canary'] },
  ]);
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  return folder;
}

async function benchScope() {
  const folders = { small: await projectOf(3), half: await projectOf(5000), whole: await projectOf(10_000) };
  const home = join(work, 'home');
  await mkdir(home);
  const env = { ...process.env, HOME: home };
  const scope = (folder, ...flags) => {
    const args = [...flags, bin, 'scope', folder, '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env,
      maxBuffer: 1 << 28,
    });
    if (status !== 0 || stdout.includes('canary')) throw new Error(`scope ${folder}: ${status}`);
    return { servers: JSON.parse(stdout).servers.length, peakKib: Number(stderr) };
  };
  if (scope(folders.whole).servers !== 10_000) throw new Error('scope left servers out');
  const times = { empty: [], small: [], half: [], whole: [] };
  for (let turn = 0; turn < 11; turn += 1) {
    times.empty.push(timed(() => run(process.execPath, ['-e', '0'])));
    for (const [name, folder] of Object.entries(folders)) times[name].push(timed(() => scope(folder)));
  }
  record('scope of a small project against node -e 0', median(times.small), median(times.empty), 2.5);
  record('scope of 10 000 servers against 5 000', median(times.whole), median(times.half), 2);
  const peakMb = (scope(folders.whole, '--import', PEAK).peakKib * 1024) / 1e6;
  report('scope of 10 000 servers', { label: 'peak MB', value: peakMb, limit: PEAK_LIMIT_MB }, '');
  // Nobody holds its output: what the parent has in memory counts as the child's too.
  const args = ['--import', PEAK, bin, 'scope', await fullProject(), '--client', 'all', '--json'];
  const full = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (full.status !== 0) throw new Error(`scope --client all: ${full.status}`);
  const fullMb = (Number(full.stderr) * 1024) / 1e6;
  const label = { label: 'peak MB', value: fullMb, limit: FULL_PEAK_LIMIT_MB };
  report('scope --client all of eleven full files', label, '');
}

/** A suite as a person writes it, but a line a case: ten thousand stay below the limit of 4 MiB. */
function trivialSuite(count, argv = ['/usr/local/bin/node', '-e', '0']) {
  const cases = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `trivial-${String(index).padStart(5, '0')}`,
      why: 'measures the cost of a box',
      steps: [{ argv }],
      checks: [{ termination: { exited: 0 } }],
    }),
  );
  return `formatVersion: 1
id: trivial
title: Trivial cases
proves: [the cost of a box]
doesNotProve: [anything about the candidate]
cases:
${cases.map((line) => `  - ${line}`).join('\n')}
`;
}

/** Prepares a context of a small candidate with this suite. */
async function prepareSuite(name, suite) {
  const file = join(work, `${name}.yaml`);
  await writeFile(file, suite);
  const context = join(work, `context-${name}`);
  const args = ['--suite', file, '--node', '22', '--engine', 'runc', '--out', context, '--quiet'];
  run(process.execPath, [bin, 'prepare', 'npm:semver@7.8.6', ...args]);
  return context;
}

/** Whole runs of many short cases, in seconds: a figure of an idle machine with two cores. */
async function benchShort() {
  const context = await prepareSuite('short', trivialSuite(SHORT_CASES));
  for (const [name, limitMs] of Object.entries(SHORT_LIMIT_MS)) {
    const out = join(work, `short-${name}`);
    const args = ['--engine', name, '--jobs', String(JOBS), '--out', out, '--quiet'];
    const tookMs = timed(() => run(process.execPath, [bin, 'run', context, ...args]));
    record(`${SHORT_CASES} short cases on ${name}, load ${loadavg()[0].toFixed(1)}`, tookMs, limitMs, 1);
  }
}

/** `--scale`: ten thousand cases and nothing else; takes ten minutes of an idle machine. */
async function benchScale() {
  const context = await prepareSuite('scale', trivialSuite(SCALE_CASES, ['/bin/sh', '-c', ':']));
  const out = join(work, 'scale');
  const args = ['--engine', 'runc', '--jobs', String(JOBS), '--out', out, '--budget', '3600s'];
  const { at, peaks } = await watched([bin, 'run', context, ...args]);
  const load = `load ${loadavg()[0].toFixed(1)}`;
  const quarter = at(SCALE_CASES / 4);
  record(
    `${SCALE_CASES} cases against four times the first quarter, ${load}`,
    at(SCALE_CASES),
    4 * quarter,
    1.15,
  );
  for (const [phase, bytes] of peaks)
    report(
      `memory of all processes of packproof, ${phase}`,
      { label: 'peak MB', value: bytes / 1e6, limit: SCALE_PEAK_LIMIT_MB },
      '',
    );
  const { written, suites } = await sizesOf(out);
  const suiteBytes = `and ${(suites / SCALE_CASES).toFixed(0)} bytes of its suite, as written and compiled`;
  const caseBytes = { label: 'bytes', value: written / SCALE_CASES, limit: 4096 };
  report('evidence of a case beyond its raw bytes', caseBytes, suiteBytes);
  const verifier = timed(() => run(process.execPath, [join(root, 'bin', 'packproof-verify.js'), out]));
  record(`reading it back against a tenth of the run, ${load}`, verifier, at(SCALE_CASES) / 10, 1);
}

/** Runs packproof; when each case ended after the first phase line, and in each phase the most memory of its processes. */
async function watched(argv) {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Map();
  let startedMs = 0;
  let phase = 'start';
  createInterface({ input: child.stderr }).on('line', (line) => {
    [, phase = phase] = /^ *[\d.]+s ([a-z]+) /.exec(line) ?? [];
    if (/ run {6}\d+ cases$/.test(line)) startedMs = performance.now();
    const [, count] = /run {6}(\d+)\/\d+ /.exec(line) ?? [];
    if (count !== undefined) ended.set(Number(count), performance.now() - startedMs);
  });
  const peaks = new Map();
  const timer = setInterval(() => {
    peaks.set(phase, Math.max(peaks.get(phase) ?? 0, memoryBelow(child.pid)));
  }, 500);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`packproof ${argv.slice(1).join(' ')}: ${code}`);
  return { at: (count) => ended.get(count), peaks };
}

/** Proportional memory of a process and its descendants that run Node: what they share is counted once. */
function memoryBelow(pid) {
  try {
    const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const own = readlinkSync(`/proc/${pid}/exe`) === process.execPath ? readPss(pid) : 0;
    return below.filter(Boolean).reduce((sum, child) => sum + memoryBelow(child), own);
  } catch {
    // Gone in between.
    return 0;
  }
}

function readPss(pid) {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

/** Bytes of a bundle: what programs printed, the suites as they were handed in, and what the run wrote of its own. */
async function sizesOf(folder) {
  const sizes = { raw: 0, suites: 0, written: 0 };
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const printed = file.name === 'stdout' || file.name === 'stderr';
    const suites = path.startsWith(join(folder, 'inputs', 'suites'));
    sizes[printed ? 'raw' : suites ? 'suites' : 'written'] += statSync(path).size;
  }
  return sizes;
}

async function benchCases() {
  const context = await prepareSuite('cases', trivialSuite(CASES));
  const casesMs = {};
  for (const name of ['runc', 'docker']) {
    const values = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const out = join(work, `evidence-${name}-${turn}`);
      run(process.execPath, [
        bin,
        'run',
        context,
        '--engine',
        name,
        '--jobs',
        String(JOBS),
        '--out',
        out,
        '--quiet',
      ]);
      values.push(JSON.parse(await readFile(join(out, 'report.json'), 'utf8')).timings.casesMs);
    }
    casesMs[name] = median(values);
  }
  const peer = [];
  for (let turn = 0; turn < 3; turn += 1) peer.push(await dockerRuns());
  record(`${CASES} trivial cases on runc against docker run --rm`, casesMs.runc, median(peer), 1 / 3);
  record(`${CASES} trivial cases on Docker against docker run --rm`, casesMs.docker, median(peer), 1.2);
}

/** The same work with the command a person would write: the full boundary as flags, JOBS at a time. */
async function dockerRuns() {
  const image = run('docker', ['images', '--format', '{{.ID}}', 'packproof/image']).split('\n')[0];
  const mount = (path, size) => [
    '--tmpfs',
    `${path}:rw,nosuid,nodev,noexec,size=${size},uid=1000,gid=1000,mode=0755`,
  ];
  const args = [
    'run',
    '--rm',
    '--network',
    'none',
    '--read-only',
    '--user',
    '1000:1000',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    '--pids-limit',
    '256',
    '--memory',
    '2g',
    '--memory-swap',
    '2g',
    '--cpus',
    '2',
    '--ipc',
    'none',
    '--log-driver',
    'none',
    ...mount('/work', '256m'),
    ...mount('/home/node', '256m'),
    ...mount('/tmp', '128m'),
    '--entrypoint',
    '/usr/local/bin/node',
    image,
    '-e',
    '0',
  ];
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < CASES) {
      next += 1;
      await new Promise((resolve, reject) => {
        const child = spawn('docker', args, { stdio: 'ignore' });
        child.on('error', reject);
        child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`docker run: ${code}`))));
      });
    }
  };
  await Promise.all(Array.from({ length: JOBS }, worker));
  return performance.now() - start;
}

async function benchPrepare() {
  const prepare = (name) =>
    run(process.execPath, [
      bin,
      'prepare',
      PREPARED,
      '--node',
      '22',
      '--engine',
      'runc',
      '--out',
      join(work, name),
      '--quiet',
    ]);
  prepare('cold');
  const ours = [];
  for (let turn = 0; turn < 3; turn += 1) ours.push(timed(() => prepare(`warm-${turn}`)));
  const project = join(work, 'project');
  const cache = join(work, 'npm-cache');
  await mkdir(project);
  const manifest = {
    name: 'peer',
    version: '1.0.0',
    dependencies: { '@modelcontextprotocol/server-filesystem': '2026.8.31' },
  };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  const npm = (...args) =>
    run('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--cache', cache], { cwd: project });
  npm('install', '--omit-lockfile-registry-resolved=false');
  const peer = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await rm(join(project, 'node_modules'), { recursive: true, force: true });
    peer.push(timed(() => npm('ci', '--offline')));
  }
  record('warm prepare against npm ci --offline of the same tree', median(ours), median(peer), 2);
}

async function benchVerify() {
  const evidence = join(work, 'evidence-runc-0');
  const ours = [];
  const peer = [];
  for (let turn = 0; turn < 5; turn += 1) {
    ours.push(timed(() => run(process.execPath, [join(root, 'bin', 'packproof-verify.js'), evidence])));
    peer.push(timed(() => run(process.execPath, ['-e', '0'])));
  }
  record('verify of a small bundle against node -e 0', median(ours), median(peer), 5);
}

/** A gigabyte in a hundred files: reading it back may take half again what hashing alone takes, and a start. */
async function benchLargeVerify() {
  const evidence = join(work, 'large');
  await writeLargeBundle(evidence, { count: 100, sizeBytes: 10 * 1024 * 1024 });
  const ours = [];
  const peer = [];
  let peak = 0;
  for (let turn = 0; turn < 5; turn += 1) {
    peer.push(timed(() => run('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: evidence })));
    ours.push(
      timed(() => {
        peak = Math.max(peak, verifyWithPeak(evidence, 0));
      }),
    );
  }
  const allowed = 1.5 * median(peer) + 150;
  record('verify of 1 GB against 1.5 times sha256sum and 150 ms', median(ours), allowed, 1);
  report(
    'memory of verifying 1 GB',
    { label: 'MB', value: peak, limit: PEAK_LIMIT_MB },
    `${peak.toFixed(0)} MB`,
  );
  await rm(evidence, { recursive: true, force: true });
}

/** A million entries are more than a document may have bytes; as many as fit end in a verdict, in bounded memory. */
async function benchEndlessList() {
  const count = 1_000_000;
  const evidence = join(work, 'list');
  await writeEndlessList(evidence, count);
  const peak = verifyWithPeak(evidence, 4);
  report(
    `memory of an index of ${count} entries`,
    { label: 'MB', value: peak, limit: PEAK_LIMIT_MB },
    `${peak.toFixed(0)} MB`,
  );
  await rm(evidence, { recursive: true, force: true });
}

/** Peak of the verifier's memory in MB; its exit code must be the one given. */
function verifyWithPeak(evidence, exitCode) {
  const args = ['--import', PEAK, join(root, 'bin', 'packproof-verify.js'), evidence];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== exitCode) throw new Error(`verify ${evidence}: ${status}\n${stderr}`);
  return Number(stderr) / 1024;
}
