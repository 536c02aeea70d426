import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readArchive } from './npm-archive.ts';
import { makeArchive, makePackage } from './testing/archive-maker.ts';
import { fault, pin, withScratch } from './testing/scratch.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('readArchive', () => {
  it('lists entries in archive order with modes, digests and targets', async () => {
    await withScratch(async (folder) => {
      const bytes = makePackage({ name: 'a' }, [
        { path: 'z.js', content: 'z', mode: 0o755 },
        { path: 'lib/', type: 'Directory', mode: 0o755 },
        { path: 'l', type: 'SymbolicLink', target: '../x' },
        { path: 'h', type: 'Link', target: 'package/z.js' },
      ]);
      const { entries, packageJson } = await readArchive(await pin(folder, 'a.tgz', bytes), 'a');
      assert.equal(packageJson?.toString('utf8'), '{"name":"a"}');
      assert.deepEqual(
        entries.map(({ path, kind, mode, sizeBytes, target }) => [path, kind, mode, sizeBytes, target]),
        [
          ['package/package.json', 'file', 0o644, 12, null],
          ['package/z.js', 'file', 0o755, 1, null],
          ['package/lib/', 'directory', 0o755, 0, null],
          ['package/l', 'link', 0o644, 0, '../x'],
          ['package/h', 'link', 0o644, 0, 'package/z.js'],
        ],
      );
      assert.equal(entries[1]?.sha256, sha256('z'));
    });
  });

  for (const [why, content, unix] of [
    ['a CRLF hashbang', '#!/usr/bin/env node\r\nx\r\n', '#!/usr/bin/env node\nx\r\n'],
    ['an LF hashbang', '#!/usr/bin/env node\nx\r\n', null],
    ['CRLF without a hashbang', 'x\r\ny', null],
    ['a hashbang whose line never ends', `#!${'x'.repeat(9)}`, null],
    ['a CRLF beyond the window', `#!${'x'.repeat(2050)}\r\n`, null],
    ['bytes that are not UTF-8', '#!/bin/sh\r\n\xff', '#!/bin/sh\n\ufffd'],
    ['two bytes', '#!', null],
    ['nothing', '', null],
  ] as const) {
    it(`foretells the rewriting of ${why}`, async () => {
      await withScratch(async (folder) => {
        const bytes = makeArchive([{ path: 'cli', content: Buffer.from(content, 'latin1') }]);
        const { entries } = await readArchive(await pin(folder, 'a.tgz', bytes), 'a');
        assert.equal(entries[0]?.unixForm?.sha256 ?? null, unix === null ? null : sha256(unix));
      });
    });
  }

  it('refuses bytes other than the pinned ones', async () => {
    await withScratch(async (folder) => {
      const pinned = await pin(folder, 'a.tgz', makePackage({}, []));
      await assert.rejects(
        readArchive({ ...pinned, sha256: sha256('other') }, 'node_modules/a'),
        fault('ARCHIVE_DIGEST_DIFFERS', 'node_modules/a'),
      );
    });
  });

  it('refuses damaged compression', async () => {
    await withScratch(async (folder) => {
      const bytes = gzipSync(Buffer.alloc(5000, 7)).subarray(0, 20);
      await assert.rejects(
        readArchive(await pin(folder, 'a.tgz', bytes), 'a'),
        fault('ARCHIVE_UNREADABLE', 'a'),
      );
    });
  });
});
