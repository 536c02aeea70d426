import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { type Verdict, verifyBundle } from '../verify/verify.ts';
import { exportEvidence } from './export.ts';
import { reseal } from './testing/forge.ts';
import { sampleCase, sampleExport } from './testing/sample-evidence.ts';

/** Mutated bundles of one run of this test; the bench asks for more. */
const RUNS = Number(process.argv[2] ?? 150);
/** Fixed, so that a red run can be repeated. */
const SEED = 20_260_105;

let folder = '';
let evidence = '';
let files: readonly string[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-fuzz-'));
  const input = await sampleExport(folder, [await sampleCase(join(folder, 'spool'), 'help', 'pass')]);
  await exportEvidence(input);
  evidence = input.target;
  files = readdirSync(evidence, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(evidence.length + 1))
    .sort();
});

after(() => rm(folder, { recursive: true, force: true }));

async function verify(root: string): Promise<Verdict> {
  return verifyBundle(root, NOTHING_ASKED);
}

/** Values that break what expects another kind. */
const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    '',
    [],
    {},
    [[]],
    { kind: 'file' },
    '\ud7ff',
    'x'.repeat(5000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Every place of a document, so that any of them can be the one that changes. */
function placesOf(
  value: unknown,
  place: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  return [place, ...entries.flatMap(([key, item]) => placesOf(item, [...place, key]))];
}

function replaceAt(value: unknown, place: readonly (string | number)[], put: unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return put;
  const copy: object = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy, key, replaceAt(Reflect.get(copy, key), rest, put));
  return copy;
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(Reflect.get(value, key))}`).join(',')}}`;
}

function digestOf(root: string): string {
  const hash = createHash('sha256');
  for (const path of files) hash.update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

test(`${RUNS} bundles with one member changed to anything, all digests recomputed, end in a verdict`, async () => {
  let rejected = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), hostileValue, async (which, where, value) => {
      const root = join(folder, 'one');
      cpSync(evidence, root, { recursive: true });
      try {
        const documents = files.filter((path) => path.endsWith('json') && path !== 'bundle.json');
        const path = documents[which % documents.length] ?? '';
        const text = readFileSync(join(root, path), 'utf8');
        const lines = path.endsWith('.ndjson') ? text.split('\n').slice(0, -1) : [text];
        const line = lines.length === 0 ? 0 : where % lines.length;
        const document: unknown = JSON.parse(lines[line] ?? '{}');
        const places = placesOf(document);
        lines[line] = canonical(replaceAt(document, places[where % places.length] ?? [], value));
        writeFileSync(
          join(root, path),
          path.endsWith('.ndjson') ? `${lines.join('\n')}\n` : (lines[0] ?? ''),
        );
        const unchanged = readFileSync(join(root, path), 'utf8') === text;
        await reseal(root).catch(() => undefined);
        const verdict = await verify(root);
        if (verdict.verdict === 'rejected') {
          rejected += 1;
          assert.ok(verdict.findings.length > 0);
          assert.equal(verdict.runExitCode, null);
        } else assert.ok(unchanged || typeof value !== 'undefined');
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // Prose and free numbers may take another value; nearly everything else contradicts something.
  assert.ok(rejected > RUNS * 0.8, `${rejected} of ${RUNS} rejected`);
});

test(`${RUNS} bundles with bytes changed anywhere are rejected`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.constantFrom('flip', 'cut', 'add', 'drop', 'nest'),
      async (which, where, how) => {
        const root = join(folder, 'two');
        cpSync(evidence, root, { recursive: true });
        try {
          const path = files[which % files.length] ?? '';
          const bytes = readFileSync(join(root, path));
          const at = bytes.length === 0 ? 0 : where % bytes.length;
          const changed = Buffer.from(bytes);
          if (how === 'flip' && bytes.length > 0) changed[at] = (changed[at] ?? 0) ^ (1 << (where % 8));
          if (how === 'drop') rmSync(join(root, path));
          else if (how === 'cut')
            writeFileSync(join(root, path), bytes.length > 0 ? bytes.subarray(0, at) : 'x');
          else if (how === 'nest') writeFileSync(join(root, path), '[{"a":'.repeat(50_000));
          else if (how === 'add' || bytes.length === 0)
            writeFileSync(join(root, path), Buffer.concat([bytes, Buffer.from([where % 256])]));
          else writeFileSync(join(root, path), changed);
          const verdict = await verify(root);
          assert.equal(verdict.verdict, 'rejected', `${how} ${path} ${at}`);
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  assert.equal(digestOf(evidence).length, 64);
});

test('a document nested a hundred thousand deep ends in a verdict', async () => {
  const root = join(folder, 'deep');
  cpSync(evidence, root, { recursive: true });
  for (const path of [
    'report.json',
    'inputs/suites/smoke/suite.json',
    'inputs/audit.json',
    'statement.json',
  ]) {
    writeFileSync(join(root, path), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
  }
  await reseal(root).catch(() => undefined);
  assert.equal((await verify(root)).verdict, 'rejected');
});

test('a list of fifty thousand files that are not there gives a bounded verdict', async () => {
  const root = join(folder, 'many');
  cpSync(evidence, root, { recursive: true });
  const index: { files: unknown[] } = JSON.parse(readFileSync(join(root, 'bundle.json'), 'utf8'));
  const sha256 = '0'.repeat(64);
  const many = Array.from({ length: 50_000 }, (_, number) => ({
    path: `z/${String(number).padStart(7, '0')}`,
    sha256,
    sizeBytes: 1,
  }));
  writeFileSync(join(root, 'bundle.json'), canonical({ ...index, files: [...index.files, ...many] }));
  const verdict = await verify(root);
  assert.equal(verdict.verdict, 'rejected');
  assert.equal(verdict.findings.length, 2001);
  assert.equal(verdict.findings.at(-1)?.code, 'FINDINGS_OMITTED');
});

test('a folder nested beyond the limit is not walked to its end', async () => {
  const root = join(folder, 'nested');
  cpSync(evidence, root, { recursive: true });
  mkdirSync(join(root, 'd/'.repeat(40)), { recursive: true });
  const verdict = await verify(root);
  assert.ok(verdict.findings.some(({ code }) => code === 'LIMIT_EXCEEDED'));
});
