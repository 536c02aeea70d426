import type { BrokenInput } from './broken-input.ts';
import {
  buildGoodPackage,
  buildPackageTar,
  GOOD_FILES,
  GOOD_MANIFEST,
  listPackageEntries,
} from './package-builder.ts';
import {
  buildGnuLong,
  buildGzip,
  buildPax,
  buildPaxRecord,
  buildTar,
  buildTarEntry,
  type TarEntryPlan,
} from './tar-builder.ts';

const GOOD = buildGoodPackage();
const PLAN = { manifest: GOOD_MANIFEST, files: GOOD_FILES };
const GOOD_TAR = buildPackageTar(PLAN);
const END = GOOD_TAR.length - 1024;
const EXTRA = 'package/extra.txt';

/** A good package with further entries behind its files. */
function withExtra(...extra: readonly (TarEntryPlan | Buffer)[]): Buffer {
  return buildGoodPackage({ extra });
}

function plain(changes: Partial<TarEntryPlan> = {}): TarEntryPlan {
  return { name: EXTRA, content: 'extra', ...changes };
}

function withoutEnd(...blocks: readonly Buffer[]): Buffer {
  return buildGzip(Buffer.concat([GOOD_TAR.subarray(0, END), ...blocks]));
}

const WHOLE = 'candidate.tgz';
const AT_END = `${WHOLE}@${END}`;

/** Faults of the compressed file. */
export const BROKEN_GZIPS: readonly BrokenInput[] = [
  { code: 'ARCHIVE_EMPTY', path: WHOLE, defect: 'no bytes', bytes: Buffer.alloc(0) },
  {
    code: 'ARCHIVE_TOO_LARGE',
    path: WHOLE,
    defect: 'one byte above the limit',
    bytes: GOOD,
    options: { limits: { archiveBytes: GOOD.length - 1 } },
  },
  { code: 'ARCHIVE_UNREADABLE', path: WHOLE, defect: 'plain text', bytes: Buffer.from('not an archive') },
  { code: 'GZIP_MISSING', path: WHOLE, defect: 'not compressed', bytes: GOOD_TAR },
  {
    code: 'UNPACKED_TOO_LARGE',
    path: WHOLE,
    defect: 'a plain tar above the limit',
    bytes: GOOD_TAR,
    options: { limits: { unpackedBytes: GOOD_TAR.length - 1 } },
    also: ['GZIP_MISSING'],
  },
  { code: 'GZIP_HEADER_INVALID', path: WHOLE, defect: 'method 7', bytes: buildGzip(GOOD_TAR, { method: 7 }) },
  {
    code: 'GZIP_HEADER_INVALID',
    path: WHOLE,
    defect: 'a reserved flag',
    bytes: buildGzip(GOOD_TAR, { flags: 0x20 }),
  },
  {
    code: 'GZIP_HEADER_INVALID',
    path: WHOLE,
    defect: 'a file name without an end',
    bytes: Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 0x61, 0x61]),
  },
  {
    code: 'GZIP_HEADER_INVALID',
    path: WHOLE,
    defect: 'an extra field longer than the file',
    bytes: Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0, 0]),
  },
  {
    code: 'GZIP_CORRUPT',
    path: WHOLE,
    defect: 'a block of a type that does not exist',
    bytes: Buffer.concat([GOOD.subarray(0, 10), Buffer.alloc(40, 0xff)]),
  },
  { code: 'GZIP_TRUNCATED', path: WHOLE, defect: 'half of it', bytes: GOOD.subarray(0, GOOD.length >> 1) },
  { code: 'GZIP_TRUNCATED', path: WHOLE, defect: 'no trailer', bytes: GOOD.subarray(0, -8) },
  { code: 'GZIP_TRUNCATED', path: WHOLE, defect: 'the last byte missing', bytes: GOOD.subarray(0, -1) },
  { code: 'GZIP_CHECKSUM', path: WHOLE, defect: 'a wrong crc', bytes: buildGzip(GOOD_TAR, { checksum: 1 }) },
  {
    code: 'GZIP_SEVERAL_MEMBERS',
    path: WHOLE,
    defect: 'the tar cut in two members',
    bytes: Buffer.concat([buildGzip(GOOD_TAR.subarray(0, 512)), buildGzip(GOOD_TAR.subarray(512))]),
  },
  {
    code: 'GZIP_MEMBERS_TOO_MANY',
    path: WHOLE,
    defect: 'seventeen members',
    bytes: Buffer.concat([GOOD, ...Array.from({ length: 16 }, () => buildGzip(Buffer.alloc(0)))]),
  },
  {
    code: 'GZIP_TRAILING_BYTES',
    path: WHOLE,
    defect: 'one byte behind',
    bytes: Buffer.concat([GOOD, Buffer.from('x')]),
  },
  {
    code: 'RATIO_TOO_HIGH',
    path: WHOLE,
    defect: 'two mebibytes of zeros',
    bytes: buildGzip(Buffer.alloc(2 * 1024 * 1024)),
    options: { limits: { ratio: 10 } },
  },
  {
    code: 'UNPACKED_TOO_LARGE',
    path: WHOLE,
    defect: 'one byte above the limit',
    bytes: GOOD,
    options: { limits: { unpackedBytes: GOOD_TAR.length - 1 } },
  },
  {
    code: 'UNPACKED_TOO_LARGE',
    path: WHOLE,
    defect: 'the second member goes above the limit',
    bytes: Buffer.concat([GOOD, buildGzip(Buffer.alloc(2048))]),
    options: { limits: { unpackedBytes: GOOD_TAR.length + 1024 } },
  },
];

