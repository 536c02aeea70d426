import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DiskSource } from '../../../harness/verify/files/disk-source.ts';
import { FINDING_CODES } from '../../../harness/verify/finding.ts';
import { parseRequirements } from '../../../harness/verify/requirements.ts';
import { type Expectations, type Verdict, verifyBundle } from '../../../harness/verify/verify.ts';
import { publicPem } from '../builder/signing.ts';
import { type Ask, digestOf, Kit, type Vector, writeVector } from '../builder/vector.ts';
import { kitRoot } from './kit-root.ts';
import { exportMerged, exportRun, exportShard, SHARD_INDEXES } from './sample-bundles.ts';

/** Told here so that a vector cannot go missing unseen. */
const VECTORS = 254;
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
  const used = names.flatMap((name) => {
    const { mutation, ask } = kit.vector(name);
    return [mutation ?? [], ask.replay?.mutation ?? []].flat();
  });
  assert.deepEqual(used.sort(), [...kit.mutations()].sort());
  for (const name of used) {
    const mutation: object = JSON.parse(readFileSync(join(kitRoot(), 'mutations', `${name}.json`), 'utf8'));
    assert.deepEqual(Object.keys(mutation).sort(), [...MUTATION_KEYS].sort(), name);
  }
});

/** Codes without a vector. */
function unshown(codes: readonly string[]): readonly string[] {
  const shown = new Set(names.map((name) => kit.vector(name).code));
  return codes.filter((code) => !shown.has(code));
}

test('every code of the verifier has a vector, and no vector has a code that is none', () => {
  assert.deepEqual(unshown(FINDING_CODES), []);
  assert.deepEqual(unshown([...FINDING_CODES, 'CODE_OF_TOMORROW']), ['CODE_OF_TOMORROW']);
  const known: readonly string[] = FINDING_CODES;
  const codes = names.flatMap((name) => kit.vector(name).code ?? []);
  assert.deepEqual(
    codes.filter((code) => !known.includes(code)),
    [],
  );
});

test('the bundles that the vectors build are those whose digests are committed', () => {
  const committed: unknown = JSON.parse(readFileSync(join(kitRoot(), 'digests.json'), 'utf8'));
  const built = Object.fromEntries(names.map((name) => [name, digestOf(kit.build(kit.vector(name)))]));
  assert.deepEqual(built, committed);
});

test('what the exporter makes of the same run is byte for byte what the builder makes', async () => {
  const shards = await Promise.all(
    SHARD_INDEXES.map((index) => exportShard(join(folder, `shard-${index}`), index)),
  );
  for (const [name, exported] of [
    ['accept-bundle-passing', await exportRun(join(folder, 'pass'), 'pass')],
    ['accept-bundle-failing', await exportRun(join(folder, 'fail'), 'fail')],
    ['accept-bundle-shard', shards[1] ?? ''],
    ['accept-bundle-merged', await exportMerged(folder, shards)],
  ] as const) {
    for (const [path, bytes] of kit.build(kit.vector(name)).files) {
      assert.deepEqual(readFileSync(join(exported, path)), bytes, `${name}: ${path}`);
    }
  }
});

for (const name of names) {
  test(name, async () => {
    const vector = kit.vector(name);
    const root = join(folder, name);
    writeVector(root, kit.build(vector));
    try {
      check(name, vector, await verifyBundle(root, toExpectations(vector, name)), root);
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
  const args = [verifier, root, '--json', ...toArguments(vector, name)];
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

function toExpectations(vector: Vector, name: string): Expectations {
  const { ask } = vector;
  const required = parseRequirements(ask.require ?? 'boundary');
  assert.ok('requirements' in required);
  const { replay } = kit.build(vector);
  return {
    candidateSha512: ask.candidate ?? null,
    nonce: ask.nonce ?? null,
    suites: ask.suite === undefined ? [] : [ask.suite],
    keyPem: ask.key === undefined ? null : toPem(ask.key),
    requirements: [
      ...(ask.require === undefined ? [] : required.requirements),
      ...(ask.replayedBy === undefined
        ? []
        : [{ kind: 'replayed-by' as const, value: publicPem(ask.replayedBy) }]),
    ],
    finishedAfter: ask.finishedAfter ?? null,
    ...(ask.archives === undefined ? {} : { archives: new DiskSource(writeArchives(ask.archives, name)) }),
    ...(replay === null ? {} : { replay }),
  };
}

function toArguments(vector: Vector, name: string): readonly string[] {
  const { key, finishedAfter, archives, replay, replayedBy, ...plain } = vector.ask;
  const args = Object.entries(plain).map(([option, value]) => `--${option}=${value}`);
  if (finishedAfter !== undefined) args.push(`--finished-after=${finishedAfter}`);
  if (archives !== undefined) args.push(`--archives=${writeArchives(archives, name)}`);
  if (key !== undefined) args.push(`--key=${write(`${name}.pub`, toPem(key))}`);
  if (replayedBy !== undefined) {
    args.push(`--require=replayed-by=${write(`${name}.auditor.pub`, publicPem(replayedBy))}`);
  }
  if (replay !== undefined) {
    args.push(`--replay=${write(`${name}.replay.json`, kit.build(vector).replay ?? '')}`);
  }
  return args;
}

function write(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
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
