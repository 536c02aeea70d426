import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { packageRoot } from '../../document/assets.ts';
import type { CompiledFile } from '../compiled.ts';
import { FILES_LIMIT } from '../limits.ts';
import { readBesideFolder } from './beside.ts';
import { compileSuite } from './compile-suite.ts';
import { SuiteTextError } from './errors.ts';
import { FIXTURE_KEYS } from './keys.ts';
import type { BesideEntry, ReadBeside } from './read-beside.ts';
import { FACTS_OF_TOOL } from './testing/facts-of-tool.ts';

const ACCEPTED = join(packageRoot(), 'harness', 'suite', 'language', 'testing', 'fixtures', 'accepted');
const SCHEMA = JSON.parse(
  readFileSync(join(packageRoot(), 'evidence-schema', 'fixture.schema.json'), 'utf8'),
);
const accepts = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(SCHEMA);

const scratch = mkdtempSync(join(tmpdir(), 'packproof-fixture-'));
after(() => rmSync(scratch, { recursive: true }));

const HEAD = 'formatVersion: 1\nid: suite\ntitle: a suite\nproves: [it]\ndoesNotProve: [it]\n';
const CASE = '  - id: one\n    why: because\n    steps: [{ argv: [x] }]\n';

function compile(text: string, readBeside: ReadBeside): readonly CompiledFile[] {
  const suite = compileSuite(Buffer.from(text), {
    file: 'suite.yaml',
    candidateFacts: FACTS_OF_TOOL,
    readBeside,
  });
  return suite.cases[0]?.files ?? [];
}

/** A folder `tree` with one file, and what its document says. */
function besideOf(document: string | null): ReadBeside {
  const entries: readonly BesideEntry[] = [
    { name: 'a.txt', kind: 'file' },
    { name: 'fixture.yaml', kind: 'file' },
  ];
  return (path) => {
    if (path === 'tree') return { bytes: null, reason: 'a folder', entries };
    if (path === 'tree/a.txt') return { bytes: Buffer.from('a') };
    if (path === 'tree/fixture.yaml' && document !== null) return { bytes: Buffer.from(document) };
    return { bytes: null, reason: 'ENOENT' };
  };
}

/** Codes and places of what is refused. */
function refusals(text: string, readBeside: ReadBeside): readonly string[] {
  try {
    compile(text, readBeside);
    return [];
  } catch (error) {
    assert.ok(error instanceof SuiteTextError, String(error));
    return error.problems.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);
  }
}

const describeFile = (file: CompiledFile): string => {
  if (file.kind === 'times') return `times ${file.path} ${file.mtimeSeconds}`;
  if (file.kind === 'owner') return `owner ${file.path} ${file.uid}:${file.gid}`;
  const more = file.kind === 'symlink' ? file.target : file.mode;
  return `${file.kind} ${file.path} ${more}`;
};

test('a tree is laid with what its document declares, modes as git keeps them', () => {
  const files = compile(`${HEAD}cases:\n${CASE}    fixture: project/\n`, readBesideFolder(ACCEPTED));
  const at = '/work/elsewhere';
  assert.deepEqual(files.map(describeFile), [
    'directory /work/elsewhere 0755',
    `file ${at}/100%25 0644`,
    `file ${at}/caf%E9 0644`,
    `directory ${at}/config 0500`,
    `file ${at}/config/tool.json 0600`,
    `symlink ${at}/folder config`,
    `sparse ${at}/holes 0644`,
    `file ${at}/notes.txt 0644`,
    `symlink ${at}/nowhere %FF`,
    `fifo ${at}/pipe 0644`,
    `file ${at}/run.sh 0755`,
    `directory ${at}/shut 0755`,
    `directory ${at}/shut/inner 0000`,
    `socket ${at}/socket 0644`,
    `times ${at}/config/tool.json 981173106`,
    `owner ${at}/caf%E9 7:8`,
    `owner ${at}/config/tool.json 0:0`,
    `owner ${at}/folder 1001:1001`,
  ]);
  const named = files.find(({ path }) => path.endsWith('caf%E9'));
  assert.equal(
    named?.kind === 'file' && Buffer.from(named.contentBase64, 'base64').toString(),
    '@scope/tool\n',
  );
});

test('the fixture of the suite is that of each case, unless it names another or none', () => {
  const beside = besideOf(null);
  const paths = (more: string, ofSuite = 'fixture: tree\n'): readonly string[] =>
    compile(`${HEAD}${ofSuite}cases:\n${CASE}${more}`, beside).map(describeFile);
  const laid = ['directory /work/elsewhere 0755', 'file /work/elsewhere/a.txt 0644'];
  assert.deepEqual(paths(''), laid);
  assert.deepEqual(paths('    fixture: null\n'), laid.slice(0, 1));
  assert.deepEqual(paths('    fixture: { dir: tree, at: /tmp/t }\n'), [
    'directory /work/elsewhere 0755',
    'directory /tmp/t 0755',
    'file /tmp/t/a.txt 0644',
  ]);
});

