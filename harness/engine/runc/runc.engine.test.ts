import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Boundary } from '../../boundary/boundary.ts';
import { defaultBoundary } from '../../boundary/default-boundary.ts';
import { toExpectedInspect, toExpectedSeccompForms } from '../../boundary/engine-view.ts';
import { readSeccompPolicy } from '../../boundary/seccomp-policy.ts';
import { buildTrialImage } from '../docker/testing/trial-image.ts';
import type {
  Box,
  BuiltImage,
  Engine,
  FileTreeEntry,
  ImageFile,
  KillRecipe,
  LoadedImage,
  StepRequest,
} from '../engine.ts';
import { EngineError } from '../errors.ts';
import { ProcessPin } from '../host/process-pin.ts';
import { SNAPSHOT_LIMITS } from '../host/tree-limits.ts';
import { MEMORY_ATTACKS, SIGNAL_ANSWER, SIGNAL_ATTACK } from '../testing/attacks.ts';
import { OWNED_ANSWER, OWNED_FILES, OWNED_LISTED, READ_OWNED } from '../testing/owned-files.ts';
import { collectStep, type StepResult, toStep } from '../testing/step-run.ts';
import { createRuncEngine } from './runc-engine.ts';

const MIB = 1024 * 1024;
let folder: string;
let engine: Engine;
let built: BuiltImage;
let image: LoadedImage;
let boundary: Boundary;
let box: Box;
const open: Box[] = [];

