import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { packageRoot } from '../../document/assets.ts';
import type { FileTreeEntry, StepRequest } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { MEMORY_ATTACKS, SIGNAL_ANSWER, SIGNAL_ATTACK, TRACE_ATTACKS } from '../testing/attacks.ts';
import { collectStep, type StepResult, toStep } from '../testing/step-run.ts';
import { openUnsharedHolder, type UnsharedHolder } from '../testing/unshared-holder.ts';
import { layFiles } from './files.ts';
import type { HolderStep } from './step.ts';

let box: UnsharedHolder;
let folder: string;

before(() => {
  assert.equal(process.getuid?.(), 0, 'this test needs root for a pid namespace');
  folder = mkdtempSync(join(tmpdir(), 'holder-'));
  chownSync(folder, 1000, 1000);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const open: UnsharedHolder[] = [];
async function openBox(deadlineMs = 60_000): Promise<UnsharedHolder> {
  box = await openUnsharedHolder(deadlineMs);
  open.push(box);
  return box;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((holder) => holder.close()));
});

async function run(
  argv: readonly string[],
  other: Partial<StepRequest> = {},
  pipes = 2,
): Promise<StepResult> {
  return collectStep(await box.session.start(toStep(argv, other)), pipes);
}
const perl = (program: string, ...argv: string[]): readonly string[] => ['perl', '-e', program, ...argv];
const sh = (program: string): readonly string[] => ['sh', '-c', program];

