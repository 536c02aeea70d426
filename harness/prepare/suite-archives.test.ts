import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ArchiveSource, CompiledArchive } from '../suite/archive.ts';
import type { CompiledCase, CompiledSuite } from '../suite/compiled.ts';
import { USUAL_CASE } from '../suite/usual-case.ts';
import type { ContextSuiteArchive } from './context-document.ts';
import { ContextDraft } from './context-folder.ts';
import { type ArchiveDigest, hashArchive } from './integrity.ts';
import type { PreparedSuite } from './prepare-options.ts';
import { ArchiveStore } from './store.ts';
import { fetchSuiteArchives } from './suite-archives.ts';
import { FakeRegistry } from './testing/fake-registry.ts';
import { faultOf, inFolder } from './testing/folder.ts';
import { packPackage, streamOf } from './testing/pack.ts';
import { testOptions } from './testing/ports.ts';
import { openWorkshop } from './workshop.ts';

const BYTES = Buffer.from('#!/bin/sh\necho reference\n');
const OTHER = Buffer.from('#!/bin/sh\necho elsewhere\n');
const FILE: ArchiveSource = { kind: 'file', path: 'bin/tool' };
const GIVEN: ArchiveSource = { kind: 'given' };
const NPM: ArchiveSource = { kind: 'npm', package: 'tool', version: '1.0.0' };

function archive(source: ArchiveSource, change: Partial<CompiledArchive> = {}): CompiledArchive {
  const { sha256, sizeBytes } = hashArchive(BYTES);
  return { name: 'tool', sha256, sizeBytes, unpack: 'none', strip: 0, source, ...change };
}

/** A suite with a case for each archive, `used.NAME`. */
function suite(archives: readonly CompiledArchive[], change: Partial<CompiledSuite> = {}): CompiledSuite {
  const cases = archives.map(
    ({ name }): CompiledCase => ({
      id: `used.${name}`,
      why: 'a reference',
      tags: [],
      ...USUAL_CASE,
      settleMs: 0,
      steps: [],
      references: [{ step: 'reference', archive: name, files: [] }],
      checks: [],
    }),
  );
  const claims = { proves: ['that'], doesNotProve: ['that'] };
  const lists = { archives, cases, exclusions: [], expectedUnsupported: [] };
  return { formatVersion: 1, id: 'suite', title: '', ...claims, ...lists, ...change };
}

interface Place {
  readonly cwd: string;
  /** The folder of the suite file. */
  readonly beside: string;
  readonly cache: string;
  /** Where the archives of the context come to lie. */
  readonly taken: () => Promise<readonly string[]>;
  fetch(
    suites: readonly (CompiledSuite | PreparedSuite)[],
    archives?: string,
  ): Promise<readonly ContextSuiteArchive[]>;
}

/** A prepare in a folder of its own, with a suite folder in which `bin/tool` has these bytes. */
function inPlace(work: (place: Place) => Promise<void>, tool: Buffer | null = BYTES): Promise<void> {
  return inFolder(async (cwd) => {
    const [beside, cache] = [join(cwd, 'beside'), join(cwd, 'cache')];
    await mkdir(join(beside, 'bin'), { recursive: true });
    if (tool !== null) await writeFile(join(beside, 'bin', 'tool'), tool);
    const draft = await ContextDraft.begin(join(cwd, 'out'));
    const fetch: Place['fetch'] = async (suites, archives) => {
      const named = { candidate: 'a.tgz', out: join(cwd, 'out'), cwd, cacheFolder: cache };
      const options = testOptions({ ...named, archives: archives ?? null });
      const workshop = await openWorkshop(options, draft, () => undefined);
      const prepared = suites.map((one) =>
        'suite' in one ? one : { suite: one, sources: [], folder: beside },
      );
      return fetchSuiteArchives(workshop, prepared);
    };
    await work({ cwd, beside, cache, fetch, taken: () => readdir(draft.archivesFolder) });
    await draft.discard();
  });
}

