import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { list } from 'tar';
import { fileOf, type LayerEntry } from './layer-entry.ts';
import { planLayer } from './layer-plan.ts';
import { scanLayer } from './layer-scan.ts';
import { writeLayer } from './tar-writer.ts';
import { fault, withScratch } from './testing/scratch.ts';

const LONG = `${'d'.repeat(90)}/${'e'.repeat(60)}/${'f'.repeat(90)}`;
const VERY_LONG = Array.from({ length: 12 }, () => 'g'.repeat(80)).join('/');
const ENTRIES: readonly LayerEntry[] = [
  fileOf('a', Buffer.from('hello')),
  fileOf('empty', Buffer.alloc(0), 0o755),
  fileOf('block', Buffer.alloc(512, 1)),
  fileOf(LONG, Buffer.from('ustar prefix')),
  fileOf(VERY_LONG, Buffer.from('pax path')),
  fileOf(`${'h'.repeat(120)}`, Buffer.from('no slash to split at')),
  fileOf('ü/日本', Buffer.from('not ASCII')),
  { kind: 'symlink', path: 'short', target: 'a' },
  { kind: 'symlink', path: 'long', target: VERY_LONG },
  { kind: 'symlink', path: 'odd', target: 'ü' },
  { kind: 'directory', path: 'folder', mode: 0o700 },
];
const PLANNED = planLayer(ENTRIES, { prefix: null, fault: 'infrastructure' });

describe('writeLayer', () => {
  it('always writes the same bytes', async () => {
    await withScratch(async (folder) => {
      const written = await writeLayer(join(folder, 'layer.tar'), PLANNED);
      // These bytes are the identity of every image: a change here is a new layer format.
      assert.equal(written.diffId, 'c1b1e3afaa6ba252f182e1723b27f513216a710fcd91a25009492cf19692946a');
      assert.equal(written.sizeBytes % 512, 0);
    });
  });

  it('is read back alike by tar-stream, node-tar and the tar of the system', async () => {
    await withScratch(async (folder) => {
      const file = join(folder, 'layer.tar');
      const written = await writeLayer(file, PLANNED);
      assert.deepEqual(await scanLayer(file), written);
      const names: string[] = [];
      await list({ file, strict: true, onReadEntry: (entry) => names.push(entry.path.replace(/\/$/u, '')) });
      const expected = PLANNED.map(({ path }) => path);
      assert.deepEqual(names, expected);
      const listed = execFileSync('tar', ['--quoting-style=literal', '-tf', file], { encoding: 'utf8' });
      assert.deepEqual(
        listed
          .trimEnd()
          .split('\n')
          .map((line) => line.replace(/\/$/u, '')),
        expected,
      );
    });
  });

  it('says owner 0, time 0 and no names, whoever writes', async () => {
    await withScratch(async (folder) => {
      const file = join(folder, 'layer.tar');
      await writeLayer(file, PLANNED);
      const bytes = await readFile(file);
      assert.equal(
        bytes.toString('latin1', 100, 148),
        '0000644\x000000000\x000000000\x0000000000005\x0000000000000\x00',
      );
      assert.equal(bytes.toString('latin1', 257, 345), `ustar\x0000${'\0'.repeat(64)}0000000\x000000000\x00`);
      assert.deepEqual(bytes.subarray(-1024), Buffer.alloc(1024));
    });
  });

  it('streams content of any chunking to the same bytes', async () => {
    await withScratch(async (folder) => {
      const content = Buffer.alloc(3_000_001, 'abcdefg');
      const chunked = async function* (size: number): AsyncIterable<Buffer> {
        for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
      };
      const ids: string[] = [];
      for (const size of [1009, 65_536, 2_000_000, content.length]) {
        const entry: LayerEntry = {
          kind: 'file',
          path: 'big',
          mode: 0o644,
          sizeBytes: content.length,
          content: () => chunked(size),
        };
        ids.push((await writeLayer(join(folder, `${size}.tar`), [entry])).diffId);
      }
      assert.equal(new Set(ids).size, 1);
    });
  });

  for (const [why, actual] of [
    ['shorter', 4],
    ['longer', 6],
  ] as const) {
    it(`refuses content that is ${why} than its entry says`, async () => {
      await withScratch(async (folder) => {
        const entry: LayerEntry = {
          kind: 'file',
          path: 'x/y',
          mode: 0o644,
          sizeBytes: 5,
          content: Buffer.alloc(actual),
        };
        await assert.rejects(
          writeLayer(join(folder, 'l.tar'), [entry]),
          fault('CONTENT_SIZE_DIFFERS', 'x/y'),
        );
      });
    });
  }
});

describe('scanLayer', () => {
  it('refuses a tar that is cut short or no tar', async () => {
    await withScratch(async (folder) => {
      const file = join(folder, 'layer.tar');
      await writeLayer(file, PLANNED);
      const whole = await readFile(file);
      for (const [name, bytes] of [
        ['cut', whole.subarray(0, 700)],
        ['header', Buffer.concat([Buffer.alloc(512, 0x41), whole])],
      ] as const) {
        const bad = join(folder, name);
        await writeFile(bad, bytes);
        await assert.rejects(scanLayer(bad), fault('LAYER_UNREADABLE', bad));
      }
    });
  });
});
