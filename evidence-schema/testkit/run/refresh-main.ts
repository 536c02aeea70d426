// Writes base/*.json from what the exporter makes of the sample evidence today, and digests.json from the vectors.
// Run it after a change of the format: npm run vectors. The kit's builder itself knows nothing of the exporter.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportEvidence } from '../../../harness/evidence/export.ts';
import { sampleCase, sampleExport } from '../../../harness/evidence/testing/sample-evidence.ts';
import type { Base, KeptFile } from '../builder/bundle.ts';
import type { Json } from '../builder/canonical.ts';
import { digestOf, Kit } from '../builder/vector.ts';
import { kitRoot } from './kit-root.ts';

const DERIVED = ['bundle.json', 'SHA256SUMS'];

async function keep(folder: string): Promise<Base> {
  const files: Record<string, KeptFile> = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (!DERIVED.includes(path)) files[path] = toKept(path, await readFile(join(folder, path)));
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

async function writeExamples(files: Base['files']): Promise<void> {
  for (const [name, pattern] of EXAMPLES) {
    const path = Object.keys(files).find((one) => pattern.test(one)) ?? '';
    const file = files[path];
    if (file === undefined) throw new Error(`the sample has no ${name}`);
    const value = 'json' in file ? file.json : 'lines' in file ? file.lines[0] : null;
    const target = join(kitRoot(), '..', 'examples', `${name}.json`);
    await writeFile(target, `${JSON.stringify(value, null, 2)}\n`);
  }
}

async function writeBase(name: string, outcome: 'pass' | 'fail'): Promise<Base['files']> {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-kit-'));
  try {
    const spool = join(folder, 'spool');
    const cases = [await sampleCase(spool, 'help', outcome), await sampleCase(spool, 'version', 'pass')];
    const input = await sampleExport(folder, cases);
    await exportEvidence(input);
    const base = await keep(input.target);
    const files = Object.fromEntries(
      Object.entries(base.files).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
    await writeFile(
      join(kitRoot(), 'base', `${name}.json`),
      `${JSON.stringify({ ...base, files }, null, 1)}\n`,
    );
    return base.files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await writeExamples(await writeBase('passing', 'pass'));
await writeBase('failing', 'fail');
const kit = new Kit(kitRoot());
const digests = Object.fromEntries(kit.names().map((name) => [name, digestOf(kit.build(kit.vector(name)))]));
await writeFile(join(kitRoot(), 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`);
