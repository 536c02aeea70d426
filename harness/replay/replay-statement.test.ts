import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dsse } from '@sigstore/core';
import { Envelope } from '@sigstore/protobuf-specs';
import { toCanonicalBytes } from '../document/canonical.ts';
import { exportEvidence } from '../evidence/export.ts';
import { buildEnvelope, toSignedBytes } from '../evidence/signing/envelope.ts';
import { editAt } from '../evidence/testing/forge.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';
import { NOTHING_ASKED } from '../verify/testing/nothing-asked.ts';
import { type Expectations, verifyBundle } from '../verify/verify.ts';
import { compareBundles } from './compare-bundles.ts';
import { readRecordedRun } from './recorded-run.ts';
import type { ReplayDocument } from './replay-document.ts';
import { toReplayStatement } from './replay-statement.ts';
import { StoredBundle } from './stored-bundle.ts';

const auditor = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
let folder = '';
let evidence = '';
let document: ReplayDocument;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-replay-'));
  const first = await bundle('one', '20260102t030405z-0a0b0c');
  const second = await bundle('two', '20260102t030405z-0d0e0f');
  evidence = first.folder;
  const run = await readRecordedRun(first);
  document = await compareBundles({ run, recorded: first, replayed: second, durationMs: 5 });
});

after(() => rm(folder, { recursive: true, force: true }));

async function bundle(name: string, runId: string): Promise<StoredBundle> {
  const place = join(folder, name);
  const input = await sampleExport(place, [await sampleCase(join(place, 'spool'), 'help', 'pass')]);
  await exportEvidence({ ...input, report: { ...input.report, runId } });
  return StoredBundle.open(input.target);
}

function signed(statement: unknown, key: KeyObject = auditor.privateKey): Buffer {
  return buildEnvelope(toCanonicalBytes(statement), { key, keyId: 'a'.repeat(64) });
}

/** What the verifier says of a replay document when the auditor's key is asked for, or none. */
async function judge(
  replay: Buffer | null,
  key: KeyObject | null = auditor.publicKey,
): Promise<{ readonly findings: readonly string[]; readonly unchecked: readonly string[] }> {
  const value = key?.export({ type: 'spki', format: 'pem' }).toString() ?? '';
  const expectations: Expectations = {
    ...NOTHING_ASKED,
    requirements: key === null ? [] : [{ kind: 'replayed-by', value }],
    ...(replay === null ? {} : { replay }),
  };
  const { findings, unchecked } = await verifyBundle(evidence, expectations);
  return { findings: findings.map(({ code, path }) => `${code} ${path}`), unchecked };
}

/** keyid is compared last and must not decide, so that the test's own is the key's. */
function keyed(envelope: Buffer): Buffer {
  return toCanonicalBytes(
    editAt(JSON.parse(envelope.toString('utf8')), 'signatures[0].keyid', () => undefined),
  );
}

test('a replay that the auditor signed is what the requirement asks for', async () => {
  assert.equal(document.result, 'identical');
  const good = keyed(signed(toReplayStatement(document)));
  const { findings, unchecked } = await judge(good);
  assert.deepEqual(findings, []);
  assert.ok(!unchecked.some((words) => words.includes('needs a replay')));
  const keyless = await judge(good, null);
  assert.deepEqual(keyless.findings, []);
  assert.ok(keyless.unchecked.some((words) => words.includes('needs a replay')));
});

test('no document, a bare one, and one of another key are told apart', async () => {
  const statement = toReplayStatement(document);
  assert.deepEqual((await judge(null)).findings, ['REPLAY_MISSING --replay']);
  assert.deepEqual((await judge(toCanonicalBytes(statement))).findings, ['REPLAY_UNSIGNED --replay']);
  assert.deepEqual((await judge(toCanonicalBytes(statement), null)).findings, []);
  const other = keyed(signed(statement, stranger.privateKey));
  assert.deepEqual((await judge(other)).findings, ['REPLAY_SIGNATURE --replay.signatures[0].sig']);
  assert.deepEqual((await judge(Buffer.from('{}'))).findings, ['SIGNATURE_ENVELOPE --replay']);
  assert.deepEqual((await judge(Buffer.from('no'))).findings, ['DOCUMENT_NOT_JSON --replay']);
});

const PREDICATE = '--replay.predicate';
const ROWS: readonly (readonly [finding: string, place: string, value: unknown])[] = [
  ['REPLAY_OTHER_BUNDLE --replay.subject[0].digest.sha256', 'subject[0].digest.sha256', '0'.repeat(64)],
  ['REPLAY_SHAPE --replay.predicateType', 'predicateType', 'https://slsa.dev/provenance/v1'],
  [`REPLAY_SHAPE ${PREDICATE}.note`, 'predicate.note', ''],
  [`REPLAY_SHAPE ${PREDICATE}.result`, 'predicate.result', 'fine'],
  [
    `REPLAY_CONTRADICTS ${PREDICATE}.recorded.bundleSha256`,
    'predicate.recorded.bundleSha256',
    '0'.repeat(64),
  ],
  [`REPLAY_CONTRADICTS ${PREDICATE}.recorded.exitCode`, 'predicate.recorded.exitCode', 1],
  [`REPLAY_CONTRADICTS ${PREDICATE}.images[0].diffIds[0]`, 'predicate.images[0].diffIds[0]', '0'.repeat(64)],
  [`REPLAY_CONTRADICTS ${PREDICATE}.candidate.version`, 'predicate.candidate.version', '9.9.9'],
  [`REPLAY_CONTRADICTS ${PREDICATE}.counts.identical`, 'predicate.counts.identical', 2],
  [`REPLAY_CONTRADICTS ${PREDICATE}.result`, 'predicate.result', 'equivalent'],
  [`REPLAY_CONTRADICTS ${PREDICATE}.cases[0].result`, 'predicate.cases[0].result', 'equivalent'],
  [`REPLAY_CONTRADICTS ${PREDICATE}.cases`, 'predicate.cases[0].id', 'another@22.23.5'],
  [
    `REPLAY_CONTRADICTS ${PREDICATE}.cases[0].differences.volatile`,
    'predicate.cases[0].differences',
    [
      {
        kind: 'stream',
        decisive: false,
        volatile: 'nobody says so',
        where: 'main stdout',
        recorded: '',
        replayed: '',
        bytes: null,
      },
    ],
  ],
  [`REPLAY_CONTRADICTS ${PREDICATE}.result`, 'predicate.sameBoundary', false],
  [`REPLAY_DIFFERENT ${PREDICATE}.result`, 'predicate.result', 'different'],
];

for (const [finding, place, value] of ROWS) {
  test(`${finding}: signed all the same (${place})`, async () => {
    const changed = editAt(toReplayStatement(document), place, () => value);
    const { findings } = await judge(keyed(signed(changed)));
    assert.ok(findings.includes(finding), findings.join('\n'));
  });
}

test('a replay of a bundle by itself is none', async () => {
  const own = editAt(
    toReplayStatement(document),
    'predicate.replayed.bundleSha256',
    () => document.recorded.bundleSha256,
  );
  assert.deepEqual((await judge(keyed(signed(own)))).findings, [
    `REPLAY_CONTRADICTS ${PREDICATE}.replayed.bundleSha256`,
  ]);
});

test('another implementation reads the envelope of a replay and makes the same signed bytes', () => {
  const envelope = Envelope.fromJSON(JSON.parse(signed(toReplayStatement(document)).toString('utf8')));
  const theirs = dsse.preAuthEncoding(envelope.payloadType, envelope.payload);
  assert.deepEqual(theirs, toSignedBytes(envelope.payloadType, envelope.payload));
});
