import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exportEvidence } from '../evidence/export.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';
import { guardedRun } from '../evidence/testing/sample-guarded.ts';
import { KeptSource } from '../verify/files/kept-source.ts';
import { type Change as LaidChange, OverlaySource } from '../verify/files/overlay-source.ts';
import type { FileSource } from '../verify/files/source.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { type Verdict, verifySource, verifyToFirst } from '../verify/verify.ts';
import { BaseBundle } from './base-bundle.ts';
import type { Change } from './change.ts';
import { choose } from './choose.ts';
import { TAMPER_KINDS } from './kinds.ts';
import { openTrustedKey } from './trusted-key.ts';

// What a verifier that judges many changes keeps between them must never decide anything: each change is judged
// beside the others, and once more by a verifier that keeps nothing and proves every byte anew.

let folder = '';
let evidence = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-same-answers-'));
  const spool = join(folder, 'spool');
  const cases = [
    await sampleCase(spool, 'help', 'pass'),
    await sampleCase(spool, 'version', 'pass'),
    await sampleCase(spool, 'broken', 'fail'),
    await guardedRun(spool),
  ];
  const input = await sampleExport(folder, cases);
  await exportEvidence(input);
  evidence = input.target;
});

after(() => rm(folder, { recursive: true, force: true }));

function laid(changes: readonly Change[]): ReadonlyMap<string, LaidChange> {
  return new Map(
    changes.map((change): [string, LaidChange] => {
      if (change.kind !== 'file') return [change.path, change];
      const pieces = change.pieces.map((piece) =>
        piece.kind === 'bytes' ? { kind: piece.kind, bytes: Buffer.from(piece.base64, 'base64') } : piece,
      );
      return [change.path, { kind: 'file', pieces }];
    }),
  );
}

/** A source that promises nothing of what it holds. */
function forgetful(source: FileSource): FileSource {
  return {
    isFolder: () => source.isFolder(),
    entries: (path) => source.entries(path),
    open: (path) => source.open(path),
    has: (path) => source.has(path),
    identity: () => null,
    memory: () => null,
  };
}

type Answer = Omit<Verdict, 'findings'> & { readonly findings: readonly string[] };

async function answer(source: FileSource): Promise<Answer> {
  const { findings, ...verdict } = await verifySource(source, evidence, NOTHING_ASKED);
  return { ...verdict, findings: findings.map((finding) => JSON.stringify(finding)).sort() };
}

test('a change is judged beside others as it is judged alone, of every kind and of all', async () => {
  const bundle = BaseBundle.open(evidence);
  const key = await openTrustedKey(bundle, null);
  const kept = new KeptSource(evidence);
  const asItIs = await answer(new OverlaySource(kept, new Map()));
  let compared = 0;
  try {
    for (const kind of TAMPER_KINDS) {
      const about = { bundle, keys: key.keys, seed: '7', extent: 'short' } as const;
      for (const draft of choose(kind, about).drafts) {
        compared += 1;
        const source = new OverlaySource(kept, laid(draft.changes()));
        const beside = await answer(source);
        const alone = await answer(forgetful(source));
        assert.deepEqual(beside, alone, `${kind.id} at ${draft.place}`);
        const first = await verifyToFirst(source, evidence, NOTHING_ASKED);
        assert.equal(first.verdict, beside.verdict, `${kind.id} at ${draft.place}`);
        if (first.verdict === 'accepted') continue;
        assert.equal(first.findings.length, 1);
        assert.ok(
          beside.findings.includes(JSON.stringify(first.findings[0])),
          `${kind.id} at ${draft.place}`,
        );
      }
    }
  } finally {
    await key.close();
  }
  assert.ok(compared >= 200, `${compared} changes`);
  assert.deepEqual(await answer(new OverlaySource(kept, new Map())), asItIs);
});

test('the comparison sees what was kept too long', async () => {
  const bundle = BaseBundle.open(evidence);
  const kept = new KeptSource(evidence);
  await answer(new OverlaySource(kept, new Map()));
  const path = bundle.documents().find((one) => one.endsWith('/receipt.json')) ?? '';
  const source = new OverlaySource(kept, laid([{ path, kind: 'deleted' }]));
  // A source that stands by bytes which are no longer there.
  const lying: FileSource = {
    ...forgetful(source),
    memory: () => kept.memory(),
    identity: (one) => kept.identity(one),
  };
  assert.notDeepEqual(await answer(lying), await answer(forgetful(source)));
});