test('outside a pid namespace of its own the holder does not even start', async () => {
  const child = spawn('perl', [join(packageRoot(), 'harness/engine/holder/holder.pl'), 'x86_64', '1000'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (bytes: Buffer) => chunks.push(bytes));
  const [code] = await once(child, 'close');
  assert.equal(Buffer.concat(chunks).toString(), 'holder: pid: expected 1\n');
  assert.notEqual(code, 0);
});

test('the raw end of a process is told, its own 137 apart from SIGKILL', async () => {
  await openBox();
  assert.deepEqual((await run(sh('exit 137'))).end, { kind: 'exited', code: 137 });
  assert.deepEqual((await run(sh('kill -9 $$'))).end, { kind: 'signaled', signal: 'SIGKILL' });
  assert.deepEqual((await run(sh('kill -SEGV $$'))).end, { kind: 'signaled', signal: 'SIGSEGV' });
});

test('what a process wrote before it ended is told before its end', async () => {
  await openBox();
  const { order, stdout, stderr } = await run(sh('echo out; echo err >&2; exit 3'));
  assert.deepEqual([stdout, stderr], ['out\n', 'err\n']);
  assert.equal(order[0], 'started');
  assert.ok(order.indexOf('ended') > order.indexOf('chunk stdout'));
  assert.ok(order.indexOf('ended') > order.indexOf('chunk stderr'));
});

test('a process that cannot be started has its errno, found as execve finds it', async () => {
  await openBox();
  writeFileSync(join(folder, 'plain'), 'echo ran\n', { mode: 0o755 });
  writeFileSync(join(folder, 'closed'), '#!/bin/sh\n', { mode: 0o644 });
  writeFileSync(join(folder, 'orphan'), '#!/no/interpreter\n', { mode: 0o755 });
  const cases: readonly (readonly [readonly string[], Partial<StepRequest>, string])[] = [
    [['no-such-program'], {}, 'ENOENT'],
    [[join(folder, 'closed')], {}, 'EACCES'],
    [['closed'], { env: { PATH: `/nowhere:${folder}` } }, 'EACCES'],
    [[join(folder, 'plain')], {}, 'ENOEXEC'],
    [[join(folder, 'orphan')], {}, 'ENOENT'],
    [[folder], {}, 'EACCES'],
    [[`${folder}/plain/x`], {}, 'ENOTDIR'],
    [['sh', 'x'.repeat(200_000)], {}, 'E2BIG'],
    [['true'], { cwd: '/no/folder' }, 'ENOENT'],
    [['true'], { stdout: { file: folder } }, 'EISDIR'],
  ];
  for (const [argv, other, errno] of cases) {
    const { end, order } = await run(argv, other);
    assert.deepEqual(end, { kind: 'not-started', errno }, argv.join(' ').slice(0, 80));
    assert.deepEqual(order, ['ended']);
  }
  // The control: a shell, which falls back as execvp does, runs the same file.
  assert.equal((await run(sh(join(folder, 'plain')))).stdout, 'ran\n');
  assert.deepEqual((await run(['true'])).end, { kind: 'exited', code: 0 });
});

test('a process has exactly the given environment, three descriptors, default signals and its own session', async () => {
  await openBox();
  const env = { PATH: '/usr/bin:/bin', EMPTY: '', ODD: 'a=b\nc é' };
  const printed = await run(perl('print map { "$_=$ENV{$_}\\0" } sort keys %ENV'), { env });
  assert.equal(
    Buffer.from(printed.stdout, 'latin1').toString(),
    'EMPTY=\0ODD=a=b\nc é\0PATH=/usr/bin:/bin\0',
  );
  // The fourth is the listing itself.
  assert.equal(
    (await run(perl('opendir D, "/proc/self/fd"; print join " ", sort grep /\\d/, readdir D'))).stdout,
    '0 1 2 3',
  );
  const status = (await run(sh('while read l; do echo "$l"; done < /proc/self/status'))).stdout;
  assert.match(status, /^SigBlk:\s0+$/m);
  assert.match(status, /^SigIgn:\s0+$/m);
  const { stdout } = await run(
    perl(
      'print umask, " ", getpgrp() == $$, " "; open F, "/proc/self/stat"; print ((split " ", <F>)[5] == $$); open F, "/proc/self/oom_score_adj"; print " ", <F>',
    ),
  );
  assert.equal(stdout, '18 1 1 1000\n');
});

test('stdin is at its end at once, or open until the driver closes it', async () => {
  await openBox();
  const closed = await run(
    perl(
      'my $r = ""; vec($r, 0, 1) = 1; print scalar(select($r, undef, undef, 0)), sysread(STDIN, my $b, 1)',
    ),
  );
  assert.equal(closed.stdout, '10');
  const step = await box.session.start(toStep(['cat'], { stdin: 'open' }));
  const result = collectStep(step);
  assert.equal(await step.writeStdin(Buffer.from('one ')), 'written');
  assert.equal(await step.writeStdin(Buffer.from('two')), 'written');
  step.closeStdin();
  assert.equal((await result).stdout, 'one two');
});

test('a candidate that closes its stdin, or never reads it, blocks nothing', async () => {
  await openBox();
  const closing = await box.session.start(
    toStep(perl('close STDIN; select(undef, undef, undef, 0.2)'), { stdin: 'open' }),
  );
  assert.equal(await closing.writeStdin(Buffer.alloc(5_000_000)), 'broken-pipe');
  await closing.ended;
  const deaf = await box.session.start(toStep(perl('select(undef, undef, undef, 60)'), { stdin: 'open' }));
  const write = deaf.writeStdin(Buffer.alloc(5_000_000));
  await box.session.freeze();
  deaf.signal('SIGCONT');
  deaf.signal('SIGTERM');
  assert.deepEqual(await deaf.ended, { kind: 'signaled', signal: 'SIGTERM' });
  assert.equal(await write, 'broken-pipe');
});

test('a closed output meets EPIPE at the candidate, and the other one goes on', async () => {
  await openBox();
  const step = await box.session.start(
    toStep(
      perl(
        '$SIG{PIPE} = "IGNORE"; sysread(STDIN, my $b, 1); my $n = syswrite(STDOUT, "x"); print STDERR $n // 0 + $!',
      ),
      {
        stdin: 'open',
      },
    ),
  );
  const result = collectStep(step, 1);
  step.closeOutput('stdout');
  await step.writeStdin(Buffer.from('g'));
  const { stderr, order } = await result;
  assert.equal(stderr, '32');
  assert.ok(!order.includes('eof stdout'));
});

test('outputs to files are opened by the holder, once when they are the same', async () => {
  await openBox();
  const file = join(folder, 'both');
  await run(sh('echo out; echo err >&2; echo out'), { stdout: { file }, stderr: { file } }, 0);
  assert.equal(readFileSync(file, 'latin1'), 'out\nerr\nout\n');
  assert.equal((lstatSync(file).mode & 0o777).toString(8), '644');
  await lay([
    { kind: 'symlink', path: join(folder, 'link'), target: 'both' },
    { kind: 'fifo', path: join(folder, 'pipe'), mode: 0o600 },
  ]);
  assert.deepEqual((await run(['true'], { stdout: { file: join(folder, 'link') } })).end, {
    kind: 'not-started',
    errno: 'ELOOP',
  });
  assert.deepEqual((await run(['true'], { stderr: { file: join(folder, 'pipe') } })).end, {
    kind: 'not-started',
    errno: 'ENXIO',
  });
  const full = await run(
    perl('syswrite(STDOUT, "x"); print STDERR $! + 0'),
    { stdout: { file: '/dev/full' } },
    1,
  );
  assert.equal(full.stderr, '28');
});

test('every byte of a large output arrives, whatever the order of its streams', async () => {
  await openBox();
  const program = `my $b = join '', map { chr($_ % 251) } 1 .. 65521;
    for my $i (1 .. 512) { syswrite(STDOUT, $b); syswrite(STDERR, $b, 1000) if $i % 2 }`;
  const step = await box.session.start(toStep(perl(program)));
  const hashes = { stdout: createHash('sha256'), stderr: createHash('sha256') };
  let open = 2;
  await new Promise<void>((resolve) =>
    step.onEvent((event) => {
      if (event.kind === 'chunk') hashes[event.stream].update(event.bytes);
      if (event.kind === 'eof') open -= 1;
      if (open === 0) resolve();
    }),
  );
  const block = Buffer.from(Array.from({ length: 65_521 }, (_, index) => (index + 1) % 251));
  const expected = { stdout: createHash('sha256'), stderr: createHash('sha256') };
  for (let index = 0; index < 512; index += 1) expected.stdout.update(block);
  for (let index = 0; index < 256; index += 1) expected.stderr.update(block.subarray(0, 1000));
  assert.equal(hashes.stdout.digest('hex'), expected.stdout.digest('hex'));
  assert.equal(hashes.stderr.digest('hex'), expected.stderr.digest('hex'));
});

test('a left-over that holds the output is no end of it; the kill of all is', async () => {
  await openBox();
  const step = await box.session.start(toStep(perl('exit 0 if fork; select(undef, undef, undef, 60)')));
  const result = collectStep(step);
  assert.deepEqual(await step.ended, { kind: 'exited', code: 0 });
  const { reaped, complete } = await box.session.killAll();
  assert.deepEqual([reaped, complete], [1, true]);
  assert.deepEqual((await result).order, ['started', 'ended', 'eof stdout', 'eof stderr']);
  assert.deepEqual(await box.session.killAll(), { reaped: 0, complete: true });
});

test('a frozen box stands still and its orphans are reaped', async () => {
  await openBox();
  const program = 'for (1 .. 5) { if (!fork) { 1 while 1 } } print "up\\n"; close STDOUT; 1 while 1';
  const step: HolderStep = await box.session.start(toStep(perl(program)));
  await new Promise<void>((resolve) => step.onEvent((event) => event.kind === 'chunk' && resolve()));
  await box.session.freeze();
  const states = readStates(box.child.pid ?? 0);
  assert.deepEqual(states.slice(1), ['T', 'T', 'T', 'T', 'T', 'T']);
  assert.equal((await box.session.killAll()).reaped, 6);
  assert.deepEqual(await step.ended, { kind: 'signaled', signal: 'SIGKILL' });
});

/** States of the holder and of all below it, as this machine sees them. */
function readStates(unsharePid: number): readonly string[] {
  const children = (pid: string): readonly string[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  const all = (pid: string): readonly string[] => children(pid).flatMap((child) => [child, ...all(child)]);
  return all(String(unsharePid)).map(
    (pid) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? '',
  );
}

test('signals end a victim and not the holder, which tells the true end of the attacker', async () => {
  await openBox();
  const { end, stdout } = await run(perl(SIGNAL_ATTACK));
  assert.equal(stdout, SIGNAL_ANSWER);
  assert.deepEqual(end, { kind: 'signaled', signal: 'SIGKILL' });
  assert.deepEqual((await run(['true'])).end, { kind: 'exited', code: 0 });
});

for (const { name, program, holder } of [...MEMORY_ATTACKS, ...TRACE_ATTACKS]) {
  test(`towards a process of its user a candidate can ${name}, towards the holder it cannot`, async () => {
    await openBox();
    assert.equal((await run(perl(program))).stdout, `victim worked\nholder ${holder}\n`);
  });
}

test('frames that a candidate prints are its output and nothing else', async () => {
  await openBox();
  const forged = Buffer.from('460000000800000001000000004a00000005000000ff01', 'hex');
  const { stdout, end } = await run(perl('print pack("H*", shift); exit 5', forged.toString('hex')));
  assert.deepEqual(Buffer.from(stdout, 'latin1'), forged);
  assert.deepEqual(end, { kind: 'exited', code: 5 });
});

/** Nothing is given away here, where no box is. */
function lay(entries: readonly FileTreeEntry[]): Promise<void> {
  return layFiles(box.session, entries, async () => assert.fail('no owner was asked for'));
}

test('file entries are laid as given, and the first that fails is named', async () => {
  await openBox();
  const at = (name: string): string => join(folder, name);
  const content = Buffer.alloc(700_000, 'abc');
  await lay([
    { kind: 'directory', path: at('tree'), mode: 0o750 },
    { kind: 'file', path: at('tree/f'), mode: 0o604, content },
    { kind: 'symlink', path: at('tree/l'), target: '../dangling' },
    { kind: 'fifo', path: at('tree/p'), mode: 0o620 },
    { kind: 'directory', path: at('tree'), mode: 0o711 },
    { kind: 'directory', path: at('shut'), mode: 0o000 },
    { kind: 'directory', path: at('shut/inner'), mode: 0o400 },
    { kind: 'file', path: at('shut/inner/%E9%FF'), mode: 0o644, content: Buffer.from('x') },
    { kind: 'times', path: at('shut/inner'), mtimeMs: 1_000_000_000_000 },
  ]);
  const mode = (name: string): string => (lstatSync(at(name)).mode & 0o7777).toString(8);
  assert.deepEqual([mode('tree'), mode('tree/f'), mode('tree/p')], ['711', '604', '620']);
  // Shut only when all below was laid and every time was set.
  assert.deepEqual([mode('shut'), mode('shut/inner')], ['0', '400']);
  assert.equal(lstatSync(at('shut/inner')).mtimeMs, 1_000_000_000_000);
  assert.deepEqual(readdirSync(at('shut/inner'), 'buffer'), [Buffer.from('\xe9\xff', 'latin1')]);
  assert.ok(readFileSync(at('tree/f')).equals(content));
  assert.equal(readlinkSync(at('tree/l')), '../dangling');
  assert.ok(lstatSync(at('tree/p')).isFIFO());
  assert.equal(lstatSync(at('tree/f')).uid, 1000);
  const failing = [
    { kind: 'file', path: at('tree/g'), mode: 0o644, content },
    { kind: 'file', path: at('tree/f'), mode: 0o644, content },
    { kind: 'directory', path: at('none/such'), mode: 0o755 },
  ] as const;
  await assert.rejects(
    lay(failing),
    (error: unknown) =>
      error instanceof EngineError &&
      error.code === 'FILE_NOT_LAID' &&
      error.where === at('tree/f') &&
      error.actual === 'EEXIST',
  );
  await lay([{ kind: 'directory', path: at('again'), mode: 0o755 }]);
});

test('the holder ends at its deadline, when told to, and when its driver is gone', async () => {
  const late = await openBox(300);
  const step = await late.session.start(
    toStep(perl('$SIG{TERM} = "IGNORE"; select(undef, undef, undef, 60)')),
  );
  assert.equal((await step.ended).kind, 'box-lost');
  assert.equal(await ended(late), 124);
  const told = await openBox();
  told.session.quit();
  assert.equal(await ended(told), 0);
  const left = await openBox();
  await left.session.start(toStep(['sleep', '60']));
  left.child.stdin?.destroy();
  assert.equal(await ended(left), 125);
});

async function ended({ child }: UnsharedHolder): Promise<unknown> {
  return child.exitCode ?? (await once(child, 'exit'))[0];
}

test('a fork bomb and a flood leave the holder answering', async () => {
  await openBox();
  const step = await box.session.start(
    toStep(sh('ulimit -u 200; while :; do (yes 2>&1) & done 2>/dev/null')),
  );
  step.onEvent(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  await box.session.freeze();
  assert.equal((await box.session.killAll()).complete, true);
  assert.equal((await step.ended).kind, 'signaled');
  assert.deepEqual((await run(['true'])).end, { kind: 'exited', code: 0 });
});
