import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AttachDemux } from './demux.ts';
import { DockerError } from './errors.ts';

function frame(stream: number, text: string): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

async function split(input: Buffer, chunkBytes: number): Promise<{ stdout: string; stderr: string }> {
  let stderr = '';
  let stdout = '';
  const demux = new AttachDemux((bytes) => {
    stderr += bytes.toString('latin1');
  });
  for (let offset = 0; offset < input.length; offset += chunkBytes) {
    demux.write(input.subarray(offset, offset + chunkBytes));
  }
  demux.end();
  for await (const chunk of demux) {
    stdout += String(chunk);
  }
  return { stdout, stderr };
}

describe('the attach stream', () => {
  const input = Buffer.concat([
    frame(1, 'out one'),
    frame(2, 'err'),
    frame(1, ''),
    frame(0, ' echoed'),
    frame(1, '\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0003abc'),
  ]);

  for (const chunkBytes of [1, 3, 8, 9, input.length]) {
    it(`is split the same in chunks of ${chunkBytes} bytes`, async () => {
      assert.deepEqual(await split(input, chunkBytes), {
        stdout: 'out one echoed\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0003abc',
        stderr: 'err',
      });
    });
  }

  for (const [name, bytes] of [
    ['an unknown stream', Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 65])],
    ['a header with other padding', Buffer.from([1, 0, 1, 0, 0, 0, 0, 1, 65])],
    ['a raw terminal stream', Buffer.from('plain output')],
    ['a cut header', Buffer.concat([frame(1, 'x'), Buffer.from([1, 0])])],
    ['a cut payload', frame(1, 'long').subarray(0, 10)],
  ] as const) {
    it(`fails on ${name}`, async () => {
      await assert.rejects(
        split(bytes, 4),
        (error) => error instanceof DockerError && error.code === 'ANSWER_INVALID' && error.where === 'frame',
      );
    });
  }
});
