import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type Header, pack } from 'tar-stream';
import { DockerError } from './errors.ts';
import { readTar } from './tar-reader.ts';

interface Read {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly target: string;
  readonly mtimeMs: number;
  readonly content: string;
}

async function read(bytes: Buffer, chunkBytes: number, skip = false): Promise<readonly Read[]> {
  const chunks: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    chunks.push(bytes.subarray(offset, offset + chunkBytes));
  }
  const found: Read[] = [];
  for await (const entry of readTar(Readable.from(chunks, { objectMode: true }))) {
    const parts: Buffer[] = [];
    for await (const part of skip ? [] : entry.content) {
      parts.push(part);
    }
    found.push({
      path: entry.path.toString('latin1'),
      type: entry.type,
      mode: entry.mode,
      target: entry.linkTarget.toString('latin1'),
      mtimeMs: entry.mtimeMs,
      content: Buffer.concat(parts).toString('latin1'),
    });
  }
  return found;
}

/** What a header is written from; the rest has defaults. */
type PackedHeader = Partial<Header> & Pick<Header, 'name'>;

async function build(entries: readonly (readonly [PackedHeader, string])[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content] of entries) {
    archive.entry({ mtime: new Date(5000), ...header }, content);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of Readable.from(archive)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A pax header with one record of raw bytes, as Go writes it for a name that is no UTF-8. */
function paxBlock(key: string, value: Buffer): Buffer {
  const size = ` ${key}=\n`.length + value.length;
  let length = size + String(size).length;
  length = size + String(length).length;
  const record = Buffer.concat([Buffer.from(`${length} ${key}=`), value, Buffer.from('\n')]);
  const body = Buffer.alloc(Math.ceil(record.length / 512) * 512);
  record.copy(body);
  return Buffer.concat([header('pax', 'x', record.length), body]);
}

function header(name: string, type: string, sizeBytes: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write('0001750\0', 108);
  block.write('0001750\0', 116);
  block.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000005\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const END = Buffer.alloc(1024);

describe('the tar reader', () => {
  it('reads every kind of entry, whole and one byte at a time', async () => {
    const bytes = await build([
      [{ name: 'd/', type: 'directory', mode: 0o755 }, ''],
      [{ name: 'd/file', mode: 0o4755 }, 'x'.repeat(1000)],
      [{ name: `d/${'long/'.repeat(60)}name`, mode: 0o644 }, 'deep'],
      [{ name: 'd/link', type: 'symlink', linkname: '/etc/passwd', mode: 0o777 }, ''],
      [{ name: 'd/hard', type: 'link', linkname: 'd/file', mode: 0o644 }, ''],
      [{ name: 'd/pipe', type: 'fifo', mode: 0o600 }, ''],
      [{ name: 'd/exact', mode: 0o644 }, 'y'.repeat(512)],
    ]);
    const whole = await read(bytes, bytes.length);
    assert.deepEqual(
      whole.map(({ path, type, mode, content }) => [path, type, mode, content.length]),
      [
        ['d', 'directory', 0o755, 0],
        ['d/file', 'file', 0o4755, 1000],
        [`d/${'long/'.repeat(60)}name`, 'file', 0o644, 4],
        ['d/link', 'symlink', 0o777, 0],
        ['d/hard', 'hard-link', 0o644, 0],
        ['d/pipe', 'fifo', 0o600, 0],
        ['d/exact', 'file', 0o644, 512],
      ],
    );
    assert.equal(whole[3]?.target, '/etc/passwd');
    assert.equal(whole[1]?.mtimeMs, 5000);
    assert.deepEqual(await read(bytes, 1), whole);
    assert.deepEqual(
      (await read(bytes, 700, true)).map(({ path }) => path),
      whole.map(({ path }) => path),
    );
  });

  it('keeps names that are no UTF-8 byte for byte', async () => {
    const bytes = Buffer.concat([
      paxBlock('path', Buffer.from('w/\u00ff\u00fe', 'latin1')),
      header('w/??', '0', 0),
      paxBlock('linkpath', Buffer.from('\u00ff', 'latin1')),
      header('w/l', '2', 0),
      END,
    ]);
    const [file, link] = await read(bytes, 100);
    assert.deepEqual([file?.path, link?.path, link?.target], ['w/\u00ff\u00fe', 'w/l', '\u00ff']);
  });

  const file = Buffer.concat([header('f', '0', 3), Buffer.from('abc'), Buffer.alloc(509)]);
  for (const [name, bytes] of [
    ['nothing at all', Buffer.alloc(0)],
    ['a stream that stops after an entry', file],
    ['a stream that stops in a content', file.subarray(0, 514)],
    ['a stream that stops in a header', file.subarray(0, 100)],
    ['a header with another checksum', Buffer.concat([header('f', '0', 0).fill('g', 0, 1), END])],
    ['an unknown type', Buffer.concat([header('f', 'Z', 0), END])],
    ['an oversized record', Buffer.concat([header('f', 'x', 2 << 20), END])],
    ['a record that is none', Buffer.concat([header('f', 'x', 512), Buffer.alloc(512, 65), END])],
    [
      'a size that is no number',
      Buffer.concat([paxBlock('size', Buffer.from('-1')), header('f', '0', 0), END]),
    ],
  ] as const) {
    it(`fails on ${name}`, async () => {
      await assert.rejects(
        read(bytes, 300),
        (error) =>
          error instanceof DockerError && error.code === 'EVIDENCE_UNREADABLE' && error.where === 'tar',
      );
    });
  }
});
