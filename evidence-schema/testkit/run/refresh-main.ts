// Writes base/*.json from what packproof makes of the sample evidence today, and digests.json from the vectors.
// Run it after a change of the format: npm run vectors. The kit's builder itself knows nothing of the exporter.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeptFile, StoredBase } from '../builder/bundle.ts';
import type { Json } from '../builder/canonical.ts';
import { digestOf, Kit } from '../builder/vector.ts';
import { kitRoot } from './kit-root.ts';
import { exportMerged, exportRun, exportShard, SHARD_INDEXES, stateReplay } from './sample-bundles.ts';

const DERIVED = ['bundle.json', 'SHA256SUMS'];
/** Shards of a merged bundle are bases of their own. */
const IN_SHARD = /^shards\//;

async function keep(folder: string): Promise<StoredBase> {
  const files: Record<string, KeptFile> = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (!DERIVED.includes(path) && !IN_SHARD.test(path))
      files[path] = toKept(path, await readFile(join(folder, path)));
  }
  const index: { runId: string; nonce: string | null } = JSON.parse(
    await readFile(join(folder, 'bundle.json'), 'utf8'),
  );
  return { runId: index.runId, nonce: index.nonce, files };
}

function toKept(path: string, bytes: Buffer): KeptFile {
  const text = bytes.toString('utf8');
  if (path.endsWith('.json')) return { json: JSON.parse(text) };
  if (path.endsWith('.ndjson')) {
    return {
      lines: text
        .split('\n')
        .slice(0, -1)
        .map((line): Json => JSON.parse(line)),
    };
  }
  return path.endsWith('.tgz') ? { base64: bytes.toString('base64') } : { text };
}

/** Examples of the README that are documents of the sample. */
const EXAMPLES: readonly (readonly [name: string, file: RegExp])[] = [
  ['report', /^report\.json$/],
  ['manifest', /^inputs\/manifest\.json$/],
  ['audit', /^inputs\/audit\.json$/],
  ['compiled-suite', /\/suite\.json$/],
  ['image-config', /^image\/config\.json$/],
  ['image-readback', /\/?readback\.json$/],
  ['boundary-declared', /\/declared\.json$/],
  ['boundary-engine', /\/engine\.json$/],
  ['boundary-measured', /\/measured\.json$/],
  ['boundary-outside', /\/outside\//],
  ['receipt', /\/receipt\.json$/],
  ['transcript-line', /\/transcript\.ndjson$/],
];

async function writeExamples({ files }: StoredBase): Promise<void> {
  for (const [name, pattern] of EXAMPLES) {
    const path = Object.keys(files).find((one) => pattern.test(one)) ?? '';
    const file = files[path];
    if (file === undefined) throw new Error(`the sample has no ${name}`);
    const value = 'json' in file ? file.json : 'lines' in file ? file.lines[0] : null;
    await writeFile(join(kitRoot(), '..', 'examples', `${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
  }
}

async function writeBase(name: string, { files, ...base }: StoredBase): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)));
  await writeFile(
    join(kitRoot(), 'base', `${name}.json`),
    `${JSON.stringify({ ...base, files: sorted }, null, 1)}\n`,
  );
}

/** A file that the other base has too is kept there alone. */
function beside(base: StoredBase, other: { readonly name: string; readonly base: StoredBase }): StoredBase {
  const files = Object.entries(base.files).map(([path, file]) => {
    const isSame = JSON.stringify(file) === JSON.stringify(other.base.files[path]);
    return [path, isSame ? { of: other.name } : file] as const;
  });
  return { ...base, files: Object.fromEntries(files) };
}

async function writeBases(folder: string): Promise<void> {
  const recorded = await exportRun(join(folder, 'pass'), 'pass');
  const passing = await keep(recorded);
  await writeExamples(passing);
  await writeBase('passing', passing);
  await writeBase('failing', await keep(await exportRun(join(folder, 'fail'), 'fail')));
  const shards: string[] = [];
  for (const index of SHARD_INDEXES) {
    const shard = await exportShard(join(folder, `shard-${index}`), index);
    await writeBase(`shard-${index}`, beside(await keep(shard), { name: 'passing', base: passing }));
    shards.push(shard);
  }
  const merged = await keep(await exportMerged(folder, shards));
  await writeBase('merged', { ...merged, shards: SHARD_INDEXES.map((index) => `shard-${index}`) });
  const replayed = await exportRun(join(folder, 'again'), 'pass', '20260102t030405z-0d0e0f');
  const statement = await stateReplay(recorded, replayed);
  await writeFile(join(kitRoot(), 'base', 'replay.json'), `${JSON.stringify(statement, null, 1)}\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'packproof-kit-'));
try {
  await writeBases(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
const kit = new Kit(kitRoot());
const digests = Object.fromEntries(kit.names().map((name) => [name, digestOf(kit.build(kit.vector(name)))]));
await writeFile(join(kitRoot(), 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`);
