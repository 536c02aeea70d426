// Bundles at the limits, for the benchmark: made by the builder of the vectors, and in order unless said otherwise.
import { createHash, randomFillSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bind,
  changeJson,
  list,
  sortedPaths,
  sum,
  toFiles,
} from '../dist/evidence-schema/testkit/builder/bundle.js';

const BASE = join(dirname(fileURLToPath(import.meta.url)), '../evidence-schema/testkit/base/passing.json');

/** An accepted bundle that embeds that many archives of that size, each of other bytes. */
export async function writeLargeBundle(folder, { count, sizeBytes }) {
  const files = toFiles(JSON.parse(await readFile(BASE, 'utf8')));
  const archives = [];
  await mkdir(join(folder, 'inputs/archives/sha256'), { recursive: true });
  const bytes = randomFillSync(Buffer.alloc(sizeBytes));
  for (let index = 0; index < count; index += 1) {
    bytes.writeUInt32LE(index);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(folder, 'inputs/archives/sha256', sha256), bytes);
    archives.push({ role: 'base', name: `library-${index}@1.0-1`, sizeBytes, sha256, sha512: null });
  }
  changeJson(files, 'inputs/manifest.json', (manifest) => ({
    ...manifest,
    archives: [...manifest.archives, ...archives],
  }));
  changeJson(files, 'statement-image.json', (statement) => addDependencies(statement, archives));
  list(files);
  const entries = archives.map((one) => ({
    path: `inputs/archives/sha256/${one.sha256}`,
    sizeBytes,
    sha256: one.sha256,
  }));
  changeJson(files, 'bundle.json', (index) => ({ ...index, files: byPath([...index.files, ...entries]) }));
  bind(files);
  sum(files);
  const sums = files.get('SHA256SUMS').toString('utf8').split('\n').slice(0, -1);
  const lines = byPath([...sums, ...entries.map(({ path, sha256 }) => `${sha256}  ${path}`)], (line) =>
    line.slice(66),
  );
  files.set('SHA256SUMS', Buffer.from(lines.map((line) => `${line}\n`).join('')));
  for (const path of sortedPaths(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), files.get(path));
  }
}

/** A bundle whose index lists a million files that are not there: as long as a hostile list gets. */
export async function writeEndlessList(folder, count) {
  const files = toFiles(JSON.parse(await readFile(BASE, 'utf8')));
  list(files);
  const sha256 = '0'.repeat(64);
  const absent = Array.from({ length: count }, (_, index) => ({
    path: `z/${index + 1e7}`,
    sha256,
    sizeBytes: 1,
  }));
  // Short digests would be another defect; the limit of a document is in bytes, so that not all may fit.
  changeJson(files, 'bundle.json', (index) => ({ ...index, files: [...index.files, ...absent] }));
  for (const path of sortedPaths(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), files.get(path));
  }
  return files.get('bundle.json').length;
}

function addDependencies(statement, archives) {
  const { predicate } = statement;
  const { buildDefinition } = predicate;
  const { resolvedDependencies } = buildDefinition;
  const added = archives.map(({ role, name, sha256 }) => {
    const [, library, version] = /^(.*)@(.*)$/.exec(name);
    const uri = `pkg:deb/debian/${library}@${version}?arch=amd64`;
    return { annotations: { role }, digest: { sha256 }, name, uri };
  });
  const all = [...resolvedDependencies.slice(0, -1), ...added, ...resolvedDependencies.slice(-1)];
  return {
    ...statement,
    predicate: { ...predicate, buildDefinition: { ...buildDefinition, resolvedDependencies: all } },
  };
}

function byPath(items, pathOf = ({ path }) => path) {
  return items.sort((a, b) => Buffer.compare(Buffer.from(pathOf(a)), Buffer.from(pathOf(b))));
}
