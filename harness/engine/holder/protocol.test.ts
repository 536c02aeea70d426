import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAsset } from '../../document/assets.ts';
import {
  COMMAND,
  EVENT,
  encodeFrame,
  encodeNumber,
  FrameReader,
  type HolderEvent,
  MAX_FRAME_BYTES,
  PROTOCOL_VERSION,
  ProtocolViolation,
} from './protocol.ts';

const step = encodeNumber(7);
const STREAM: readonly (readonly [Buffer, HolderEvent])[] = [
  [
    encodeFrame(EVENT.READY, encodeNumber(PROTOCOL_VERSION), encodeNumber(1)),
    { kind: 'ready', version: 1, pid: 1 },
  ],
  [
    encodeFrame(EVENT.STARTED, step, encodeNumber(12), encodeNumber(13)),
    { kind: 'started', step: 7, pid: 12, oomErrno: 13 },
  ],
  [encodeFrame(EVENT.NOT_STARTED, step, encodeNumber(2)), { kind: 'not-started', step: 7, errno: 2 }],
  [
    encodeFrame(EVENT.CHUNK, step, Buffer.from([1]), Buffer.from('hello')),
    { kind: 'chunk', step: 7, stream: 1, bytes: Buffer.from('hello') },
  ],
  [encodeFrame(EVENT.EOF, step, Buffer.from([2])), { kind: 'eof', step: 7, stream: 2 }],
  [encodeFrame(EVENT.ENDED, step, encodeNumber(0x8900)), { kind: 'ended', step: 7, status: 0x8900 }],
  [
    encodeFrame(EVENT.STDIN_TAKEN, step, encodeNumber(1), encodeNumber(2)),
    { kind: 'stdin-taken', step: 7, totalBytes: 2 ** 32 + 2 },
  ],
  [encodeFrame(EVENT.STDIN_BROKEN, step), { kind: 'stdin-broken', step: 7 }],
  [encodeFrame(EVENT.FROZEN), { kind: 'frozen' }],
  [
    encodeFrame(EVENT.KILLED, encodeNumber(3), Buffer.from([1])),
    { kind: 'killed', reaped: 3, complete: true },
  ],
  [encodeFrame(EVENT.FLUSHED, encodeNumber(17), encodeNumber(4)), { kind: 'flushed', errno: 17, failed: 4 }],
  [encodeFrame(EVENT.FAULT, Buffer.from('why')), { kind: 'fault', text: 'why' }],
];

const bytes = Buffer.concat(STREAM.map(([frame]) => frame));
const events = STREAM.map(([, event]) => event);

test('a stream gives the same events whole, byte by byte and cut anywhere', () => {
  assert.deepEqual(new FrameReader().push(bytes), events);
  const single = new FrameReader();
  assert.deepEqual(
    [...bytes].flatMap((byte) => single.push(Buffer.from([byte]))),
    events,
  );
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const reader = new FrameReader();
    assert.deepEqual([...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))], events);
    assert.equal(reader.pendingBytes, 0);
  }
});

test('an unfinished frame gives no event and is told', () => {
  const reader = new FrameReader();
  assert.deepEqual(reader.push(encodeFrame(EVENT.FROZEN).subarray(0, 4)), []);
  assert.equal(reader.pendingBytes, 4);
});

const BAD: readonly (readonly [string, Buffer, RegExp])[] = [
  ['an unknown kind', encodeFrame(0x7f, step), /^frame of kind 127$/],
  ['a command as an event', encodeFrame(COMMAND.KILL_ALL, step), /^frame of kind 7$/],
  ['an unknown stream', encodeFrame(EVENT.EOF, step, Buffer.from([3])), /^stream 3$/],
  ['a chunk without a stream', encodeFrame(EVENT.CHUNK, step), /^stream 0$/],
  ['an event without a step', encodeFrame(EVENT.ENDED), /^payload without a step$/],
  ['a payload too short', encodeFrame(EVENT.ENDED, step), /^payload of 4 bytes where 8 are due$/],
  ['a payload too long', encodeFrame(EVENT.FROZEN, step), /^payload of 4 bytes where 0 are due$/],
  [
    'a frame too large',
    Buffer.concat([Buffer.from([EVENT.CHUNK]), encodeNumber(MAX_FRAME_BYTES + 1)]),
    /^frame of \d+ bytes$/,
  ],
];

for (const [name, frame, message] of BAD) {
  test(`${name} is a violation`, () => {
    assert.throws(
      () => new FrameReader().push(frame),
      (error: unknown) => error instanceof ProtocolViolation && message.test(error.message),
    );
  });
}

test('the holder has the same numbers', () => {
  const source = readAsset('harness/engine/holder/holder.pl').toString('utf8');
  const readTable = (name: string): unknown => {
    const body = new RegExp(`^my %${name} = \\(([^)]*)\\);`, 'm').exec(source)?.[1] ?? '';
    return Object.fromEntries(
      [...body.matchAll(/([A-Z_]+) => (0x[0-9a-f]+)/g)].map(([, key, value]) => [key, Number(value)]),
    );
  };
  assert.deepEqual(readTable('COMMAND'), COMMAND);
  assert.deepEqual(readTable('EVENT'), EVENT);
  assert.equal(/^my \$PROTOCOL_VERSION = (\d+);/m.exec(source)?.[1], String(PROTOCOL_VERSION));
  assert.match(source, /^my \$MAX_FRAME_BYTES = 4 << 20;/m);
  assert.equal(MAX_FRAME_BYTES, 4 << 20);
});
