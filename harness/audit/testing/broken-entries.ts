import { GOOD_ENTRIES } from './broken-frames.ts';
import type { BrokenInput } from './broken-input.ts';
import { buildGoodPackage, buildPackage, GOOD_FILES, GOOD_MANIFEST } from './package-builder.ts';
import { buildGzip, buildPax, buildTar, type TarEntryPlan } from './tar-builder.ts';

function withExtra(...extra: readonly (TarEntryPlan | Buffer)[]): Buffer {
  return buildGoodPackage({ extra });
}

function named(name: string | Buffer): Buffer {
  return withExtra({ name, content: 'text' });
}

/** A name that does not fit a header field, or holds what a field cannot. */
function namedByPax(path: string): Buffer {
  return withExtra(buildPax({ path }), { name: 'package/short', content: 'text' });
}

function rooted(root: string): Buffer {
  return buildPackage({ manifest: GOOD_MANIFEST, files: GOOD_FILES, root });
}

function moded(mode: number): Buffer {
  return withExtra({ name: 'package/data', content: 'text', mode });
}

const LINK = { name: 'package/link', type: '2', linkName: 'lib.js' };
const DEEP = `package/${'a/'.repeat(70)}b`;
const LONG = `package/${'a'.repeat(200)}/${'b'.repeat(200)}/${'c'.repeat(200)}/${'d'.repeat(200)}/${'e'.repeat(250)}`;
const PRIVATE_KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n';

/** Faults of names and of the arrangement of entries. */
export const BROKEN_NAMES: readonly BrokenInput[] = [
  { code: 'NAME_EMPTY', path: '(empty name)', defect: 'an entry without a name', bytes: named('') },
  {
    code: 'NAME_NUL',
    path: 'package/a\\u{0}b',
    defect: 'a zero byte in a pax name',
    bytes: namedByPax('package/a\0b'),
  },
  {
    code: 'NAME_NOT_UTF8',
    path: 'package/\ufffd',
    defect: 'the byte ff',
    bytes: named(Buffer.from('package/\xff', 'latin1')),
  },
  {
    code: 'NAME_CONTROL_CHARACTER',
    path: 'package/a\\u{a}b',
    defect: 'a line end in a name',
    bytes: named('package/a\nb'),
  },
  {
    code: 'NAME_CONTROL_CHARACTER',
    path: 'package/\\u{1b}[2J',
    defect: 'a terminal sequence in a name',
    bytes: named('package/\u001b[2J'),
  },
  {
    code: 'NAME_BIDI',
    path: 'package/\\u{202e}txt.js',
    defect: 'a right-to-left mark in a name',
    bytes: named('package/\u202etxt.js'),
  },
  {
    code: 'NAME_ABSOLUTE',
    path: '/tmp/evil',
    defect: 'an absolute path',
    bytes: named('/tmp/evil'),
    also: ['ROOT_SECOND'],
  },
  {
    code: 'NAME_DOT_DOT',
    path: 'package/../../evil',
    defect: 'two steps up',
    bytes: named('package/../../evil'),
  },
  {
    code: 'NAME_DOT_DOT',
    path: 'package\\..\\..\\evil',
    defect: 'two steps up as Windows reads it',
    bytes: named('package\\..\\..\\evil'),
    also: ['NAME_BACKSLASH', 'ROOT_MISSING'],
  },
  {
    code: 'NAME_DRIVE',
    path: 'C:/evil',
    defect: 'a drive letter',
    bytes: named('C:/evil'),
    also: ['NAME_WINDOWS', 'ROOT_SECOND'],
  },
  {
    code: 'NAME_BACKSLASH',
    path: 'package/lib\\a.js',
    defect: 'a backslash',
    bytes: named('package/lib\\a.js'),
  },
  {
    code: 'NAME_DOT_ROOT',
    path: './package/cli.js',
    defect: 'every name begins with a dot',
    bytes: rooted('./package'),
    also: ['MANIFEST_MISSING'],
  },
  {
    code: 'NAME_DOT_SEGMENT',
    path: 'package/./a.js',
    defect: 'a dot inside a name',
    bytes: named('package/./a.js'),
  },
  {
    code: 'NAME_EMPTY_SEGMENT',
    path: 'package//a.js',
    defect: 'two slashes',
    bytes: named('package//a.js'),
  },
  { code: 'NAME_WINDOWS', path: 'package/aux.js', defect: 'a device name', bytes: named('package/aux.js') },
  { code: 'NAME_WINDOWS', path: 'package/a?.js', defect: 'a question mark', bytes: named('package/a?.js') },
  { code: 'NAME_WINDOWS', path: 'package/dot.', defect: 'a dot at the end', bytes: named('package/dot.') },
  {
    code: 'NAME_SEGMENT_TOO_LONG',
    path: `package/${'a'.repeat(256)}`,
    defect: '256 bytes between slashes',
    bytes: namedByPax(`package/${'a'.repeat(256)}`),
  },
  { code: 'PATH_TOO_LONG', path: `${LONG.slice(0, 1024)}…`, defect: '1060 bytes', bytes: namedByPax(LONG) },
  { code: 'PATH_TOO_DEEP', path: DEEP, defect: '70 folders', bytes: namedByPax(DEEP) },
  { code: 'ROOT_MISSING', path: 'cli.js', defect: 'a file beside the top folder', bytes: named('cli.js') },
  { code: 'ROOT_NOT_PACKAGE', path: 'good', defect: 'another top folder', bytes: rooted('good') },
  {
    code: 'ROOT_SECOND',
    path: 'other',
    defect: 'a second top folder whose file overrides the command',
    bytes: named('other/cli.js'),
  },
];

