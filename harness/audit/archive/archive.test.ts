import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Parser } from 'tar';
import { pack } from 'tar-stream';
import { sha256Hex } from '../../document/digest.ts';
import { AuditError } from '../errors.ts';
import { buildGoodPackage, GOOD_FILES } from '../testing/package-builder.ts';
import { buildGzip, buildPax, buildTar, type TarEntryPlan } from '../testing/tar-builder.ts';
import { listEntries, openArchive, readEntry } from './archive.ts';
import { readNumberField } from './number-field.ts';
import { parsePaxRecords } from './pax.ts';

describe('an opened archive', () => {
  const archive = openArchive(
    buildGoodPackage({
      extra: [
        { name: 'package/sub/', type: '5', mode: 0o755 },
        { name: 'package/link', type: '2', linkName: 'lib.js', mode: 0o777 },
        { name: Buffer.from('package/\xff', 'latin1'), content: 'raw' },
        { name: 'package/lib.js', content: 'last', uid: 7, gid: 8, mode: 0o4711 },
      ],
    }),
  );

  it('lists every entry in archive order with what its header says', () => {
    assert.deepEqual(
      archive.entries.map(({ path, kind, mode, sizeBytes, linkName }) => [
        path,
        kind,
        mode,
        sizeBytes,
        linkName,
      ]),
      [
        ['package/package.json', 'file', 0o644, archive.entries[0]?.sizeBytes, null],
        ['package/cli.js', 'file', 0o755, GOOD_FILES['cli.js'].length, null],
        ['package/lib.js', 'file', 0o644, GOOD_FILES['lib.js'].length, null],
        ['package/sub/', 'directory', 0o755, 0, null],
        ['package/link', 'symlink', 0o777, 0, 'lib.js'],
        ['package/\ufffd', 'file', 0o644, 3, null],
        ['package/lib.js', 'file', 0o4711, 4, null],
      ],
    );
  });

  it('keeps digest, owner and raw name', () => {
    const last = archive.entries.at(-1);
    assert.deepEqual(
      [last?.sha256, last?.uid, last?.gid, last?.rawPath],
      [sha256Hex(Buffer.from('last')), 7, 8, null],
    );
    const raw = archive.entries.at(-2);
    assert.equal(raw?.rawPath, Buffer.from('package/\xff', 'latin1').toString('base64'));
    assert.equal(archive.entries.at(-3)?.sha256, null);
  });

  it('gives the content of the last entry of a path, as an install does', () => {
    assert.equal(readEntry(archive, 'package/lib.js').toString(), 'last');
    assert.equal(readEntry(archive, 'package/cli.js').toString(), GOOD_FILES['cli.js']);
  });

  it('refuses to read what is not there or no file', () => {
    const fails = (path: string, code: string): void =>
      assert.throws(
        () => readEntry(archive, path),
        (error) => error instanceof AuditError && error.code === code && error.where === path,
      );
    fails('package/none', 'ENTRY_NOT_FOUND');
    fails('lib.js', 'ENTRY_NOT_FOUND');
    fails('package/link', 'ENTRY_NOT_A_FILE');
    fails('package/sub/', 'ENTRY_NOT_A_FILE');
  });

  it('knows its top folder only when there is one', () => {
    assert.equal(archive.root, 'package');
    assert.equal(openArchive(buildGoodPackage({ extra: [{ name: 'other/a' }] })).root, 'package');
    assert.equal(openArchive(buildGzip(buildTar([{ name: 'a/b' }, { name: 'c/d' }]))).root, null);
    assert.equal(openArchive(buildGzip(buildTar([{ name: 'a' }]))).root, null);
  });
});

