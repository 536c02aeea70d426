// Bundles at the limits, for the benchmark: made by the builder of the vectors, and in order unless said otherwise.
import { createHash, randomFillSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bind,
  changeJson,
  encode,
  list,
  sortedPaths,
  sum,
  toFiles,
} from '../dist/evidence-schema/testkit/builder/bundle.js';

/** The case of the base that all are copies of; its transcript has one line. */
const CASE = 'cases/help@22.23.5';
const BASE = join(dirname(fileURLToPath(import.meta.url)), '../evidence-schema/testkit/base/passing.json');

/** An accepted bundle of that many cases, each of which printed that much, and no two the same. */
export async function writeLargeBundle(folder, { count, sizeBytes }) {
  const files = toFiles({ ...JSON.parse(await readFile(BASE, 'utf8')), shards: [] });
  const read = (path) => JSON.parse(files.get(path).toString('utf8'));
  const pattern = read('inputs/suites/smoke/suite.json').cases[0];
  const receipt = read(`${CASE}/receipt.json`);
  const line = read(`${CASE}/transcript.ndjson`);
  const ids = Array.from({ length: count }, (_, index) => `large-${String(index).padStart(3, '0')}`);
  for (const path of sortedPaths(files)) if (path.startsWith('cases/')) files.delete(path);
  const bytes = randomFillSync(Buffer.alloc(sizeBytes));
  const outputs = [];
  for (const [index, id] of ids.entries()) {
    bytes.writeUInt32LE(index);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const place = `cases/${id}@${receipt.node}`;
    const path = `${place}/steps/1-main/stdout`;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
    outputs.push({ path, sizeBytes, sha256 });
    files.set(`${place}/steps/1-main/stderr`, Buffer.alloc(0));
    files.set(`${place}/files.ndjson`, Buffer.alloc(0));
    files.set(`${place}/transcript.ndjson`, Buffer.from(`${encode({ ...line, sizeBytes })}\n`));
    files.set(`${place}/receipt.json`, encode(toReceipt(receipt, { id, sizeBytes, sha256 })));
  }
  changeJson(files, 'inputs/suites/smoke/suite.json', (suite) => ({
    ...suite,
    cases: ids.map((id) => toCase(pattern, id)),
  }));
  changeJson(files, 'report.json', (report) => ({
    ...report,
    counts: { ...report.counts, pass: count },
    declared: count,
    executed: count,
    suites: report.suites.map((suite) => ({ ...suite, caseClaims: [] })),
  }));
  changeJson(files, 'statement.json', (statement) => ({
    ...statement,
    predicate: {
      ...statement.predicate,
      passedTests: ids.map((id) => `${id}@${receipt.node}`),
      declaredTests: count,
      selectedTests: count,
      executedTests: count,
      caseClaims: [],
    },
  }));
  list(files);
  changeJson(files, 'bundle.json', (index) => ({ ...index, files: byPath([...index.files, ...outputs]) }));
  bind(files);
  sum(files);
  const sums = files.get('SHA256SUMS').toString('utf8').split('\n').slice(0, -1);
  const lines = byPath([...sums, ...outputs.map(({ path, sha256 }) => `${sha256}  ${path}`)], (one) =>
    one.slice(66),
  );
  files.set('SHA256SUMS', Buffer.from(lines.map((one) => `${one}\n`).join('')));
  for (const path of sortedPaths(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), files.get(path));
  }
}

/** One step that printed all of it. */
function toReceipt(receipt, { id, sizeBytes, sha256 }) {
  const [attempt] = receipt.attempts;
  const [step] = attempt.steps;
  const digests = { totalBytes: sizeBytes, keptBytes: sizeBytes, totalSha256: sha256, keptSha256: sha256 };
  const steps = [{ ...step, stdout: { ...step.stdout, ...digests } }];
  return { ...receipt, caseId: id, attempts: [{ ...attempt, boxId: `box-${id}`, steps }] };
}

/** Whose check asks for no more than that something was printed. */
function toCase(pattern, id) {
  const [check] = pattern.checks;
  const expect = { kind: 'stream-size', of: check.expect.of, minBytes: 1, maxBytes: null };
  return { ...pattern, id, checks: [{ ...check, expect }] };
}

/** A bundle whose index lists a million files that are not there: as long as a hostile list gets. */
export async function writeEndlessList(folder, count) {
  const files = toFiles({ ...JSON.parse(await readFile(BASE, 'utf8')), shards: [] });
  list(files);
  const sha256 = '0'.repeat(64);
  const absent = Array.from({ length: count }, (_, index) => ({
    path: `z/${index + 1e7}`,
    sha256,
    sizeBytes: 1,
  }));
  changeJson(files, 'bundle.json', (index) => ({ ...index, files: [...index.files, ...absent] }));
  for (const path of sortedPaths(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), files.get(path));
  }
  return files.get('bundle.json').length;
}

function byPath(items, pathOf = ({ path }) => path) {
  return items.sort((a, b) => Buffer.compare(Buffer.from(pathOf(a)), Buffer.from(pathOf(b))));
}