test('files of a case are laid over its fixture, with nothing left of what they replace', () => {
  const beside = besideOf(
    'formatVersion: 1\nentries: [{ path: a.txt, owner: root, time: "2001-02-03T04:05:06Z" }, { path: b, fifo: true }]',
  );
  const files = '    files: [{ path: c, text: c }, { path: a.txt, text: mine, mode: "0600" }]\n';
  assert.deepEqual(compile(`${HEAD}cases:\n${CASE}    fixture: tree\n${files}`, beside).map(describeFile), [
    'directory /work/elsewhere 0755',
    'file /work/elsewhere/a.txt 0600',
    'fifo /work/elsewhere/b 0644',
    'file /work/elsewhere/c 0644',
  ]);
});

test('a dot is the folder that the fixture lies in, with its own mode, time and owner', () => {
  const beside = besideOf(
    'formatVersion: 1\nentries: [{ path: a.txt, mode: "0600" }, { path: ., mode: "0500", owner: root, time: "2001-02-03T04:05:06Z" }]',
  );
  const laid = (fixture: string): readonly string[] =>
    compile(`${HEAD}cases:\n${CASE}    fixture: ${fixture}\n`, beside).map(describeFile);
  assert.deepEqual(laid('tree'), [
    'directory /work/elsewhere 0500',
    'file /work/elsewhere/a.txt 0600',
    'times /work/elsewhere 981173106',
    'owner /work/elsewhere 0:0',
  ]);
  assert.deepEqual(laid('{ dir: tree, at: /tmp/deep/er }').slice(0, 4), [
    'directory /work/elsewhere 0755',
    'directory /tmp/deep 0755',
    'directory /tmp/deep/er 0500',
    'file /tmp/deep/er/a.txt 0600',
  ]);
  const suite = `${HEAD}cases:\n${CASE}    fixture: { dir: tree, at: /work }\n`;
  assert.deepEqual(refusals(suite, beside), ['tree/fixture.yaml:2:50 PATH_WRONG']);
});

/** Documents with one mistake each, by what is said of them; line 3 is the only entry. */
const MALFORMED: readonly (readonly [text: string, refused: readonly string[]])[] = [
  ['', ['1:1 SUITE_EMPTY']],
  ['a: &b 1\nc: *b\n', ['1:7 YAML_ANCHOR', '2:4 YAML_ALIAS']],
  ['formatVersion: 1\nformatVersion: 1\n', ['2:1 YAML_DUPLICATE_KEY']],
  ['- 1\n', ['1:1 TYPE_WRONG']],
  ['entries: []\n', ['1:1 KEY_MISSING']],
  ['formatVersion: 2\nentries: []\n', ['1:16 SUITE_VERSION_UNSUPPORTED']],
  ['formatVersion: 1\nentrys: []\n', ['1:1 KEY_MISSING', '2:1 KEY_UNKNOWN']],
  ['{ path: a.txt }', ['3:13 KEY_MISSING']],
  ['{ mode: "0600" }', ['3:5 KEY_MISSING']],
  ['{ path: b.txt, mode: "0600" }', ['3:13 FIXTURE_PATH_UNKNOWN']],
  ['{ path: a.txt, text: b }', ['3:13 ID_REPEATED']],
  ['{ path: . }', ['3:13 KEY_MISSING']],
  ['{ path: ., directory: true }', ['3:13 ID_REPEATED']],
  ['{ path: ./, text: b }', ['3:13 PATH_WRONG']],
  ['{ path: a.txt, mdoe: "0600" }', ['3:13 KEY_MISSING', '3:20 KEY_UNKNOWN']],
  ['{ path: a.txt, owner: { uid: 0, gid: 0, name: x } }', ['3:45 KEY_UNKNOWN']],
  ['{ path: b, text: b, fifo: true }', ['3:5 KEY_CONFLICT']],
  ['{ path: b, from: a.txt }', ['3:13 FIXTURE_PATH_UNKNOWN', '3:16 KEY_UNKNOWN']],
  ['{ path: /work/b, text: b }', ['3:13 PATH_WRONG']],
  ['{ path: ../b, text: b }', ['3:13 PATH_WRONG']],
  ['{ path: "b%", text: b }', ['3:13 PATH_WRONG']],
  ['{ path: "b%41", text: b }', ['3:13 PATH_WRONG']],
  ['{ path: b, symlink: "%c3" }', ['3:25 PATH_WRONG']],
  ['{ path: b, text: b, mode: 0600 }', ['3:31 TYPE_WRONG']],
  ['{ path: b, text: b, mode: "6755" }', ['3:31 MODE_WRONG']],
  ['{ path: a.txt, owner: nobody }', ['3:27 WORD_UNKNOWN']],
  ['{ path: a.txt, owner: { uid: -1, gid: 0 } }', ['3:34 VALUE_WRONG']],
  ['{ path: a.txt, time: yesterday }', ['3:26 ID_WRONG']],
  [`{ path: b, text: "\${bin:none}" }`, ['3:22 BIN_UNKNOWN']],
];

function toDocument(text: string): string {
  return text.startsWith('{') ? `formatVersion: 1\nentries:\n  - ${text}\n` : text;
}