const options = (runId: string) => ({
  stateDir: join(folder, 'state'),
  cacheDir: join(folder, 'cache'),
  runId,
});

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'runc-'));
  built = await buildTrialImage(folder, 'runc');
  engine = await createRuncEngine(options('main'));
  image = await engine.ensureImage(built);
  boundary = defaultBoundary(built.platform, { exec: false });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((left) => left.close()));
});
after(async () => {
  await engine.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function openBox(changes: Partial<Boundary> = {}, files: readonly FileTreeEntry[] = []): Promise<Box> {
  box = await engine.open({
    image,
    boundary: { ...boundary, ...changes },
    labels: { runId: 'main', boxName: 'case/one' },
    endsAfterMs: 60_000,
    files,
  });
  open.push(box);
  return box;
}

const perl = (program: string): readonly string[] => ['perl', '-e', program];
async function run(argv: readonly string[], other: Partial<StepRequest> = {}): Promise<StepResult> {
  return collectStep(await box.start(toStep(argv, { cwd: '/work', ...other })));
}

function isError(code: string, where: RegExp, actual = /(?:)/): (error: unknown) => boolean {
  return (error) =>
    error instanceof EngineError &&
    error.code === code &&
    where.test(error.where) &&
    actual.test(error.actual ?? '');
}

/** Folders that the kernel keeps for boxes of this test. */
function listCgroups(id: string): readonly string[] {
  const hierarchies = readdirSync('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name));
  return hierarchies.filter((path) => existsSync(join(path, id)));
}

function countMounts(): number {
  return readFileSync('/proc/self/mountinfo', 'latin1')
    .split('\n')
    .filter((line) => line.includes(folder)).length;
}

test('the engine says what it is', async () => {
  const facts = await engine.facts();
  assert.equal(facts.name, 'runc');
  assert.match(facts.version, /^\d+\.\d+\.\d+/);
  assert.equal(facts.evidenceWay, 'host');
  assert.equal(facts.storage, 'overlay');
});

test('what runc gives back is the boundary, field by field', async () => {
  await openBox();
  const { inspect } = await box.outside();
  const { seccompFormSha256, ...rest } = inspect;
  assert.deepEqual(rest, toExpectedInspect(boundary));
  assert.ok(
    toExpectedSeccompForms(readSeccompPolicy(), boundary.platform).includes(String(seccompFormSha256)),
  );
  assert.ok(!JSON.stringify(inspect).includes(folder));
});

test('a relaxed boundary shows in what runc gives back and in what the kernel enforces', async () => {
  const [work, ...others] = boundary.mounts;
  assert.ok(work !== undefined);
  await openBox({
    pidsLimit: 77,
    memoryBytes: 900 * MIB,
    memorySwapBytes: 900 * MIB,
    cpuMillis: 500,
    mounts: [{ ...work, exec: true }, ...others],
  });
  const { inspect, limits, mounts } = await box.outside();
  assert.equal(inspect.pidsLimit, 77);
  assert.deepEqual(limits, { pids: 77, memoryBytes: 900 * MIB, memorySwapBytes: 900 * MIB, cpuMillis: 500 });
  assert.deepEqual(inspect.writableMounts, [{ ...work, exec: true }, ...others]);
  const options = (path: string): readonly string[] =>
    mounts?.find((mount) => mount.path === path)?.options ?? [];
  assert.ok(!options('/work').includes('noexec') && options('/tmp').includes('noexec'));
});

test('the kernel shows a process without rights, in namespaces of its own, in bounds', async () => {
  await openBox();
  const step = await box.start(toStep(perl('select(undef, undef, undef, 30)')));
  const view = await box.outside();
  assert.deepEqual(view.status, {
    Uid: '1000 1000 1000 1000',
    Gid: '1000 1000 1000 1000',
    Groups: '',
    CapInh: '0000000000000000',
    CapPrm: '0000000000000000',
    CapEff: '0000000000000000',
    CapBnd: '0000000000000000',
    CapAmb: '0000000000000000',
    NoNewPrivs: '1',
    Seccomp: '2',
  });
  const { user, time, ...others } = view.namespaces ?? {};
  assert.deepEqual([user, time], ['host', 'host']);
  assert.deepEqual(others, {
    cgroup: 'private',
    ipc: 'private',
    mnt: 'private',
    net: 'private',
    pid: 'private',
    uts: 'private',
  });
  assert.deepEqual(view.limits, {
    pids: 256,
    memoryBytes: 2048 * MIB,
    memorySwapBytes: 2048 * MIB,
    cpuMillis: 2000,
  });
  const root = view.mounts?.find(({ path }) => path === '/');
  assert.equal(root?.type, 'overlay');
  assert.ok(root?.options.includes('ro'));
  assert.ok(!JSON.stringify(view.mounts).includes(folder));
  step.signal('SIGKILL');
  await step.ended;
});

test('root is read-only, writable mounts are bounded in size and inodes', async () => {
  const [work, ...others] = boundary.mounts;
  assert.ok(work !== undefined);
  await openBox({ mounts: [{ ...work, sizeBytes: 4 * MIB, inodes: 50 }, ...others] });
  const root = await run(
    perl(
      'print open(my $f, ">", "/opt/x") ? "made" : $!, "\\n"; print open($f, ">", "/work/x") ? "made" : $!',
    ),
  );
  assert.equal(root.stdout, 'Read-only file system\nmade');
  const full = await run(
    perl(
      'open F, ">", "x"; my $n = 0; while (my $c = syswrite F, "x" x 65536) { $n += $c } print $n, " ", $!',
    ),
  );
  assert.match(full.stdout, /^4\d{6} No space left on device$/);
  const inodes = await run(
    perl('my $n = 0; $n++ while open F, ">", "n$n"; print $n < 50 ? "few " : "many ", $!'),
  );
  assert.equal(inodes.stdout, 'few No space left on device');
  assert.deepEqual((await run(['perl', '-e', 'exit 7'])).end, { kind: 'exited', code: 7 });
});

test('signals and open files of the holder are out of reach in the box as well', async () => {
  await openBox();
  const { end, stdout } = await run(perl(SIGNAL_ATTACK));
  assert.equal(stdout, SIGNAL_ANSWER);
  assert.deepEqual(end, { kind: 'signaled', signal: 'SIGKILL' });
  for (const { name, program, holder } of MEMORY_ATTACKS) {
    assert.equal((await run(perl(program))).stdout, `victim worked\nholder ${holder}\n`, name);
  }
});

test('a fork bomb meets the pids limit, is listed, and is gone after the kill of all', async () => {
  await openBox({ pidsLimit: 40 });
  const bomb = await box.start(
    toStep(
      perl(
        '$| = 1; 1 while defined(my $pid = fork) && ($pid || print "."); print "$!\\n"; select(undef, undef, undef, 60)',
      ),
    ),
  );
  let text = '';
  await new Promise<void>((resolve) =>
    bomb.onEvent((event) => {
      if (event.kind === 'chunk') text += event.bytes.toString('latin1');
      if (/Resource temporarily unavailable/.test(text)) resolve();
    }),
  );
  await box.freeze();
  const listed = await box.processes();
  // The holder is the fortieth.
  assert.equal(listed.length, 39);
  assert.ok(listed.every(({ state, argv }) => state === 'T' && argv[0] === 'perl'));
  assert.ok(listed.some(({ parentPid }) => parentPid === 1));
  assert.equal(await box.killAll(), 39);
  assert.deepEqual(await bomb.ended, { kind: 'signaled', signal: 'SIGKILL' });
  assert.deepEqual(await box.processes(), []);
  assert.deepEqual((await run(['perl', '-e', '1'])).end, { kind: 'exited', code: 0 });
});

test('a memory bomb is ended by the kernel, the holder is not, and the box says so', async () => {
  const limit = { memoryBytes: 96 * MIB, memorySwapBytes: 96 * MIB };
  const modest = await openBox(limit);
  assert.equal((await run(perl('my $x = "x" x 20_000_000; print length $x'))).stdout, '20000000');
  assert.deepEqual(await modest.close().then(({ oomKilled, oomKills }) => ({ oomKilled, oomKills })), {
    oomKilled: false,
    oomKills: 0,
  });
  await openBox(limit);
  assert.deepEqual((await run(perl('my $x = ""; $x .= "x" x 1_000_000 while 1'))).end, {
    kind: 'signaled',
    signal: 'SIGKILL',
  });
  // In a child: its parent goes on and exits 0, so that the exit code alone hides it.
  const hidden = await run(
    perl('if (!fork) { my $x = ""; $x .= "x" x 1_000_000 while 1 } wait; print $? & 127; exit 0'),
  );
  assert.deepEqual([hidden.end, hidden.stdout], [{ kind: 'exited', code: 0 }, '9']);
  const end = await box.close();
  assert.deepEqual([end.oomKilled, end.oomKills], [true, 2]);
});

test('the snapshot names every kind of entry, opens only files, and tells what it left out', async () => {
  await openBox({}, [
    { kind: 'directory', path: '/work', mode: 0o700 },
    { kind: 'file', path: '/work/laid', mode: 0o640, content: Buffer.from('laid') },
  ]);
  const before = await box.snapshot();
  assert.deepEqual(
    before.entries.map(({ path }) => path),
    ['/work/laid'],
  );
  const program = `
    symlink '/etc/passwd', 'link'; link 'laid', 'hard'; syscall(${process.arch === 'arm64' ? 33 : 259}, -100, my $p = 'pipe', 4480, 0);
    socket(my $s, 1, 1, 0); bind($s, pack('Sa*', 1, 'sock'));
    open(my $f, '>', 'sparse'); truncate($f, ${SNAPSHOT_LIMITS.fileBytes + 1});
    open($f, '>', "bad\\xff\\nname"); open($f, '>', 'a-b'); mkdir 'a'; open($f, '>', 'a/b');
    mkdir 'deep'; chdir 'deep'; for (1 .. 3000) { mkdir 'd' or die "$_ $!"; chdir 'd' } print 'made'`;
  const made = await run(perl(program));
  assert.deepEqual([made.stderr, made.stdout], ['', 'made']);
  await assert.rejects(box.snapshot(), isError('BOX_NOT_QUIET', /^snapshot$/));
  await box.killAll();
  const { way, entries, truncated } = await box.snapshot();
  assert.equal(way, 'host');
  const shown = entries.filter(({ path }) => !path.startsWith('/work/deep/'));
  assert.deepEqual(
    shown.map(({ path, kind, target }) => [path, kind, target]),
    [
      ['/work/a', 'directory', null],
      ['/work/a-b', 'file', null],
      ['/work/a/b', 'file', null],
      ['/work/bad%FF\nname', 'file', null],
      ['/work/deep', 'directory', null],
      ['/work/hard', 'file', null],
      ['/work/laid', 'file', null],
      ['/work/link', 'symlink', '/etc/passwd'],
      ['/work/pipe', 'fifo', null],
      ['/work/sock', 'socket', null],
      ['/work/sparse', 'file', null],
    ],
  );
  const find = (path: string) => entries.find((entry) => entry.path === path);
  assert.equal(find('/work/hard')?.sha256, createHash('sha256').update('laid').digest('hex'));
  assert.equal(find('/work/sparse')?.sha256, null);
  assert.equal(entries.length - shown.length, SNAPSHOT_LIMITS.depth - 1);
  assert.deepEqual([...truncated].sort(), [
    `depth: more than ${SNAPSHOT_LIMITS.depth}`,
    `file of more than ${SNAPSHOT_LIMITS.fileBytes} bytes not read: /work/sparse`,
  ]);
});

test('entries are given to other users from outside, and what is denied to the candidate is denied', async () => {
  const passwd = lstatSync('/etc/passwd');
  await openBox({}, OWNED_FILES);
  const { entries } = await box.snapshot();
  assert.deepEqual(
    entries.map(({ path, uid, gid, mode }) => `${path} ${uid}:${gid} ${mode}`),
    OWNED_LISTED,
  );
  assert.equal(entries[0]?.mtimeMs, 1_000_000_000_000);
  assert.equal((await run(perl(READ_OWNED))).stdout, OWNED_ANSWER);
  assert.deepEqual([lstatSync('/etc/passwd').uid, lstatSync('/etc/passwd').ctimeMs], [0, passwd.ctimeMs]);
});

test('nothing of the host is given away through a box', async () => {
  const link = { kind: 'symlink', path: '/work/way', target: '/etc' } as const;
  for (const [path, actual] of [
    ['/work/way/passwd', 'ENOTDIR'],
    ['/work/none', 'ENOENT'],
    ['/etc/passwd', 'another'],
  ] as const) {
    await assert.rejects(
      openBox({}, [link, { kind: 'owner', path, uid: 1001, gid: 1001 }]),
      isError('OWNER_NOT_LAID', new RegExp(`^${path}$`), new RegExp(`^${actual}$`)),
    );
  }
  assert.equal(lstatSync('/etc/passwd').uid, 0);
});

test('a tree is read out whole or not at all, and never through a link', async () => {
  await openBox();
  await run(perl('mkdir "t"; open F, ">", "t/f"; print F "abc"; symlink "/etc", "out"; symlink "f", "t/l"'));
  await box.killAll();
  const files: string[] = [];
  for await (const { entry, content } of box.readTree('/work/t')) {
    const chunks: Buffer[] = [];
    if (content !== null) for await (const bytes of content()) chunks.push(bytes);
    files.push(`${entry.path} ${entry.kind} ${Buffer.concat(chunks)}`);
  }
  assert.deepEqual(files, ['/work/t/f file abc', '/work/t/l symlink ']);
  for (const path of ['/work/out', '/work/none', '/work/t/f', '/work/../etc']) {
    const read = async (): Promise<void> => {
      for await (const _ of box.readTree(path)) assert.fail('nothing may be read');
    };
    await assert.rejects(read, isError('EVIDENCE_UNREADABLE', new RegExp(`^${path}$`), /^none$/));
  }
});

test('one step at a time', async () => {
  await openBox();
  const step = await box.start(toStep(perl('select(undef, undef, undef, 30)')));
  await assert.rejects(
    box.start(toStep(['true'])),
    isError('STEP_REFUSED', /^packproof-case-one-/, /^it runs$/),
  );
  await box.killAll();
  await step.ended;
});

test('a box that goes away under its step is lost, not ended, and can still be closed', async () => {
  await openBox();
  const step = await box.start(toStep(perl('select(undef, undef, undef, 30)')));
  await box.kill();
  assert.equal((await step.ended).kind, 'box-lost');
  await assert.rejects(box.freeze(), isError('BOX_LOST', /^holder$/));
  const end = await box.close();
  assert.equal(end.oomKilled, false);
  assert.deepEqual(listCgroups(box.id), []);
});

test('a box that cannot come up says why and leaves nothing', async () => {
  const [work] = boundary.mounts;
  assert.ok(work !== undefined);
  const before = readdirSync('/sys/fs/cgroup/pids').length;
  await assert.rejects(
    openBox({ mounts: [{ ...work, path: '/not/in/the/image' }] }),
    isError('BOX_NOT_READY', /^packproof-case-one-/, /not\/in\/the\/image/),
  );
  assert.deepEqual(readdirSync(join(folder, 'state/runs/main/boxes')), []);
  assert.deepEqual(readdirSync(join(folder, 'state/runs/main/runc')), []);
  assert.ok(readdirSync('/sys/fs/cgroup/pids').length <= before);
  const foreign = boundary.platform === 'linux/amd64' ? 'linux/arm64' : 'linux/amd64';
  await assert.rejects(openBox({ platform: foreign }), isError('BOUNDARY_UNSUPPORTED', /^platform$/));
  await assert.rejects(
    openBox({}, [{ kind: 'file', path: '/opt/new', mode: 0o644, content: Buffer.alloc(1) }]),
    isError('FILE_NOT_LAID', /^\/opt\/new$/, /^EROFS$/),
  );
});

test('a closed box leaves no process, cgroup, state or folder', async () => {
  const { id } = await openBox();
  assert.ok(listCgroups(id).length > 0);
  await run(
    perl(
      'if (!fork) { $SIG{TERM} = "IGNORE"; close $_ for *STDOUT, *STDERR; select(undef, undef, undef, 60) }',
    ),
  );
  await box.close();
  assert.deepEqual(await box.close(), await box.close());
  assert.deepEqual(listCgroups(id), []);
  assert.deepEqual(readdirSync(join(folder, 'state/runs/main/runc')), []);
  assert.deepEqual(readdirSync(join(folder, 'state/runs/main/boxes')), []);
});

test('the image is read back as it was built', async () => {
  const files = new Map<string, ImageFile>();
  let last = Buffer.alloc(0);
  for await (const file of engine.readImage(image)) {
    assert.ok(Buffer.compare(last, Buffer.from(file.path)) < 0);
    last = Buffer.from(file.path);
    files.set(file.path, file);
  }
  assert.equal(files.get('opt/marker')?.sha256, createHash('sha256').update('runc').digest('hex'));
  assert.deepEqual(files.get('bin'), {
    path: 'bin',
    kind: 'symlink',
    mode: '0777',
    uid: 0,
    gid: 0,
    sizeBytes: 0,
    sha256: null,
    target: 'usr/bin',
  });
  assert.deepEqual(files.get('work'), {
    path: 'work',
    kind: 'directory',
    mode: '0755',
    uid: 0,
    gid: 0,
    sizeBytes: 0,
    sha256: null,
    target: null,
  });
});

test('an unpacked layer that was tampered with is made anew, a layer tar that was is refused', async () => {
  const marker = built.layers[1];
  assert.ok(marker !== undefined);
  const file = join(folder, 'cache/unpacked', marker.diffId, 'opt/marker');
  const second = await createRuncEngine(options('second'));
  try {
    writeFileSync(file, 'RUNC');
    await second.ensureImage(built);
    assert.equal(readFileSync(file, 'latin1'), 'runc');
  } finally {
    await second.dispose();
  }
  const bytes = readFileSync(marker.file);
  bytes[600] = (bytes[600] ?? 0) ^ 1;
  const bad = { ...marker, file: join(folder, 'bad.tar') };
  writeFileSync(bad.file, bytes);
  const third = await createRuncEngine(options('third'));
  try {
    await assert.rejects(
      third.ensureImage({ ...built, layers: [...built.layers.slice(0, 1), bad] }),
      isError('IMAGE_MISMATCH', /^layer candidate$/),
    );
  } finally {
    await third.dispose();
  }
  assert.deepEqual(readdirSync(join(folder, 'state/runs')), ['main']);
});

async function startDriver(
  runId: string,
): Promise<{ readonly driver: ChildProcess; readonly recipe: KillRecipe }> {
  const file = fileURLToPath(new URL('../testing/runc-driver.js', import.meta.url));
  const { stateDir, cacheDir } = options(runId);
  const layers = mkdtempSync(join(folder, 'driver-'));
  const driver = spawn(process.execPath, [file, stateDir, cacheDir, runId, layers], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(driver.stdout, 'data');
  return { driver, recipe: JSON.parse(String(line)) };
}

test('a driver killed with SIGKILL takes its box along, and a sweep finds what it left and nothing else', async () => {
  const { driver, recipe } = await startDriver('killed');
  const other = await startDriver('alive');
  assert.ok(recipe.kind === 'pid' && other.recipe.kind === 'pid');
  const holder = ProcessPin.open(recipe.pid);
  assert.equal(holder.startTime, recipe.startTime);
  assert.equal(holder.isAlive(), true);
  driver.kill('SIGKILL');
  await once(driver, 'exit');
  const killedAt = performance.now();
  while (holder.isAlive() && performance.now() - killedAt < 10_000) await pause(5);
  assert.equal(holder.isAlive(), false);
  holder.close();
  const id = recipe.remove[0]?.at(-1) ?? '';
  assert.deepEqual(listCgroups(id).length > 0, true);
  const removed = await engine.sweep('dead-runs');
  assert.deepEqual(
    removed.map((text) => text.split(' ')[0]),
    ['container', 'mount', 'run'],
  );
  assert.equal(removed[2], 'run killed');
  assert.deepEqual(listCgroups(id), []);
  assert.deepEqual(readdirSync(join(folder, 'state/runs')).sort(), ['alive', 'main']);
  assert.equal(ProcessPin.open(other.recipe.pid).isAlive(), true);
  assert.deepEqual(await engine.sweep('dead-runs'), []);
  // By name, while its driver still lives: the box ends at once.
  const swept = await engine.sweep({ runId: 'alive' });
  assert.equal(swept.at(-1), 'run alive');
  other.driver.kill('SIGKILL');
  await once(other.driver, 'exit');
});

test('a run id or a state folder that is not safe is refused', async () => {
  await assert.rejects(createRuncEngine(options('../up')), isError('STATE_UNSAFE', /^run id$/, /^\.\.\/up$/));
  const wide = mkdtempSync(join(tmpdir(), 'runc-wide-'));
  try {
    const { chmodSync } = await import('node:fs');
    chmodSync(wide, 0o755);
    await assert.rejects(
      createRuncEngine({ stateDir: wide, cacheDir: join(folder, 'cache'), runId: 'x' }),
      isError('STATE_UNSAFE', new RegExp(`^${wide}$`), /mode 755$/),
    );
  } finally {
    rmSync(wide, { recursive: true });
  }
});

test('an engine that was disposed of leaves no mount and no folder', async () => {
  const mounts = countMounts();
  const brief = await createRuncEngine(options('brief'));
  const loaded = await brief.ensureImage(built);
  await brief.open({
    image: loaded,
    boundary,
    labels: { runId: 'brief', boxName: 'left' },
    endsAfterMs: 60_000,
    files: [],
  });
  assert.equal(countMounts(), mounts + 1);
  await brief.dispose();
  assert.equal(countMounts(), mounts);
  assert.ok(!existsSync(join(folder, 'state/runs/brief')));
});

test('an engine that is disposed of while it makes an image or a box leaves no mount and no folder', async () => {
  const mounts = countMounts();
  const isClosed = (error: unknown): boolean => {
    assert.ok(error instanceof EngineError);
    assert.deepEqual([error.code, error.where], ['ENGINE_CLOSED', 'image']);
    return true;
  };
  for (const what of ['image', 'box'] as const) {
    const brief = await createRuncEngine(options(`cut-${what}`));
    const labels = { runId: `cut-${what}`, boxName: 'left' };
    const loaded = { image: built, engineId: '' };
    const made =
      what === 'image'
        ? brief.ensureImage(built)
        : brief.open({ image: loaded, boundary, labels, endsAfterMs: 60_000, files: [] });
    await Promise.all([assert.rejects(made, isClosed), brief.dispose()]);
    assert.equal(countMounts(), mounts);
    assert.ok(!existsSync(join(folder, `state/runs/cut-${what}`)));
    await assert.rejects(brief.ensureImage(built), isClosed);
  }
});
