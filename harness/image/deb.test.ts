import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDeb } from './deb.ts';
import { fault } from './testing/scratch.ts';
import { TINY_DEB } from './testing/tiny-deb.ts';

const all = (): boolean => true;

describe('readDeb', () => {
  it('lists files, links and the rest of the data archive', async () => {
    const entries = await readDeb(TINY_DEB, 'tiny', all);
    assert.deepEqual(
      entries.filter(({ kind }) => kind !== 'directory').map(({ kind, path }) => `${kind} ${path}`),
      [
        'file lib/t/libtiny.so.1.2',
        'file usr/bin/tiny',
        'file usr/share/tiny/deep/two',
        'file usr/share/tiny/one',
        'other usr/share/tiny-fifo',
        'symlink lib/t/libtiny.so.1',
      ],
    );
    const program = entries.find(({ path }) => path === 'usr/bin/tiny');
    assert.deepEqual(program, {
      kind: 'file',
      path: 'usr/bin/tiny',
      mode: 0o755,
      bytes: Buffer.from('#!/bin/sh\n'),
    });
  });

  it('keeps only what is wanted', async () => {
    const entries = await readDeb(TINY_DEB, 'tiny', (path) => path === 'usr/share/tiny/one');
    assert.deepEqual(
      entries.map(({ path }) => path),
      ['usr/share/tiny/one'],
    );
  });

  const renamed = (name: string): Buffer => {
    const bytes = Buffer.from(TINY_DEB);
    bytes.write(name.padEnd(16), bytes.indexOf('data.tar.xz'), 'latin1');
    return bytes;
  };
  for (const name of ['data.tar.zst', 'data.tar.gz', 'data.tar']) {
    it(`refuses ${name} by name`, async () => {
      await assert.rejects(readDeb(renamed(name), 'tiny', all), {
        ...fault('DEB_COMPRESSION_UNSUPPORTED', 'tiny'),
        expected: 'data.tar.xz',
        actual: name,
      });
    });
  }

  for (const [why, bytes] of [
    ['no ar archive', Buffer.from('PK\x03\x04 something else')],
    ['a package without data', renamed('other.tar.xz')],
    ['a member cut short', TINY_DEB.subarray(0, TINY_DEB.length - 100)],
    ['damaged compression', damaged()],
  ] as const) {
    it(`refuses ${why}`, async () => {
      await assert.rejects(readDeb(Buffer.from(bytes), 'tiny', all), fault('DEB_MALFORMED', 'tiny'));
    });
  }
});

function damaged(): Buffer {
  const bytes = Buffer.from(TINY_DEB);
  bytes.fill(0xff, bytes.length - 200, bytes.length - 150);
  return bytes;
}