describe('what a fixture cannot say is refused where it stands', () => {
  for (const [text, expected] of MALFORMED) {
    test(JSON.stringify(text), () => {
      const found = refusals(`${HEAD}cases:\n${CASE}    fixture: tree\n`, besideOf(toDocument(text)));
      assert.deepEqual(
        found,
        expected.map((one) => `tree/fixture.yaml:${one}`),
      );
    });
  }

  test('twice the same path', () => {
    const text = toDocument('{ path: b, text: b }\n  - { path: b, fifo: true }');
    const suite = `${HEAD}cases:\n${CASE}    fixture: tree\n`;
    assert.deepEqual(refusals(suite, besideOf(text)), ['tree/fixture.yaml:4:13 ID_REPEATED']);
  });

  test('together with what is wrong in the suite', () => {
    const text = `${HEAD}cases:\n${CASE}    fixture: tree\n    tags: [No]\n`;
    assert.deepEqual(refusals(text, besideOf(toDocument('{ path: a.txt }'))), [
      'suite.yaml:11:12 ID_WRONG',
      'tree/fixture.yaml:3:13 KEY_MISSING',
    ]);
  });
});

describe('a tree that is not the same in every checkout is refused', () => {
  const trees: readonly (readonly [code: string, make: (root: string) => void])[] = [
    ['FIXTURE_LINK', (root) => symlinkSync('/etc', join(root, 'link'))],
    ['FIXTURE_KIND', (root) => execFileSync('mkfifo', [join(root, 'pipe')])],
    ['FIXTURE_NAME', (root) => writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0xff)]), '')],
    [
      'FIXTURE_TWINS',
      (root) => {
        writeFileSync(join(root, 'Name'), '');
        writeFileSync(join(root, 'name'), '');
      },
    ],
    [
      'FIXTURE_TWINS',
      (root) => {
        writeFileSync(join(root, 'caf\u00e9'), '');
        writeFileSync(join(root, 'cafe\u0301'), '');
      },
    ],
  ];
  for (const [index, [code, make]] of trees.entries()) {
    test(code, () => {
      const beside = join(scratch, String(index));
      mkdirSync(join(beside, 'tree', 'inner'), { recursive: true });
      make(join(beside, 'tree', 'inner'));
      const text = `${HEAD}cases:\n${CASE}    fixture: tree\n`;
      assert.deepEqual(refusals(text, readBesideFolder(beside)), [`suite.yaml:10:14 ${code}`]);
    });
  }

  test('no folder, a file, one outside, and one through a link that leads out', () => {
    const beside = join(scratch, 'places');
    mkdirSync(beside);
    writeFileSync(join(beside, 'file'), '');
    symlinkSync(scratch, join(beside, 'out'));
    for (const dir of ['none', 'file', '..', 'out', '/etc']) {
      const text = `${HEAD}cases:\n${CASE}    fixture: ${dir}\n`;
      assert.deepEqual(
        refusals(text, readBesideFolder(beside)),
        ['suite.yaml:10:14 FIXTURE_UNREADABLE'],
        dir,
      );
    }
  });

  test('too many files', () => {
    const many = Array.from({ length: FILES_LIMIT + 1 }, (_, at) => ({
      name: `${at}`,
      kind: 'file' as const,
    }));
    const beside: ReadBeside = (path) =>
      path === 'tree'
        ? { bytes: null, reason: 'a folder', entries: many }
        : path.endsWith('.yaml')
          ? { bytes: null, reason: 'ENOENT' }
          : { bytes: Buffer.alloc(0) };
    const text = `${HEAD}cases:\n${CASE}    fixture: tree\n`;
    assert.deepEqual(refusals(text, beside), ['suite.yaml:10:14 FIXTURE_TOO_LARGE']);
  });
});

describe('the published schema of fixtures', () => {
  const accepted = readFileSync(join(ACCEPTED, 'project', 'fixture.yaml'), 'utf8');

  test('accepts what the parser accepts, and has its keys', () => {
    assert.equal(accepts(parse(accepted)), true, JSON.stringify(accepts.errors));
    const keys = (schema: { readonly properties: object }): readonly string[] =>
      Object.keys(schema.properties);
    assert.deepEqual(keys(SCHEMA), FIXTURE_KEYS.fixture);
    assert.deepEqual([...keys(SCHEMA.$defs.entry)].sort(), [...FIXTURE_KEYS.entry].sort());
    assert.deepEqual(keys(SCHEMA.$defs.owner.oneOf[1]), FIXTURE_KEYS.owner);
    for (const name of Object.values(FIXTURE_KEYS).flat()) assert.ok(accepted.includes(`${name}:`), name);
  });

  const shaped = /TYPE|KEY|MODE|WORD|VERSION|ID_WRONG|VALUE_WRONG/;
  for (const [text, refused] of MALFORMED.filter(([, codes]) => codes.some((code) => shaped.test(code)))) {
    if (refused.some((code) => code.includes('YAML'))) continue;
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(accepts(parse(toDocument(text))), false);
    });
  }
});