/** Faults of kinds, modes and collisions. */
export const BROKEN_KINDS: readonly BrokenInput[] = [
  { code: 'LINK_SYMBOLIC', path: 'package/link', defect: 'a link inside', bytes: withExtra(LINK) },
  {
    code: 'LINK_SYMBOLIC_OUTSIDE',
    path: 'package/link',
    defect: 'a link two steps up',
    bytes: withExtra({ ...LINK, linkName: '../../etc/passwd' }),
  },
  {
    code: 'LINK_SYMBOLIC_OUTSIDE',
    path: 'package/link',
    defect: 'a link to an absolute path',
    bytes: withExtra({ ...LINK, linkName: '/etc/passwd' }),
  },
  {
    code: 'LINK_HARD',
    path: 'package/link',
    defect: 'a hard link inside',
    bytes: withExtra({ ...LINK, type: '1', linkName: 'package/lib.js' }),
  },
  {
    code: 'LINK_HARD_OUTSIDE',
    path: 'package/link',
    defect: 'a hard link to an absolute path',
    bytes: withExtra({ ...LINK, type: '1', linkName: '/etc/passwd' }),
  },
  {
    code: 'LINK_WRITE_THROUGH',
    path: 'package/link/evil.js',
    defect: 'a file below a link',
    bytes: withExtra({ ...LINK, linkName: '../..' }, { name: 'package/link/evil.js', content: 'x' }),
    also: ['LINK_SYMBOLIC_OUTSIDE'],
  },
  {
    code: 'ENTRY_DEVICE',
    path: 'package/null',
    defect: 'a character device',
    bytes: withExtra({ name: 'package/null', type: '3' }),
  },
  {
    code: 'ENTRY_DEVICE',
    path: 'package/disk',
    defect: 'a block device',
    bytes: withExtra({ name: 'package/disk', type: '4' }),
  },
  {
    code: 'ENTRY_FIFO',
    path: 'package/pipe',
    defect: 'a named pipe',
    bytes: withExtra({ name: 'package/pipe', type: '6' }),
  },
  {
    code: 'ENTRY_DUPLICATE',
    path: 'package/lib.js',
    defect: 'the library again with other content',
    bytes: withExtra({ name: 'package/lib.js', content: 'export const greet = () => "evil";\n' }),
  },
  {
    code: 'ENTRY_DUPLICATE_SAME',
    path: 'package/lib.js',
    defect: 'the library again',
    bytes: withExtra({ name: 'package/lib.js', content: GOOD_FILES['lib.js'] }),
  },
  {
    code: 'NAME_COLLISION',
    path: 'package/LIB.js',
    defect: 'a name that differs in case',
    bytes: named('package/LIB.js'),
  },
  {
    code: 'NAME_COLLISION',
    path: 'package/e\u0301.txt',
    defect: 'a name in another Unicode form',
    bytes: withExtra(
      { name: 'package/\u00e9.txt', content: '1' },
      { name: 'package/e\u0301.txt', content: '2' },
    ),
  },
  {
    code: 'NAME_COLLISION',
    path: 'package/STRASSE.txt',
    defect: 'a name that folds to two letters',
    bytes: withExtra(
      { name: 'package/straße.txt', content: '1' },
      { name: 'package/STRASSE.txt', content: '2' },
    ),
  },
  {
    code: 'NAME_COLLISION_SAME',
    path: 'package/Lib.js',
    defect: 'a name that differs in case with the same content',
    bytes: withExtra({ name: 'package/Lib.js', content: GOOD_FILES['lib.js'] }),
  },
  {
    code: 'ENTRY_FILE_AND_FOLDER',
    path: 'package/lib.js/inner.js',
    defect: 'a file below a file',
    bytes: named('package/lib.js/inner.js'),
  },
  {
    code: 'ENTRY_FILE_AND_FOLDER',
    path: 'package/Tree',
    defect: 'a file in the place of a folder of other case',
    bytes: withExtra({ name: 'package/tree/a', content: '1' }, { name: 'package/Tree', content: '2' }),
  },
  {
    code: 'ENTRY_FILE_AND_FOLDER',
    path: 'package/lib.js/',
    defect: 'a folder entry in the place of a file',
    bytes: withExtra({ name: 'package/lib.js/', type: '5' }),
  },
  { code: 'MODE_SPECIAL_BITS', path: 'package/data', defect: 'setuid', bytes: moded(0o4755) },
  { code: 'MODE_SPECIAL_BITS', path: 'package/data', defect: 'setgid', bytes: moded(0o2644) },
  { code: 'MODE_SPECIAL_BITS', path: 'package/data', defect: 'sticky', bytes: moded(0o1644) },
  { code: 'MODE_WORLD_WRITABLE', path: 'package/data', defect: 'mode 0666', bytes: moded(0o666) },
  { code: 'MODE_UNREADABLE', path: 'package/data', defect: 'mode 0000', bytes: moded(0) },
  {
    code: 'OWNER_RECORDED',
    path: 'package/data',
    defect: 'a user id',
    bytes: withExtra({ name: 'package/data', content: 'x', uid: 1000, gid: 1000 }),
  },
  {
    code: 'OWNER_RECORDED',
    path: 'package/data',
    defect: 'a user name',
    bytes: withExtra({ name: 'package/data', content: 'x', owner: 'somebody' }),
  },
  {
    code: 'SECRET_FILE',
    path: 'package/.env',
    defect: 'an environment file',
    bytes: buildGoodPackage({ files: { '.env': 'API_KEY=1\n' } }),
  },
  {
    code: 'SECRET_FILE',
    path: 'package/store.p12',
    defect: 'a key store',
    bytes: buildGoodPackage({ files: { 'store.p12': 'binary' } }),
  },
  {
    code: 'SECRET_PRIVATE_KEY',
    path: 'package/notes.pem',
    defect: 'a private key',
    bytes: buildGoodPackage({ files: { 'notes.pem': PRIVATE_KEY } }),
  },
  {
    code: 'SECRET_NPM_TOKEN',
    path: 'package/.npmrc',
    defect: 'a token',
    bytes: buildGoodPackage({
      files: { '.npmrc': '//host.example/:_authToken=npm_0123456789abcdefABCDEF\n' },
    }),
  },
  {
    code: 'JUNK_FILE',
    path: 'package/.DS_Store',
    defect: 'a file of the system',
    bytes: buildGoodPackage({ files: { '.DS_Store': 'x' } }),
  },
];