describe('the walk', () => {
  it('finds what another writer wrote, long and foreign names included', async () => {
    const names = [
      'package/a',
      `package/${'d'.repeat(90)}/${'f'.repeat(90)}`,
      `package/${'n'.repeat(240)}`,
      'package/ü/日本',
    ];
    const writer = pack();
    for (const name of names) writer.entry({ name, mode: 0o640 }, `content of ${name}`);
    writer.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of writer) {
      if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    }
    const entries = listEntries(buildGzip(Buffer.concat(chunks)));
    assert.deepEqual(
      entries.map((entry) => [entry.path, entry.mode, entry.sha256]),
      names.map((name) => [name, 0o640, sha256Hex(Buffer.from(`content of ${name}`))]),
    );
  });

  it('agrees with the reader that npm installs with, on any entries', async () => {
    const plans = fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z]{1,8}(?:\/[a-z]{1,8}){0,3}$/),
        content: fc.string({ maxLength: 1500 }),
        mode: fc.integer({ min: 0, max: 0o7777 }),
        prefix: fc.constantFrom('', 'package', 'package/deep'),
        type: fc.constantFrom('0', '\0', '5'),
        pax: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(plans, async (chosen) => {
        const entries = chosen.flatMap(({ pax, ...plan }): readonly (TarEntryPlan | Buffer)[] => {
          const entry = plan.type === '5' ? { ...plan, content: '' } : plan;
          return pax ? [buildPax({ path: `package/pax/${plan.name}` }), entry] : [entry];
        });
        const archive = buildGzip(buildTar(entries));
        const ours = listEntries(archive).map(({ path, sizeBytes, mode }) => [path, sizeBytes, mode]);
        assert.deepEqual(ours, await listWithNodeTar(archive));
      }),
      { numRuns: 60 },
    );
  });
});

function listWithNodeTar(archive: Buffer): Promise<readonly (readonly unknown[])[]> {
  return new Promise((resolve, reject) => {
    const seen: unknown[][] = [];
    const parser = new Parser({
      onReadEntry: (entry) => {
        seen.push([entry.path, entry.size, (entry.mode ?? 0) & 0o7777]);
        entry.resume();
      },
    });
    parser.on('end', () => resolve(seen));
    parser.on('error', reject);
    parser.end(archive);
  });
}

describe('a numeric field', () => {
  const cases: readonly (readonly [string, Buffer, unknown])[] = [
    ['octal digits and a zero byte', Buffer.from('0000644\0'), { kind: 'octal', value: 0o644 }],
    ['octal digits up to the end', Buffer.from('77777777'), { kind: 'octal', value: 0o77777777 }],
    ['spaces around', Buffer.from('   644 \0'), { kind: 'octal', value: 0o644 }],
    ['nothing', Buffer.alloc(8), { kind: 'octal', value: 0 }],
    ['a binary number', Buffer.from('8000000000000400', 'hex'), { kind: 'base256', value: 1024 }],
    [
      'a negative binary number',
      Buffer.from('ffffffffffffffff', 'hex'),
      { kind: 'invalid', text: 'ffffffffffffffff' },
    ],
    ['a digit that is not octal', Buffer.from('0000648\0'), { kind: 'invalid', text: '0000648\0' }],
    ['digits after the end', Buffer.from('644\x00123\0'), { kind: 'invalid', text: '644\x00123\0' }],
    ['a minus', Buffer.from('-000644\0'), { kind: 'invalid', text: '-000644\0' }],
  ];
  for (const [title, field, expected] of cases) {
    it(`is read from ${title}`, () => {
      const block = Buffer.concat([Buffer.from('7'), field, Buffer.from('7')]);
      assert.deepEqual(readNumberField(block, { start: 1, end: 9 }), expected);
    });
  }
});

describe('pax records', () => {
  it('may hold line ends, equals signs and bytes that are not text', () => {
    const value = Buffer.from([0x61, 0x0a, 0x3d, 0xff]);
    const { records, problem } = parsePaxRecords(
      Buffer.concat([
        Buffer.from('10 key='),
        value.subarray(0, 2),
        Buffer.from('\n'),
        Buffer.from('10 kez='),
        value.subarray(2),
        Buffer.from('\n'),
      ]),
    );
    assert.deepEqual(
      [records.get('key'), records.get('kez'), problem],
      [value.subarray(0, 2), value.subarray(2), null],
    );
  });

  for (const text of [
    '0 a=b\n',
    '06 a=b\n',
    '7 a=b\n',
    '5 a=b\n',
    ' 6 a=b\n',
    '6 =ab\n',
    '99999999 a=b\n',
    '6 a=b',
  ]) {
    it(`are refused from ${JSON.stringify(text)} on`, () => {
      const { records, problem } = parsePaxRecords(Buffer.from(`6 c=d\n${text}`));
      assert.deepEqual([...records.keys()], ['c']);
      assert.deepEqual(problem, { kind: 'invalid-record', at: 6 });
    });
  }
});
