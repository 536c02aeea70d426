import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileOf, type LayerEntry } from '../image/layer-entry.ts';
import { planLayer } from '../image/layer-plan.ts';
import { writeLayer } from '../image/tar-writer.ts';
import type { ArchiveFile, CandidateArchive } from '../verify/inputs/candidate-archive.ts';
import { layerDigest } from '../verify/rebuild/layer-form.ts';
import { compareTree, type TreePackage } from '../verify/rebuild/tree.ts';
import type { InventoryLine } from '../verify/shape/inputs.ts';

// Two writers of one form, kept apart on purpose: whatever entries a layer has, both give it the same digest.

const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', 'é', '漢'), minLength: 1, maxLength: 70 });
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
const entry = fc.oneof(
  fc.record({ path, bytes: fc.uint8Array({ maxLength: 1100 }), mode: fc.constantFrom(0o644, 0o755) }),
  fc.record({ path, target: path }),
);

test('both writers of layers give the same digest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packproof-layers-'));
  let count = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 12 }), async (drafts) => {
        const entries = planOf(drafts);
        fc.pre(entries !== null);
        count += 1;
        const written = await writeLayer(join(folder, String(count)), entries);
        const contents = new Map(entries.flatMap((one) => (one.kind === 'file' ? [contentOf(one)] : [])));
        const lines = written.inventory.map(toLine);
        const find = ({ sha256 }: InventoryLine): Buffer | null => contents.get(sha256 ?? '') ?? null;
        assert.equal(await layerDigest(lines, find), written.diffId);
        const [first, ...rest] = lines;
        assert.ok(first !== undefined);
        assert.notEqual(await layerDigest(rest, find), written.diffId);
      }),
      { numRuns: 200 },
    );
    assert.ok(count >= 200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Null for what no layer can hold, such as a file below a file. */
function planOf(
  drafts: readonly (
    | { readonly path: string; readonly bytes: Uint8Array; readonly mode: number }
    | { readonly path: string; readonly target: string }
  )[],
): readonly LayerEntry[] | null {
  const unique = new Map(drafts.map((draft) => [draft.path, draft]));
  const isBelow = [...unique.keys()].some((one) =>
    [...unique.keys()].some((other) => other.startsWith(`${one}/`)),
  );
  if (isBelow) return null;
  const entries = [...unique.values()].map(
    (draft): LayerEntry =>
      'bytes' in draft
        ? fileOf(draft.path, draft.bytes, draft.mode)
        : { kind: 'symlink', path: draft.path, target: draft.target },
  );
  return planLayer(entries, { prefix: null, fault: 'infrastructure' });
}

function contentOf(one: LayerEntry): readonly [string, Buffer] {
  assert.ok(one.kind === 'file' && one.content instanceof Uint8Array);
  const bytes = Buffer.from(one.content);
  return [createHash('sha256').update(bytes).digest('hex'), bytes];
}

function toLine(file: {
  readonly path: string;
  readonly kind: string;
  readonly mode: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly target: string | null;
}): InventoryLine {
  return file as InventoryLine;
}

const SHA = (digit: string): string => digit.repeat(64);

function archiveOf(files: Readonly<Record<string, string>>): CandidateArchive {
  const entries = Object.entries(files).map(
    ([at, sha256]): ArchiveFile => ({
      path: `package/${at}`,
      kind: 'file',
      mode: 0o644,
      sizeBytes: 1,
      isHardLink: false,
      linkTarget: '',
      sha256,
      unixForm: null,
    }),
  );
  return { entries, packageJson: Buffer.from('{}'), fault: null, unpackedBytes: 0 };
}

function fileLine(at: string, sha256: string, mode = '0644'): InventoryLine {
  return { path: `opt/candidate/${at}`, kind: 'file', mode, sizeBytes: 1, sha256, target: null };
}

function linkLine(at: string, target: string): InventoryLine {
  return { path: `opt/candidate/${at}`, kind: 'symlink', mode: '0777', sizeBytes: 0, sha256: null, target };
}

const PACKAGES: readonly TreePackage[] = [
  { place: 'node_modules/a', entry: { bin: { tool: 'cli.js' } }, archive: archiveOf({ 'cli.js': SHA('a') }) },
  {
    place: 'node_modules/b',
    entry: { bin: { tool: 'cli.js' } },
    archive: archiveOf({ 'cli.js': SHA('b'), '.gitignore': SHA('c'), 'node_modules/in/x.js': SHA('d') }),
  },
  { place: 'node_modules/b/node_modules/in', entry: { bin: { inner: 'x.js' } }, archive: null },
];
const TREE: readonly InventoryLine[] = [
  linkLine('node_modules/.bin/tool', '../a/cli.js'),
  fileLine('node_modules/a/cli.js', SHA('a'), '0755'),
  fileLine('node_modules/b/.npmignore', SHA('c')),
  fileLine('node_modules/b/cli.js', SHA('b')),
  linkLine('node_modules/b/node_modules/.bin/inner', '../in/x.js'),
  fileLine('node_modules/b/node_modules/in/x.js', SHA('d'), '0755'),
];

test('a tree that the archives of its packages explain has no differences', () => {
  assert.deepEqual(compareTree(PACKAGES, TREE), []);
});

test('what no archive of the tree explains is told, both ways', () => {
  const told = (lines: readonly InventoryLine[]): readonly string[] =>
    compareTree(PACKAGES, lines).map(({ path }) => path);
  assert.deepEqual(told(TREE.slice(0, 3).concat(TREE.slice(4))), ['node_modules/b/cli.js']);
  assert.deepEqual(told([...TREE, fileLine('node_modules/b/evil.js', SHA('e'))]), ['node_modules/b/evil.js']);
  const changed = TREE.map((line) => (line.sha256 === SHA('d') ? { ...line, sha256: SHA('e') } : line));
  assert.deepEqual(told(changed as readonly InventoryLine[]), ['node_modules/b/node_modules/in/x.js']);
  const relinked = TREE.map((line) => (line.kind === 'symlink' ? { ...line, target: '/work/evil' } : line));
  assert.deepEqual(told(relinked), ['node_modules/.bin/tool', 'node_modules/b/node_modules/.bin/inner']);
});