/** Archives that look odd and are good: they must give nothing. */
export const GOOD_ARCHIVES: readonly { readonly title: string; readonly bytes: Buffer }[] = [
  { title: 'the control', bytes: buildGoodPackage() },
  {
    title: 'folder entries, given twice',
    bytes: buildGzip(
      buildTar([
        { name: 'package/', type: '5', mode: 0o755 },
        { name: 'package/', type: '5', mode: 0o755 },
        ...GOOD_ENTRIES,
      ]),
    ),
  },
  {
    title: 'a name in a prefix and one in a pax record',
    bytes: withExtra(
      { name: 'name.txt', prefix: 'package/folder', content: '1' },
      buildPax({ path: `package/${'n'.repeat(150)}`, mtime: '499162500.5', size: '1' }),
      { name: 'package/short', content: '2' },
    ),
  },
  {
    title: 'the end mark filled up to ten kibibytes',
    bytes: buildGzip(buildTar(GOOD_ENTRIES, { endBlocks: 20 })),
  },
  {
    title: 'an environment example, a public certificate and a token from the environment',
    bytes: buildGoodPackage({
      files: { '.env.example': 'API_KEY=\n', 'ca.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n' },
    }),
  },
  {
    title: 'folders that differ in case and share no file',
    bytes: withExtra({ name: 'package/Tree/a', content: '1' }, { name: 'package/tree/b', content: '2' }),
  },
];
