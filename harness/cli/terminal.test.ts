import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { toOwnStreams } from './terminal.ts';

function written(isTTY: boolean, pieces: readonly Buffer[]): Buffer {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const write = toOwnStreams({ stdout: stream, stderr: stream } as unknown as NodeJS.Process);
  for (const piece of pieces) write('stdout', piece);
  return stream.read() ?? Buffer.alloc(0);
}

describe('what a box writes', () => {
  const hostile = Buffer.from('a\tb\r\n\u001b]0;title\u0007\u009b6n\u202e\u00e4', 'utf8');

  it('can steer no terminal, also cut anywhere', () => {
    const shown = 'a\tb\r\n\\u{1b}]0;title\\u{7}\\u{9b}6n\\u{202e}\u00e4';
    assert.equal(written(true, [hostile]).toString('utf8'), shown);
    const bytes = [...hostile].map((byte) => Buffer.from([byte]));
    assert.equal(written(true, bytes).toString('utf8'), shown);
  });

  it('comes as it is through a pipe', () => {
    const bytes = Buffer.from([0x1b, 0xff, 0x00, 0x0a]);
    assert.deepEqual(written(false, [bytes]), bytes);
  });
});
