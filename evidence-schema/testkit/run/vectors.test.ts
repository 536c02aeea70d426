import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportEvidence } from '../../../harness/evidence/export.ts';
import { sampleCase, sampleExport } from '../../../harness/evidence/testing/sample-evidence.ts';
import { DiskSource } from '../../../harness/verify/files/disk-source.ts';
import { FINDING_CODES } from '../../../harness/verify/finding.ts';
import { parseRequirements } from '../../../harness/verify/requirements.ts';
import { type Expectations, type Verdict, verifyBundle } from '../../../harness/verify/verify.ts';
import { publicPem } from '../builder/signing.ts';
import { type Ask, digestOf, Kit, type Vector, writeVector } from '../builder/vector.ts';
import { kitRoot } from './kit-root.ts';

/** Told here so that a vector cannot go missing unseen. */
const VECTORS = 195;
const VECTOR_KEYS = ['expect', 'code', 'path', 'why', 'exitCode', 'base', 'signedBy', 'mutation', 'ask'];
const MUTATION_KEYS = ['changes', 'placement', 'seal'];
/** Verifier processes at a time. */
const PROCESSES = 2;
/** Of so many processes one is measured, where coverage is taken. */
const MEASURED = 10;

const verifier = fileURLToPath(new URL('../../../harness/verify/main.js', import.meta.url));
const kit = new Kit(kitRoot());
const names = kit.names();
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-vectors-'));
});

after(() => rm(folder, { recursive: true, force: true }));

test('the kit has the vectors that it is said to have, and nothing in them that it does not know', () => {
  assert.equal(names.length, VECTORS);
  for (const name of names) {
    const vector = kit.vector(name);
    assert.deepEqual(Object.keys(vector).sort(), [...VECTOR_KEYS].sort(), name);
    assert.match(name, new RegExp(`^${vector.expect}-[a-z]+(?:-[a-z0-9]+)*$`));
    assert.equal(vector.expect === 'accept', vector.code === null, name);
    assert.ok(vector.why.length > 0, name);
  }
});

test('every mutation belongs to one vector and has known members', () => {
  const used = names.flatMap((name) => kit.vector(name).mutation ?? []);
  assert.deepEqual(used.sort(), [...kit.mutations()].sort());
  for (const name of used) {
    const mutation: object = JSON.parse(readFileSync(join(kitRoot(), 'mutations', `${name}.json`), 'utf8'));
    assert.deepEqual(Object.keys(mutation).sort(), [...MUTATION_KEYS].sort(), name);
  }
});

/**
 * Codes of merged bundles, which are folders of bundles and no change of one of the kit's bases: the tests of
 * `packproof merge` show them on shards that really ran. So do the tests of a replay's statement, which tells of two
 * runs, with its codes.
 */
const OF_MERGED = ['SHARD_NUMBER', 'SHARD_IDENTITY', 'SHARD_CONTEXT', 'SHARD_DISAGREES', 'MERGE_FACT'];

test('every code of the verifier that a single bundle can show has a vector', () => {
  const codes = new Set(names.map((name) => kit.vector(name).code));
  assert.deepEqual(
    FINDING_CODES.filter(
      (code) => !codes.has(code) && !OF_MERGED.includes(code) && !code.startsWith('REPLAY_'),
    ),
    [],
  );
});

test('the bundles that the vectors build are those whose digests are committed', () => {
  const committed: unknown = JSON.parse(readFileSync(join(kitRoot(), 'digests.json'), 'utf8'));
  const built = Object.fromEntries(names.map((name) => [name, digestOf(kit.build(kit.vector(name)))]));
  assert.deepEqual(built, committed);
});

test('what the exporter makes of the same run is byte for byte what the builder makes', async () => {
  for (const [name, outcome] of [
    ['accept-bundle-passing', 'pass'],
    ['accept-bundle-failing', 'fail'],
  ] as const) {
    const place = join(folder, outcome);
    const spool = join(place, 'spool');
    const cases = [await sampleCase(spool, 'help', outcome), await sampleCase(spool, 'version', 'pass')];
    const input = await sampleExport(place, cases);
    await exportEvidence(input);
    for (const [path, bytes] of kit.build(kit.vector(name)).files) {
      assert.deepEqual(readFileSync(join(input.target, path)), bytes, path);
    }
  }
});

for (const name of names) {
  test(name, async () => {
    const vector = kit.vector(name);
    const root = join(folder, name);
    writeVector(root, kit.build(vector));
    try {
      check(name, vector, await verifyBundle(root, toExpectations(vector.ask, name)), root);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
}

test('the verifier as a process says the same of every vector, with its exact exit code', async () => {
  const pending = [...names];
  const work = async (): Promise<void> => {
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) await runProcess(name);
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
});

async function runProcess(name: string): Promise<void> {
  const vector = kit.vector(name);
  const root = join(folder, `process-${name}`);
  writeVector(root, kit.build(vector));
  const env = { ...process.env };
  // Each writes megabytes about the same lines; some are enough to say which of them the command line reaches.
  if (names.indexOf(name) % MEASURED !== 0) delete env['NODE_V8_COVERAGE'];
  const args = [verifier, root, '--json', ...toArguments(vector.ask, name)];
  const child = spawn(process.execPath, args, { env });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  await rm(root, { recursive: true, force: true });
  assert.equal(exitCode, vector.exitCode, name);
  if (exitCode !== 2) check(name, vector, JSON.parse(Buffer.concat(output).toString('utf8')), root);
}

function check(name: string, vector: Vector, verdict: Verdict, root: string): void {
  const found = verdict.findings.map(({ code, path }) => `${code} ${path === root ? '<root>' : path}`);
  assert.equal(verdict.verdict, `${vector.expect}ed`, `${name}: ${found.join('\n')}`);
  if (vector.expect === 'accept') assert.equal(verdict.runExitCode, vector.exitCode, name);
  else assert.ok(found.includes(`${vector.code} ${vector.path}`), `${name}: ${found.join('\n')}`);
}

function toExpectations(ask: Ask, name: string): Expectations {
  const required = parseRequirements(ask.require ?? 'boundary');
  assert.ok('requirements' in required);
  return {
    candidateSha512: ask.candidate ?? null,
    nonce: ask.nonce ?? null,
    suites: ask.suite === undefined ? [] : [ask.suite],
    keyPem: ask.key === undefined ? null : toPem(ask.key),
    requirements: ask.require === undefined ? [] : required.requirements,
    finishedAfter: ask.finishedAfter ?? null,
    ...(ask.archives === undefined ? {} : { archives: new DiskSource(writeArchives(ask.archives, name)) }),
  };
}

function toArguments(ask: Ask, name: string): readonly string[] {
  const { key, finishedAfter, archives, ...plain } = ask;
  const args = Object.entries(plain).map(([option, value]) => `--${option}=${value}`);
  if (finishedAfter !== undefined) args.push(`--finished-after=${finishedAfter}`);
  if (archives !== undefined) args.push(`--archives=${writeArchives(archives, name)}`);
  if (key === undefined) return args;
  const file = join(folder, `${name}.pub`);
  writeFileSync(file, toPem(key));
  return [...args, `--key=${file}`];
}

function writeArchives(archives: readonly string[], name: string): string {
  const target = join(folder, `${name}-archives`);
  mkdirSync(target, { recursive: true });
  for (const [index, text] of archives.entries()) writeFileSync(join(target, `${index}`), text);
  return target;
}

function toPem(key: NonNullable<Ask['key']>): string {
  return key === 'unusable' ? 'no key' : publicPem(key);
}