function entryOf(bytes: Buffer, change: Partial<ContextSuiteArchive> = {}): ContextSuiteArchive {
  const digest: ArchiveDigest = hashArchive(bytes);
  return { name: 'tool', ...digest, unpack: 'none', strip: 0, ...change };
}

test('an archive beside the suite is taken, and lies in the context by its digest', () =>
  inPlace(async ({ fetch, taken }) => {
    assert.deepEqual(await fetch([suite([archive(FILE)])]), [entryOf(BYTES)]);
    assert.deepEqual(await taken(), [hashArchive(BYTES).sha256]);
  }));

test('an archive is taken from the store when it is beside no suite any more', () =>
  inPlace(async ({ fetch, cache }) => {
    const store = await ArchiveStore.open(cache);
    await store.put(streamOf(BYTES), { sha256: hashArchive(BYTES).sha256, label: 'tool' });
    for (const source of [GIVEN, FILE, NPM]) {
      assert.deepEqual(await fetch([suite([archive(source)])]), [entryOf(BYTES)]);
    }
  }, null));

test('bytes of the store that are not the pinned ones any more are not taken', () =>
  inPlace(async ({ fetch, cache }) => {
    const { sha256 } = hashArchive(BYTES);
    await (await ArchiveStore.open(cache)).put(streamOf(BYTES), { sha256, label: 'tool' });
    await writeFile(join(cache, 'archives', 'sha256', sha256), OTHER);
    const missing = faultOf('SUITE_ARCHIVE_MISSING', 'suite suite, archive tool');
    await assert.rejects(fetch([suite([archive(GIVEN)])]), missing);
  }, null));

test('a folder of archives has it under any name, and comes before what lies beside the suite', () =>
  inPlace(async ({ fetch, cwd, beside }) => {
    const given = join(cwd, 'given');
    await mkdir(given);
    await writeFile(join(given, 'whatever'), BYTES);
    for (const source of [GIVEN, FILE, NPM]) {
      assert.deepEqual(await fetch([suite([archive(source)])], given), [entryOf(BYTES)]);
    }
    assert.deepEqual(await readFile(join(beside, 'bin', 'tool')), OTHER);
  }, OTHER));

test('the archive of a published package is fetched, and with a folder of archives nobody is asked', () =>
  inPlace(async ({ fetch, cwd }) => {
    const packed = await packPackage({ name: 'tool', version: '1.0.0' });
    const published = { name: 'tool', version: '1.0.0', manifest: {}, archive: packed };
    const registry = await FakeRegistry.start({ packages: [published] });
    try {
      await writeFile(join(cwd, '.npmrc'), `fetch-retries=0\nregistry=${registry.url}\n`);
      const { sha256, sizeBytes } = hashArchive(packed);
      const form = { unpack: 'tar.gz', strip: 1 } as const;
      const good = archive(NPM, { sha256, sizeBytes, ...form });
      const given = join(cwd, 'given');
      await mkdir(given);
      const missing = faultOf('SUITE_ARCHIVE_MISSING', 'suite suite, archive tool');
      await assert.rejects(fetch([suite([good])], given), missing);
      const digest = faultOf('SUITE_ARCHIVE_DIGEST', 'suite suite, archive tool');
      assert.deepEqual(registry.requests, []);
      await assert.rejects(fetch([suite([archive(NPM)])]), digest);
      const size = faultOf('SUITE_ARCHIVE_SIZE', 'suite suite, archive tool');
      await assert.rejects(fetch([suite([{ ...good, sizeBytes: sizeBytes + 1 }])]), size);
      assert.deepEqual(await fetch([suite([good])]), [entryOf(packed, form)]);
      assert.equal(registry.requests.length, 2);
    } finally {
      await registry.close();
    }
  }, null));

test('other bytes than the pinned ones are refused by size and by digest, and nothing is stored', () =>
  inPlace(async ({ fetch, cache, taken }) => {
    const wrong = { sizeBytes: BYTES.length + 1 };
    const where = 'suite suite, archive tool';
    await assert.rejects(fetch([suite([archive(FILE, wrong)])]), faultOf('SUITE_ARCHIVE_SIZE', where));
    await assert.rejects(fetch([suite([archive(FILE)])]), faultOf('SUITE_ARCHIVE_DIGEST', where));
    assert.deepEqual([await taken(), await readdir(join(cache, 'archives', 'sha256'))], [[], []]);
  }, OTHER));

