import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { EngineError } from '../errors.ts';
import { toStep } from '../testing/step-run.ts';
import { COMMAND, EVENT, encodeFrame, encodeNumber } from './protocol.ts';
import { HolderSession } from './session.ts';
import { parseWaitStatus } from './step.ts';

/** The other side of the wire, played by the test: every byte that the session sent, and a way to answer. */
function openWire(diagnostics = ''): {
  readonly session: HolderSession;
  readonly control: PassThrough;
  readonly frames: PassThrough;
  readonly sent: () => Buffer;
} {
  const control = new PassThrough({ highWaterMark: 1 << 20 });
  const frames = new PassThrough();
  const chunks: Buffer[] = [];
  control.on('data', (bytes: Buffer) => chunks.push(bytes));
  const session = new HolderSession({ control, frames, diagnostics: () => diagnostics });
  return { session, control, frames, sent: () => Buffer.concat(chunks) };
}

const one = encodeNumber(1);
const started = encodeFrame(EVENT.STARTED, one, encodeNumber(9), encodeNumber(0));

function isError(code: string, where: string, actual: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof EngineError &&
    error.code === code &&
    error.where === where &&
    actual.test(error.actual ?? '');
}

/** Lets streams deliver. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('ready takes process 1 with the right protocol and nothing else', async () => {
  for (const [version, pid] of [
    [2, 1],
    [1, 4],
  ] as const) {
    const { session, frames } = openWire();
    const ready = session.ready(1000);
    frames.write(encodeFrame(EVENT.READY, encodeNumber(version), encodeNumber(pid)));
    await assert.rejects(
      ready,
      isError('HOLDER_FAULT', 'ready', new RegExp(`protocol ${version}, pid ${pid}`)),
    );
  }
  const { session, frames } = openWire();
  const ready = session.ready(1000);
  frames.write(encodeFrame(EVENT.READY, encodeNumber(1), encodeNumber(1)));
  await ready;
});

test('an end of the stream is told to all who wait, with what was said on stderr', async () => {
  const { session, frames } = openWire('holder: no perl\n');
  const ready = session.ready(1000);
  frames.end();
  await assert.rejects(ready, isError('BOX_LOST', 'holder', /^the stream ended; holder: no perl$/));
  assert.equal(await session.gone, 'the stream ended');
  await assert.rejects(session.freeze(), isError('BOX_LOST', 'holder', /^the stream ended/));
});

test('a missing answer, an unasked answer, a fault and a foreign byte each have their reason', async () => {
  const late = openWire();
  await assert.rejects(late.session.ready(5), isError('HOLDER_TIMEOUT', 'holder', /^no ready in 5 ms$/));
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    [encodeFrame(EVENT.FROZEN), /^unasked frozen$/],
    [encodeFrame(EVENT.FAULT, Buffer.from('frame: kind 99')), /^frame: kind 99$/],
    [Buffer.from('Segmentation fault'), /^frame of \d+ bytes$/],
    [encodeFrame(EVENT.EOF, encodeNumber(5), Buffer.from([1])), /^event for step 5$/],
  ];
  for (const [bytes, reason] of cases) {
    const { session, frames } = openWire();
    const killed = session.killAll();
    frames.write(bytes);
    await assert.rejects(killed, isError('HOLDER_FAULT', 'holder', reason));
  }
});

test('a lost box ends its steps and their writes', async () => {
  const { session, frames } = openWire();
  const starting = session.start(toStep(['cat'], { stdin: 'open' }));
  frames.write(started);
  const step = await starting;
  const write = step.writeStdin(Buffer.alloc(10));
  const kinds: string[] = [];
  step.onEvent((event) => kinds.push(event.kind));
  frames.end();
  assert.deepEqual(await step.ended, { kind: 'box-lost', reason: 'the stream ended' });
  assert.equal(await write, 'broken-pipe');
  assert.deepEqual(kinds, ['started', 'ended']);
  assert.equal(await step.writeStdin(Buffer.alloc(1)), 'broken-pipe');
});

test('a box lost before its step was decided rejects the start', async () => {
  const { session, frames } = openWire();
  const starting = session.start(toStep(['true']));
  frames.end();
  await assert.rejects(starting, isError('BOX_LOST', 'holder', /^the stream ended$/));
});

test('stdin waits for credit, and commands do not wait for stdin', async () => {
  const { session, frames, sent } = openWire();
  const starting = session.start(toStep(['cat'], { stdin: 'open' }));
  frames.write(started);
  const step = await starting;
  const before = sent().length;
  const write = step.writeStdin(Buffer.alloc(1_000_000, 1));
  step.closeStdin();
  await settle();
  const window = 4 * (64 * 1024 + 9);
  assert.equal(sent().length - before, window);
  step.signal('SIGTERM');
  await settle();
  assert.deepEqual(sent().subarray(before + window), encodeFrame(COMMAND.SIGNAL, one, Buffer.from([15])));
  let isDone = false;
  void write.then(() => {
    isDone = true;
  });
  for (let taken = 65_536; taken < 1_000_000; taken += 65_536) {
    frames.write(encodeFrame(EVENT.STDIN_TAKEN, one, encodeNumber(0), encodeNumber(taken)));
  }
  await settle();
  assert.equal(isDone, false);
  frames.write(encodeFrame(EVENT.STDIN_TAKEN, one, encodeNumber(0), encodeNumber(1_000_000)));
  assert.equal(await write, 'written');
  // The close is behind the last byte.
  assert.deepEqual(sent().subarray(-9), encodeFrame(COMMAND.CLOSE_STDIN, one));
});

test('events before the listener come first, in order and numbered over the box', async () => {
  const { session, frames } = openWire();
  const starting = session.start(toStep(['sh']));
  frames.write(started);
  const step = await starting;
  frames.write(encodeFrame(EVENT.CHUNK, one, Buffer.from([1]), Buffer.from('a')));
  await settle();
  const seen: (readonly [number, string])[] = [];
  step.onEvent((event) => seen.push([event.sequence, event.kind]));
  frames.write(encodeFrame(EVENT.ENDED, one, encodeNumber(0)));
  frames.write(encodeFrame(EVENT.EOF, one, Buffer.from([1])));
  await settle();
  assert.deepEqual(seen, [
    [0, 'started'],
    [1, 'chunk'],
    [2, 'ended'],
    [3, 'eof'],
  ]);
  assert.throws(() => step.onEvent(() => {}), isError('STEP_REFUSED', 'onEvent', /^a second$/));
});

const UNUSABLE = [
  ['no program', toStep([]), 'argv', /^nothing$/],
  ['an empty program', toStep(['']), 'argv', /^nothing$/],
  ['a relative folder', toStep(['a'], { cwd: 'work' }), 'cwd', /^work$/],
  ['a NUL in an argument', toStep(['a', 'b\0c']), 'argv, env or path', /^b\0c$/],
  ['a NUL in the environment', toStep(['a'], { env: { A: '\0' } }), 'argv, env or path', /^A=\0$/],
  ['an equals sign in a name', toStep(['a'], { env: { 'A=B': '' } }), 'env', /^A=B$/],
  ['more than a frame', toStep(['a', 'x'.repeat(4 << 20)]), 'argv and env', /^419\d+$/],
] as const;

for (const [name, request, where, actual] of UNUSABLE) {
  test(`a step with ${name} is refused before anything is sent`, async () => {
    const { session, sent } = openWire();
    await assert.rejects(session.start(request), isError('STEP_REFUSED', where, actual));
    assert.equal(sent().length, 0);
  });
}

test('an unknown signal is refused', async () => {
  const { session, frames } = openWire();
  const starting = session.start(toStep(['sh']));
  frames.write(started);
  const step = await starting;
  assert.throws(() => step.signal('SIGFOO'), isError('STEP_REFUSED', 'signal', /^SIGFOO$/));
});

test('a wait status tells exit 137 from SIGKILL', () => {
  assert.deepEqual(parseWaitStatus(137 << 8), { kind: 'exited', code: 137 });
  assert.deepEqual(parseWaitStatus(9), { kind: 'signaled', signal: 'SIGKILL' });
  assert.deepEqual(parseWaitStatus(6 | 0x80), { kind: 'signaled', signal: 'SIGABRT' });
  assert.deepEqual(parseWaitStatus(34), { kind: 'signaled', signal: 'SIG34' });
});