const MAKE_SIZE_NEGATIVE = (header: Buffer): void => {
  header.fill(0xff, 124, 136);
};

/** Faults of the tar's frame: headers, extension records, end mark. */
export const BROKEN_TARS: readonly BrokenInput[] = [
  { code: 'TAR_EMPTY', path: WHOLE, defect: 'only the end mark', bytes: buildGzip(buildTar([])) },
  { code: 'TAR_EMPTY', path: WHOLE, defect: 'a gzip of nothing', bytes: buildGzip(Buffer.alloc(0)) },
  {
    code: 'TAR_TRUNCATED',
    path: AT_END,
    defect: 'a file with half its content',
    bytes: withoutEnd(buildTarEntry(plain({ content: 'x'.repeat(1000), statedSize: 5000 }))),
  },
  {
    code: 'TAR_TRUNCATED',
    path: AT_END,
    defect: 'a header of 100 bytes',
    bytes: withoutEnd(buildTarEntry(plain()).subarray(0, 100)),
  },
  {
    code: 'TAR_TRUNCATED',
    path: AT_END,
    defect: 'content without its padding',
    bytes: withoutEnd(buildTarEntry(plain()).subarray(0, 517)),
  },
  {
    code: 'TAR_HEADER_CHECKSUM',
    path: AT_END,
    defect: 'a checksum one too high',
    bytes: withExtra(plain({ checksum: 'wrong' })),
  },
  {
    code: 'TAR_HEADER_CHECKSUM',
    path: `${WHOLE}@0`,
    defect: 'gzip of something else',
    bytes: buildGzip(Buffer.alloc(600, 'text ')),
  },
  {
    code: 'TAR_MAGIC_UNKNOWN',
    path: EXTRA,
    defect: 'another magic',
    bytes: withExtra(plain({ magic: 'unknown' })),
  },
  { code: 'TAR_MAGIC_OLD', path: EXTRA, defect: 'no magic', bytes: withExtra(plain({ magic: 'v7' })) },
  {
    code: 'TAR_NUMBER_INVALID',
    path: AT_END,
    defect: 'a size of 12z',
    bytes: withExtra(plain({ patch: (header) => header.write('0000000012z', 124, 'latin1') })),
  },
  {
    code: 'TAR_NUMBER_INVALID',
    path: AT_END,
    defect: 'a negative binary size',
    bytes: withExtra(plain({ patch: MAKE_SIZE_NEGATIVE })),
  },
  {
    code: 'TAR_NUMBER_INVALID',
    path: AT_END,
    defect: 'a binary size beyond every file',
    bytes: withExtra(
      plain({
        patch: (header) => {
          header.fill(0xff, 124, 136);
          header[124] = 0x80;
        },
      }),
    ),
  },
  {
    code: 'TAR_NUMBER_INVALID',
    path: EXTRA,
    defect: 'a mode of rwxr',
    bytes: withExtra(plain({ patch: (header) => header.write('rwxrwxr', 100, 'latin1') })),
    also: ['MODE_UNREADABLE'],
  },
  {
    code: 'TAR_NUMBER_BASE256',
    path: EXTRA,
    defect: 'a small binary size',
    bytes: withExtra(
      plain({
        patch: (header) => {
          header.fill(0, 124, 136);
          header[124] = 0x80;
          header[135] = 5;
        },
      }),
    ),
  },
  {
    code: 'TAR_OWNER_FIELD_INVALID',
    path: EXTRA,
    defect: 'a user id of nobody',
    bytes: withExtra(plain({ patch: (header) => header.write('nobody', 108, 'latin1') })),
  },
  { code: 'TAR_TYPE_UNKNOWN', path: EXTRA, defect: 'type 7', bytes: withExtra(plain({ type: '7' })) },
  { code: 'TAR_TYPE_UNKNOWN', path: EXTRA, defect: 'type Z', bytes: withExtra(plain({ type: 'Z' })) },
  { code: 'TAR_ENTRY_SPARSE', path: EXTRA, defect: 'type S', bytes: withExtra(plain({ type: 'S' })) },
  {
    code: 'TAR_ENTRY_SPARSE',
    path: EXTRA,
    defect: 'a sparse map in pax records',
    bytes: withExtra(buildPax({ 'GNU.sparse.major': '1' }), plain()),
  },
  {
    code: 'TAR_ENTRY_WITH_CONTENT',
    path: 'package/folder/',
    defect: 'a folder that states a size',
    bytes: withExtra({ name: 'package/folder/', type: '5', statedSize: 512 }),
  },
  {
    code: 'TAR_ENTRY_WITH_CONTENT',
    path: 'package/folder/',
    defect: 'a file called like a folder that states a size',
    bytes: withExtra({ name: 'package/folder/', statedSize: 512 }),
  },
  {
    code: 'TAR_LONE_ZERO_BLOCK',
    path: `${WHOLE}@${END + 512}`,
    defect: 'a zero block before an entry',
    bytes: withExtra(Buffer.alloc(512), plain()),
  },
  { code: 'TAR_EOF_MISSING', path: WHOLE, defect: 'no end mark', bytes: withoutEnd() },
  { code: 'TAR_EOF_MISSING', path: WHOLE, defect: 'half an end mark', bytes: withoutEnd(Buffer.alloc(512)) },
  {
    code: 'TAR_BYTES_AFTER_EOF',
    path: `${WHOLE}@${END + 1024}`,
    defect: 'an entry behind the end mark',
    bytes: buildGzip(Buffer.concat([GOOD_TAR, buildTarEntry(plain())])),
  },
  {
    code: 'TAR_PADDING_NOT_ZERO',
    path: EXTRA,
    defect: 'padding with text',
    bytes: withExtra(plain({ padding: 0x41 })),
  },
  {
    code: 'TAR_BYTES_AFTER_NUL',
    path: EXTRA,
    defect: 'text behind the end of a name',
    bytes: withExtra(plain({ patch: (header) => header.write('hidden', 40, 'latin1') })),
  },
  {
    code: 'ENTRIES_TOO_MANY',
    path: WHOLE,
    defect: 'one entry above the limit',
    bytes: GOOD,
    options: { limits: { entries: 2 } },
  },
  {
    code: 'ENTRIES_TOO_MANY',
    path: WHOLE,
    defect: 'more implied folders than the limit',
    bytes: withExtra(plain({ name: 'package/a/b/c/d/e' })),
    options: { limits: { treeNodes: 8 } },
  },
  {
    code: 'GNU_LONG_NAME',
    path: AT_END,
    defect: 'a long name in a GNU record',
    bytes: withExtra(buildGnuLong('package/a-name-in-a-record.txt'), plain()),
  },
  {
    code: 'GNU_LONG_NAME_INVALID',
    path: AT_END,
    defect: 'a GNU record without its zero byte',
    bytes: withExtra(buildTarEntry({ name: '././@LongLink', type: 'L', content: 'package/x' }), plain()),
  },
  {
    code: 'NAME_GIVEN_TWICE',
    path: `${WHOLE}@${END + 2048}`,
    defect: 'a pax name and another GNU name',
    bytes: withExtra(buildPax({ path: 'package/one.txt' }), buildGnuLong('package/two.txt'), plain()),
    also: ['GNU_LONG_NAME'],
  },
  {
    code: 'EXTENSION_TOO_LARGE',
    path: AT_END,
    defect: 'a pax header of 70 kilobytes',
    bytes: withExtra(buildPax({ comment: 'x'.repeat(70_000) }), plain()),
  },
  {
    code: 'EXTENSION_ORPHAN',
    path: `${WHOLE}@${END + 1024}`,
    defect: 'two pax headers in a row',
    bytes: withExtra(buildPax({ comment: 'a' }), buildPax({ comment: 'b' }), plain()),
  },
  {
    code: 'EXTENSION_ORPHAN',
    path: `${WHOLE}@${END + 2048}`,
    defect: 'a pax header at the end',
    bytes: withExtra(buildPax({ comment: 'a' })),
  },
  {
    code: 'PAX_RECORD_INVALID',
    path: AT_END,
    defect: 'a record length one too high',
    bytes: withExtra(buildPax(Buffer.from('14 comment=a\n')), plain()),
  },
  {
    code: 'PAX_RECORD_INVALID',
    path: AT_END,
    defect: 'a record without an equals sign',
    bytes: withExtra(buildPax(Buffer.from('10 comment\n')), plain()),
  },
  {
    code: 'PAX_RECORD_INVALID',
    path: `${WHOLE}@${END + 1024}`,
    defect: 'a pax size that is no number',
    bytes: withExtra(buildPax({ size: '0x5' }), plain()),
  },
  {
    code: 'PAX_KEY_REPEATED',
    path: AT_END,
    defect: 'two pax names',
    bytes: withExtra(
      buildPax(Buffer.concat([buildPaxRecord('path', 'package/a'), buildPaxRecord('path', 'package/b')])),
      plain(),
    ),
  },
  {
    code: 'PAX_SIZE_OVERRIDE',
    path: EXTRA,
    defect: 'a pax size that swallows the next header',
    bytes: withExtra(buildPax({ size: '600' }), plain({ content: 'x'.repeat(600), statedSize: 5 })),
  },
  {
    code: 'PAX_GLOBAL',
    path: `${WHOLE}@${END}`,
    defect: 'a commit in a global header',
    bytes: withExtra(buildPax({ comment: '0123456789abcdef' }, 'g'), plain()),
  },
  {
    code: 'PAX_GLOBAL_OVERRIDE',
    path: AT_END,
    defect: 'a global name',
    bytes: withExtra(buildPax({ path: 'package/all' }, 'g'), plain()),
  },
];

/** The entries of the good package, to be arranged anew. */
export const GOOD_ENTRIES = listPackageEntries(PLAN);