test('a size that the pinned bytes do not have is refused wherever they are found', () =>
  inPlace(async ({ fetch, cwd, cache }) => {
    const given = join(cwd, 'given');
    await mkdir(given);
    await writeFile(join(given, 'whatever'), BYTES);
    const { sha256 } = hashArchive(BYTES);
    await (await ArchiveStore.open(cache)).put(streamOf(BYTES), { sha256, label: 'tool' });
    const refused = faultOf('SUITE_ARCHIVE_SIZE', 'suite suite, archive tool');
    for (const folder of [undefined, given]) {
      await assert.rejects(fetch([suite([archive(GIVEN, { sizeBytes: 1 })])], folder), refused);
    }
  }, null));

test('a file that leads out of the folder of the suite is not looked at', () =>
  inPlace(async ({ fetch, cwd, beside }) => {
    await writeFile(join(cwd, 'outside'), BYTES);
    await symlink('../../outside', join(beside, 'bin', 'tool'));
    await symlink('tool.sh', join(beside, 'bin', 'inside'));
    await writeFile(join(beside, 'bin', 'tool.sh'), BYTES);
    const missing = faultOf('SUITE_ARCHIVE_MISSING', 'suite suite, archive tool');
    for (const source of [FILE, { kind: 'file', path: 'bin' }, { kind: 'file', path: 'none' }] as const) {
      await assert.rejects(fetch([suite([archive(source)])]), missing);
    }
    const compiled = { suite: suite([archive(FILE)]), sources: [], folder: null };
    await assert.rejects(fetch([compiled]), missing);
    const inside = archive({ kind: 'file', path: 'bin/inside' });
    assert.deepEqual(await fetch([suite([inside])]), [entryOf(BYTES)]);
  }, null));

test('an archive that only excluded cases run, or none, need not be had', () =>
  inPlace(async ({ fetch, taken }) => {
    const absent = archive(GIVEN, { name: 'absent', sha256: '0'.repeat(64) });
    const exclusions = [{ cases: 'used.absent', reason: 'not for everybody', count: 1 }];
    assert.deepEqual(await fetch([suite([archive(FILE), absent], { exclusions })]), [entryOf(BYTES)]);
    assert.deepEqual(await fetch([suite([absent], { cases: [] })]), []);
    assert.deepEqual(await taken(), [hashArchive(BYTES).sha256]);
    const missing = faultOf('SUITE_ARCHIVE_MISSING', 'suite suite, archive absent');
    await assert.rejects(fetch([suite([archive(FILE), absent])]), missing);
  }));

test('suites that name an archive alike share it, and one that can be found is enough for both', () =>
  inPlace(async ({ fetch }) => {
    const suites = [suite([archive(GIVEN)], { id: 'one' }), suite([archive(FILE)], { id: 'two' })];
    const zebra = suite([archive(FILE, { name: 'zebra' }), archive(FILE, { name: 'ant' })], { id: 'three' });
    for (const order of [suites, suites.toReversed()]) {
      const found = await fetch([...order, zebra]);
      assert.deepEqual(
        found.map(({ name }) => name),
        ['ant', 'tool', 'zebra'],
      );
    }
  }));

test('suites that mean different things by one name are refused', () =>
  inPlace(async ({ fetch }) => {
    const changes: readonly Partial<CompiledArchive>[] = [
      { sha256: '0'.repeat(64) },
      { sizeBytes: 1 },
      { unpack: 'tar' },
      { strip: 1 },
    ];
    for (const change of changes) {
      const suites = [suite([archive(FILE)]), suite([archive(FILE, change)], { id: 'two' })];
      const refused = faultOf('SUITE_ARCHIVE_CONFLICT', 'suite two, archive tool');
      await assert.rejects(fetch(suites), refused);
    }
  }));
