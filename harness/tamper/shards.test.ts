import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publicPem } from '../../evidence-schema/testkit/builder/signing.ts';
import { Kit, writeVector } from '../../evidence-schema/testkit/builder/vector.ts';
import { packageRoot } from '../document/assets.ts';
import { BaseBundle } from './base-bundle.ts';
import { TAMPER_KINDS } from './kinds.ts';
import { draftsOf } from './shard-drafts.ts';
import { tamperEvidence } from './tamper.ts';
import { openTrustedKey } from './trusted-key.ts';
import { VerifierProcess } from './verifier-process.ts';

const verifier = fileURLToPath(new URL('../verify/main.js', import.meta.url));
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-tamper-shards-'));
  const kit = new Kit(join(packageRoot(), 'evidence-schema', 'testkit'));
  writeVector(join(folder, 'merged-signed'), kit.build(kit.vector('accept-bundle-merged-signed')));
  await writeFile(join(folder, 'key.pub'), publicPem('vector'));
});

after(() => rm(folder, { recursive: true, force: true }));

test('of merged evidence no forgery is accepted that no list says, in shards and around them', async () => {
  const document = await tamperEvidence({
    evidence: join(folder, 'merged-signed'),
    verifier,
    key: join(folder, 'key.pub'),
    levels: ['b', 'c'],
    only: [],
    seed: '1',
    extent: 'short',
    budgetMs: null,
    signal: new AbortController().signal,
    say: () => undefined,
  });
  assert.deepEqual(document.accepted, []);
  assert.deepEqual([document.result, document.survivorsWithKey], ['held', 0]);
  assert.ok(document.survivors.some(({ document: told }) => told.startsWith('shards/*/')));
  assert.ok(document.given.includes('suite'));
});

/** Findings that say of a digest alone that it does not fit: a forger who recomputes all never meets one. */
const DIGESTS = [
  'FILE_DIGEST',
  'FILE_SIZE',
  'FILE_MISSING',
  'FILE_EXTRA',
  'SUMS_MISMATCH',
  'STATEMENT_BINDING',
  'SHARD_IDENTITY',
  'SIGNATURE_PAYLOAD',
];

/** Findings that say of the whole that it does not follow from its shards, or of a statement that its figures do not. */
const FIGURES = [
  'MERGE_FACT',
  'STATEMENT_TESTS',
  'STATEMENT_RESULT',
  'COUNTS_MISMATCH',
  'EXIT_CODE_MISMATCH',
];

test('a forgery in a shard is refused for what it says, and for no digest that was left', async () => {
  const bundle = BaseBundle.open(join(folder, 'merged-signed'));
  const judge = new VerifierProcess(verifier, ['--', bundle.folder]);
  const key = await openTrustedKey(bundle, join(folder, 'key.pub'));
  try {
    for (const [id, code] of [
      ['outcome-flipped-throughout', 'CHECK_RESULT'],
      ['teardown-step-dropped', 'TEARDOWN_ORDER'],
      ['sums-cut', 'SUMS_MISMATCH'],
    ] as const) {
      const kind = TAMPER_KINDS.find((one) => one.id === id);
      assert.ok(kind, id);
      const drafts = [...draftsOf(kind, bundle, key.keys)].filter(({ place }) => place.startsWith('shards/'));
      const answers = await Promise.all(drafts.map((draft) => judge.judge(draft.changes())));
      assert.ok(answers.length >= 2, id);
      const codes = answers.flatMap((answer) => answer.codes);
      assert.ok(codes.includes(code), `${id}: ${codes.join(' ')}`);
      if (!DIGESTS.includes(code))
        assert.deepEqual(
          codes.filter((one) => DIGESTS.includes(one) || FIGURES.includes(one)),
          [],
          id,
        );
    }
  } finally {
    await judge.close();
    await key.close();
  }
});

test('an envelope of a shard that is forged is refused by the demand for signed shards, and by nothing else', async () => {
  const bundle = BaseBundle.open(join(folder, 'merged-signed'));
  // A key made for this signs the whole again after each forgery, which the given key could not.
  const key = await openTrustedKey(bundle, null);
  const plain = new VerifierProcess(verifier, [`--key=${key.file}`, '--', bundle.folder]);
  const demanding = new VerifierProcess(verifier, [
    `--key=${key.file}`,
    '--require=shards-signed',
    '--',
    bundle.folder,
  ]);
  try {
    assert.deepEqual((await demanding.judge(key.signing)).codes, []);
    for (const [id, codes] of [
      ['signatures-stripped', []],
      ['all-resigned', []],
      ['signature-flipped', []],
      ['signature-zeroed', []],
      ['signature-stripped', ['SIGNATURE_PARTIAL']],
      ['claim-under-old-signature', ['SIGNATURE_PAYLOAD']],
    ] as const) {
      const kind = TAMPER_KINDS.find((one) => one.id === id);
      assert.ok(kind, id);
      const drafts = [...draftsOf(kind, bundle, key.keys)].filter(({ place }) => place.startsWith('shards/'));
      assert.equal(new Set(drafts.map(({ place }) => place.slice(0, 8))).size, 2, id);
      const changes = drafts[0]?.changes() ?? [];
      assert.deepEqual((await plain.judge(changes)).codes, codes, id);
      const demanded = await demanding.judge(changes);
      assert.deepEqual(demanded.codes, codes.length === 0 ? ['REQUIREMENT_UNMET'] : codes, id);
    }
  } finally {
    await Promise.all([plain.close(), demanding.close()]);
    await key.close();
  }
});
