import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { toCanonicalBytes } from '../document/canonical.ts';
import { SuiteError } from '../suite/errors.ts';
import type { CandidateFacts } from '../suite/facts.ts';
import { SuiteTextError } from '../suite/language/errors.ts';
import { JobError } from './errors.ts';
import { recordBeside, toSourceFiles } from './source-files.ts';
import { DEFAULT_SUITE_FILE, findDefaultSuite, readSuite, toPreparedSuite } from './suite-sources.ts';

const FACTS: CandidateFacts = {
  name: 'tool',
  version: '1.2.3',
  bins: [{ name: 'tool', path: 'tool.js' }],
  type: 'module',
  main: null,
  exports: undefined,
  files: [],
  dependencies: [],
  optionalPeers: [],
  keywords: [],
  enginesNode: null,
};

const TEXT = `formatVersion: 1
id: own
title: a suite
proves: that it greets
doesNotProve: anything else
cases:
  - id: greets
    why: people ask it to
    files: [{ path: name.txt, from: name.txt }]
    steps: [{ argv: ["\${bin:tool}", name.txt] }]
`;

describe('suites that a command line names', () => {
  let folder = '';
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packproof-suites-'));
    await write('name.txt', 'world\n');
    await symlink('/etc/hostname', join(folder, 'link.txt'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('a written suite is compiled for the candidate, with the files beside it', async () => {
    const source = await readSuite(await write('own.yml', TEXT));
    assert.equal(source.kind, 'written');
    const { suite, sources } = toPreparedSuite(source, FACTS);
    const [only] = suite.cases;
    const file = only?.files.find(({ kind }) => kind === 'file');
    assert.ok(file?.kind === 'file');
    assert.equal(Buffer.from(file.contentBase64, 'base64').toString(), 'world\n');
    assert.equal(only?.steps[0]?.argv[0], '/opt/candidate/node_modules/.bin/tool');
    assert.deepEqual(
      sources.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      [
        ['beside/name.txt', 'world\n'],
        ['suite.yaml', TEXT],
      ],
    );
  });

  it('what a suite read is kept once, in its place when it is a fixture, under a name that no other has', () => {
    const read = recordBeside((path) => ({ bytes: Buffer.from(path.slice(-1)) }));
    for (const path of ['fixtures/a', './fixtures//a', 'fixtures/A', 'Fixtures/a', '.env', 'x/../b'])
      read.read(path);
    assert.deepEqual(
      toSourceFiles('own.yaml', Buffer.from('y'), read.files).map(({ path }) => path),
      ['beside/%2eenv', 'beside/%46ixtures/a', 'beside/b', 'fixtures/%41', 'fixtures/a', 'suite.yaml'],
    );
    const missing = recordBeside(() => ({ bytes: null, reason: 'none' }));
    missing.read('a');
    assert.equal(missing.files.size, 0);
  });

  it('sources that a bundle could not hold are refused', () => {
    const refused = (code: string, files: ReadonlyMap<string, Uint8Array>): void =>
      assert.throws(
        () => toSourceFiles('own.yaml', Buffer.alloc(0), files),
        (error) => error instanceof JobError && error.code === code && error.where === 'own.yaml',
      );
    refused('SUITE_SOURCE_NAME', new Map([['Ä'.repeat(60), Buffer.alloc(0)]]));
    refused('SUITE_SOURCE_NAME', new Map([[Array(500).fill('aa').join('/'), Buffer.alloc(0)]]));
    refused('SUITE_SOURCE_NAME', new Map([[Array(25).fill('d').join('/'), Buffer.alloc(0)]]));
    refused('SUITE_SOURCES_TOO_LARGE', new Map([['a', Buffer.alloc(128 * 1024 ** 2 + 1)]]));
    refused(
      'SUITE_SOURCES_TOO_LARGE',
      new Map(Array.from({ length: 10_001 }, (_, i) => [`${i}`, Buffer.alloc(0)])),
    );
  });

  it('a compiled suite stays what it is', async () => {
    const written = await readSuite(await write('own.yaml', TEXT));
    const { suite } = toPreparedSuite(written, FACTS);
    const file = await write('suite.json', toCanonicalBytes(suite).toString());
    assert.deepEqual(await readSuite(file), { kind: 'compiled', suite, folder: dirname(file) });
    assert.deepEqual(toPreparedSuite(await readSuite(file), FACTS), {
      suite,
      sources: [],
      folder: dirname(file),
    });
  });

  it('a file that leads out of the folder is not laid into a box', async () => {
    const file = await write('out.yaml', TEXT.replace('from: name.txt', 'from: link.txt'));
    await assert.rejects(
      readSuite(file),
      (error) =>
        error instanceof SuiteTextError &&
        error.code === 'BESIDE_UNREADABLE' &&
        error.where === 'out.yaml:9:37' &&
        /outside of the folder/.test(error.message),
    );
  });

  it('what is wrong for every candidate is said at once, what is wrong for this one when it is known', async () => {
    const slip = await write('slip.yaml', TEXT.replace('cases:', 'csaes:'));
    await assert.rejects(
      readSuite(slip),
      (error) => error instanceof SuiteTextError && error.code === 'KEY_MISSING',
    );
    const source = await readSuite(await write('bin.yaml', TEXT.replace('bin:tool', 'bin:tol')));
    assert.throws(
      () => toPreparedSuite(source, FACTS),
      (error) =>
        error instanceof SuiteTextError && error.code === 'BIN_UNKNOWN' && error.where === 'bin.yaml:10:22',
    );
  });

  it('a file that is not there, and one that is no suite', async () => {
    await assert.rejects(
      readSuite(join(folder, 'none.yaml')),
      (error) => error instanceof JobError && error.code === 'SUITE_UNREADABLE',
    );
    const file = await write('none.json', '{}');
    await assert.rejects(
      readSuite(file),
      (error) => error instanceof SuiteError && error.code === 'SUITE_MALFORMED',
    );
  });

  it('the default suite is taken when it is there, and a broken one is no absent one', async () => {
    assert.equal(await findDefaultSuite(folder), null);
    await write(DEFAULT_SUITE_FILE, TEXT);
    assert.equal((await findDefaultSuite(folder))?.kind, 'written');
    await write(DEFAULT_SUITE_FILE, 'id: x\n');
    await assert.rejects(
      findDefaultSuite(folder),
      (error) => error instanceof SuiteTextError && error.code === 'KEY_MISSING',
    );
  });
});
