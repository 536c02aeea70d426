import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { CompiledStep, StdinPlan } from '../suite/compiled.ts';
import { RunStop } from './run-stop.ts';
import { StreamSpool } from './spool.ts';
import { DrivenStep } from './step-driver.ts';
import { plainStep } from './testing/plain-case.ts';
import { ScriptedBox, type ScriptedStep } from './testing/scripted-box.ts';

const folder = mkdtempSync(join(tmpdir(), 'packproof-driver-'));
const started: ScriptedStep[] = [];
after(() => {
  // A step that nobody ends keeps its timers, and with them the test process, until its limit.
  for (const step of started) step.end({ kind: 'exited', code: 0 });
  rmSync(folder, { recursive: true });
});
let spools = 0;

interface Driven {
  readonly driven: DrivenStep;
  readonly step: ScriptedStep;
}

const SCRIPTED = { start: () => {} };

async function drive(
  change: Partial<CompiledStep>,
  totalBytesLimit = 1000,
  box = new ScriptedBox(SCRIPTED),
): Promise<Driven> {
  const own = join(folder, String(spools++));
  const driven = await DrivenStep.start(plainStep(change), {
    box,
    spools: {
      stdout: new StreamSpool('stdout', join(own, 'stdout')),
      stderr: new StreamSpool('stderr', join(own, 'stderr')),
    },
    limit: { afterMs: 10_000, reason: { kind: 'timed-out', limitMs: 10_000 } },
    totalBytesLimit,
    stop: new RunStop(),
  });
  const [step] = box.steps;
  if (step === undefined) throw new Error('a step was started');
  started.push(step);
  return { driven, step };
}

/** Lets what was queued by promises and timers of up to `milliseconds` happen. */
function settle(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function dialogue(change: Partial<Extract<StdinPlan, { kind: 'dialogue' }>> = {}): StdinPlan {
  return {
    kind: 'dialogue',
    exchanges: [
      { line: 'first', answerId: 1, waitMs: 5_000 },
      { line: 'note', answerId: null, waitMs: 0 },
      { line: 'second', answerId: 2, waitMs: 5_000 },
    ],
    ladder: { afterEofMs: 5_000, afterTermMs: 5_000 },
    ...change,
  };
}

test('a stream beyond the total limit ends the step, and stderr counts apart from stdout', async () => {
  const { driven, step } = await drive({}, 10);
  step.print('stdout', '0123456789');
  step.print('stderr', '0123456789');
  await settle();
  assert.equal(driven.endedByItself, false);
  step.print('stderr', 'x');
  await driven.over;
  step.end({ kind: 'signaled', signal: 'SIGKILL' });
  const seen = driven.observe(false);
  assert.deepEqual(seen.termination, { kind: 'output-limit', stream: 'stderr' });
  assert.equal(seen.stderr.totalBytes, 11);
  assert.equal(seen.stdout.totalBytes, 10);
});

test('too much output is what ended a step, whether or not it exited before the last bytes were told of', async () => {
  const { driven, step } = await drive({}, 10);
  step.end({ kind: 'exited', code: 0 });
  await driven.over;
  step.print('stdout', '0123456789a');
  await settle();
  const seen = driven.observe(false);
  assert.deepEqual([seen.termination, seen.killedBy], [{ kind: 'output-limit', stream: 'stdout' }, null]);
});

test('a dialogue sends each line only after the answer to the one before, then ends stdin', async () => {
  const { step } = await drive({ stdin: dialogue() });
  await settle();
  assert.deepEqual(step.calls, ['stdin first']);
  step.print('stdout', '{"jsonrpc":"2.0","id":2,"result":{}}\n{"jsonrpc":"2.0","i');
  await settle();
  assert.deepEqual(step.calls, ['stdin first']);
  step.print('stdout', 'd":1,"result":{}}\n');
  await settle(5);
  assert.deepEqual(step.calls, ['stdin first', 'stdin note', 'stdin second', 'close stdin']);
});

test('an answer that does not come is waited for and the dialogue goes on', async () => {
  const exchanges = [
    { line: 'first', answerId: 1, waitMs: 20 },
    { line: 'second', answerId: null, waitMs: 0 },
  ];
  const { step } = await drive({ stdin: dialogue({ exchanges }) });
  await settle(100);
  assert.deepEqual(step.calls, ['stdin first', 'stdin second', 'close stdin']);
});

test('a broken pipe ends the dialogue but not the ladder, and the record says both', async () => {
  const box = new ScriptedBox({ ...SCRIPTED, stdinAnswer: 'broken-pipe' });
  const ladder = { afterEofMs: 10, afterTermMs: 10 };
  const { driven, step } = await drive({ stdin: dialogue({ ladder }) }, 1000, box);
  await settle(100);
  assert.deepEqual(step.calls, ['stdin first', 'close stdin', 'signal SIGTERM', 'signal SIGKILL']);
  step.end({ kind: 'signaled', signal: 'SIGKILL' });
  await driven.over;
  const seen = driven.observe(false);
  assert.equal(seen.killedBy, 'packproof');
  assert.deepEqual(
    seen.actions.map(({ kind, detail }) => `${kind} ${detail}`.trimEnd()),
    ['stdin 6 bytes broken-pipe', 'stdin-closed', 'signal SIGTERM', 'signal SIGKILL'],
  );
});

test('the ladder stops at the rung at which the server ends', async () => {
  const { driven, step } = await drive({
    stdin: dialogue({ exchanges: [], ladder: { afterEofMs: 10, afterTermMs: 5_000 } }),
  });
  await settle(60);
  assert.deepEqual(step.calls, ['close stdin', 'signal SIGTERM']);
  step.end({ kind: 'exited', code: 0 });
  await driven.over;
  assert.equal(driven.observe(false).killedBy, null);
});

test('a request of the server is refused with method not found, a bounded number of times', async () => {
  const { step } = await drive({ stdin: dialogue() });
  step.print('stdout', '{"jsonrpc":"2.0","id":"a","method":"roots/list"}\n'.repeat(500), 0);
  await settle();
  const replies = step.calls.filter((call) => call.includes('-32601'));
  assert.equal(replies.length, 100);
  assert.equal(
    replies[0],
    'stdin {"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found"}}',
  );
});

test('input with an end is closed after it, without an end it stays open', async () => {
  const contentBase64 = Buffer.from('data').toString('base64');
  const closed = await drive({ stdin: { kind: 'bytes', contentBase64, thenClose: true } });
  const open = await drive({ stdin: { kind: 'bytes', contentBase64, thenClose: false } });
  const idle = await drive({ stdin: { kind: 'idle' } });
  await settle();
  assert.deepEqual(closed.step.calls, ['stdin data', 'close stdin']);
  assert.deepEqual(open.step.calls, ['stdin data']);
  assert.deepEqual(idle.step.calls, []);
});

test('a fill offers exactly the declared bytes in whole lines and pieces', async () => {
  const { driven, step } = await drive({ stdin: { kind: 'fill', sizeBytes: 200_000, thenClose: true } });
  await settle(20);
  const offered = step.calls.filter((call) => call.startsWith('stdin ')).length;
  assert.equal(offered, 4);
  assert.equal(step.calls.at(-1), 'close stdin');
  step.end({ kind: 'exited', code: 0 });
  await driven.over;
  assert.equal(
    driven.observe(false).actions[0]?.detail,
    '200000 of 200000 bytes written, last piece written',
  );
});
