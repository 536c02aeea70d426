import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toCanonicalBytes } from '../document/canonical.ts';
import { exportEvidence } from '../evidence/export.ts';
import { generateKey, readSigningKey } from '../evidence/signing/key.ts';
import { readStatements, signEvidence } from '../evidence/signing/sign.ts';
import { limitCase } from '../evidence/testing/sample-boundary.ts';
import { sampleCase, sampleExport } from '../evidence/testing/sample-evidence.ts';
import { GUARDED, guardedRun } from '../evidence/testing/sample-guarded.ts';
import { sampleImage } from '../evidence/testing/sample-image.ts';
import { sampleArchives } from '../evidence/testing/sample-inputs.ts';
import type { CaseRun } from '../run/result.ts';
import type { CompiledSuite } from '../suite/compiled.ts';
import { BaseBundle } from './base-bundle.ts';
import { choose, requireMutation } from './choose.ts';
import { TamperError } from './errors.ts';
import { BOUNDARY_KINDS } from './forged/boundary-kinds.ts';
import { CONTROL_KINDS } from './forged/control-kinds.ts';
import { KEPT_KINDS } from './forged/kept-kinds.ts';
import { forge } from './forgery.ts';
import type { Kind } from './kind.ts';
import { TAMPER_KINDS } from './kinds.ts';
import { tamperEvidence } from './tamper.ts';
import type { TamperRequest } from './tamper-request.ts';
import { openTrustedKey } from './trusted-key.ts';
import { VerifierProcess } from './verifier-process.ts';

const verifier = fileURLToPath(new URL('../verify/main.js', import.meta.url));

let folder = '';
let evidence = '';
let signed = '';
let publicKey = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-tamper-test-'));
  const spool = join(folder, 'spool');
  const cases = [
    await sampleCase(spool, 'help', 'pass'),
    await sampleCase(spool, 'version', 'pass'),
    await sampleCase(spool, 'broken', 'fail'),
    await sampleCase(spool, 'bad', 'fail'),
    await guardedRun(spool),
  ];
  const limits = [{ name: 'pids', value: 40 }] as const;
  const input = limitCase(await sampleExport(folder, cases), GUARDED, limits);
  await exportEvidence(input);
  evidence = input.target;
  signed = join(folder, 'signed');
  await cp(evidence, signed, { recursive: true });
  const files = await generateKey(join(folder, 'key'));
  publicKey = files.publicFile;
  await signEvidence(signed, await readStatements(signed), await readSigningKey(files.privateFile));
});

after(() => rm(folder, { recursive: true, force: true }));

function request(change: Partial<TamperRequest> = {}): TamperRequest {
  return {
    evidence,
    verifier,
    key: null,
    levels: ['a', 'b', 'c'],
    only: [],
    seed: '1',
    extent: 'whole',
    budgetMs: null,
    signal: new AbortController().signal,
    say: () => undefined,
    ...change,
  };
}

async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) hash.update(path).update(await readFile(path));
  return hash.digest('hex');
}

async function program(name: string, body: string): Promise<string> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, body);
  await chmod(path, 0o755);
  return path;
}

test('nothing that must be rejected is accepted, and nothing is written', async () => {
  const digest = await digestOf(evidence);
  const document = await tamperEvidence(request({ extent: 'short' }));
  assert.deepEqual(document.accepted, []);
  assert.deepEqual([document.result, document.exitCode, document.survivorsWithKey], ['held', 0, 0]);
  const exercised = document.kinds.filter(({ state }) => state === 'exercised');
  assert.ok(exercised.length >= 100, `${exercised.length} kinds`);
  assert.ok(document.mutations >= 200, `${document.mutations} changes`);
  assert.ok(document.survivors.length > 0);
  assert.equal(
    document.rejected + document.survivors.reduce((sum, one) => sum + one.mutations, 0),
    document.mutations,
  );
  assert.equal(await digestOf(evidence), digest);
});

test('signed evidence with its key: nothing of level b survives the key, all of level c is rejected', async () => {
  const document = await tamperEvidence(
    request({ evidence: signed, key: publicKey, levels: ['b', 'c'], extent: 'short' }),
  );
  assert.deepEqual(document.accepted, []);
  assert.equal(document.key?.origin, 'given');
  assert.ok(document.kinds.some(({ kind, state }) => kind === 'resigned' && state === 'exercised'));
  assert.ok(
    document.kinds.some(
      ({ kind, state }) => kind === 'own-signature-of-another' && state === 'not-exercised',
    ),
  );
  assert.equal(document.survivorsWithKey, 0);
});

test('of evidence of two Node versions no more is free, and where a case stands cannot be changed', async () => {
  const document = await tamperEvidence(
    request({
      evidence: await exportOfTwoVersions(join(folder, 'two-versions')),
      levels: ['b'],
      only: ['value-nudged', 'value-reworded'],
    }),
  );
  assert.deepEqual([document.accepted, document.result], [[], 'held']);
  assert.ok(document.survivors.some(({ document: told }) => told.startsWith('image/node-*/')));
});

/** One case on one of the two versions, and one that stands where the run has no version of its own. */
async function exportOfTwoVersions(place: string): Promise<string> {
  const ran = await sampleCase(join(place, 'spool'), 'help', 'pass');
  const never: CaseRun = {
    ...ran,
    caseId: 'never',
    attempts: [],
    checks: [],
    outcome: 'unsupported',
    reason: 'no-node-version',
  };
  const input = await sampleExport(place, [ran, never]);
  const ranges = [[{ from: '22.0.0', below: '23.0.0' }], [{ from: '24.0.0', below: null }]];
  const suites = input.suites.map((suite) => {
    const compiled: CompiledSuite = JSON.parse(Buffer.from(suite.bytes).toString('utf8'));
    const cases = compiled.cases.map((one, index) => ({ ...one, node: ranges[index] }));
    return { ...suite, bytes: toCanonicalBytes({ ...compiled, cases }) };
  });
  const report = { ...input.report, nodeVersions: ['22.23.5', '20.20.2'], executed: 1 };
  const images = [...input.images, sampleImage('20.20.2', join(place, 'inventory.ndjson'))];
  const runtimes = sampleArchives(place, '20.20.2').filter(({ role }) => role === 'runtime');
  const archives = input.archives.flatMap((one) => (one.role === 'runtime' ? [one, ...runtimes] : [one]));
  await exportEvidence({ ...input, suites, report, images, archives });
  return input.target;
}

test('of controls, kept files and limits of cases nothing is accepted but what only a replay shows', async () => {
  const kinds = [...CONTROL_KINDS, ...KEPT_KINDS, ...BOUNDARY_KINDS];
  const only = kinds.map(({ id }) => id);
  const document = await tamperEvidence(request({ evidence: signed, key: publicKey, levels: ['b'], only }));
  assert.deepEqual(document.accepted, []);
  assert.equal(document.survivorsWithKey, 0);
  assert.deepEqual(
    document.kinds.filter(({ state }) => state !== 'exercised').map(({ kind }) => kind),
    [],
  );
  const ofTheseDocuments = document.survivors.filter(({ document: told }) => !told.startsWith('boundary/'));
  assert.deepEqual(
    ofTheseDocuments.map(({ document: told, field, kinds: by }) => [told, field, ...by]),
    [
      ['cases/*/controls.ndjson', '[].sha256', 'control-left-exchanged'],
      ['cases/*/files.ndjson', '', 'kept-file-unlisted'],
      ['cases/*/files.ndjson', '[].sha256', 'kept-file-changed'],
    ],
  );
  // Whoever loosens the limits of a case, in however many places, is found out.
  assert.ok(
    document.survivors.every(({ field }) => !/limits (?:dropped|doubled)|values doubled/.test(field)),
  );
});

test('the same seed chooses the same changes', async () => {
  const bundle = BaseBundle.open(evidence);
  const keys = {
    own: null,
    stranger: { keyId: '', sign: () => Buffer.alloc(0) },
    envelopes: new Map<string, Buffer>(),
    shards: new Map(),
  };
  const places = (seed: string): readonly string[] =>
    TAMPER_KINDS.filter(({ level }) => level !== 'c').flatMap((kind) =>
      choose(kind, { bundle, keys, seed, extent: 'short' }).drafts.map(({ place }) => place),
    );
  assert.deepEqual(places('1'), places('1'));
  assert.notDeepEqual(places('1'), places('2'));
});

test('a verifier that accepts everything breaks every level', async () => {
  const lax = await program(
    'lax',
    `let rest='';process.stdin.on('data',(d)=>{const lines=(rest+d).split('\\n');rest=lines.pop();
     for(const line of lines)process.stdout.write(JSON.stringify({id:JSON.parse(line).id,verdict:{verdict:'accepted',findings:[]}})+'\\n')})`,
  );
  for (const only of ['byte-appended', 'outcome-flipped', 'resigned']) {
    const document = await tamperEvidence(request({ verifier: lax, only: [only] }));
    assert.deepEqual([document.result, document.exitCode, document.rejected], ['broken', 4, 0]);
    assert.equal(document.accepted.length, document.mutations);
  }
});

const WEAKENED: readonly (readonly [code: string, kind: string])[] = [
  ['FILE_EXTRA', 'file-added'],
  ['FILE_NOT_REGULAR', 'link-added'],
  ['FOLDER_EXTRA', 'empty-folder-added'],
  ['DOCUMENT_DUPLICATE_KEY', 'member-twice'],
  ['FORMAT_UNKNOWN', 'format-downgraded'],
  ['SUMS_MISMATCH', 'sums-cut'],
  ['STATEMENT_BINDING', 'binding-dropped'],
  ['BOUNDARY_TRIAL', 'trial-allowed'],
  ['CANDIDATE_DIGEST', 'candidate-replaced'],
  ['SIGNATURE_INVALID', 'resigned'],
  ['SIGNATURE_MISSING', 'signature-stripped'],
  ['TEARDOWN_ORDER', 'teardown-step-dropped'],
  ['CONTROL_PROGRAM', 'control-program-changed'],
  ['CONTROL_PROGRAM', 'control-program-dropped'],
  ['FILES_ORDER', 'controls-swapped'],
  ['FILE_UNKNOWN', 'kept-file-slipped-in'],
];

test('a verifier that lacked one finding would be found out by the kind that needs it', async () => {
  const bundle = BaseBundle.open(evidence);
  const key = await openTrustedKey(bundle, null);
  const report = JSON.parse(bundle.read('report.json').toString('utf8'));
  const given = [`--candidate=${report.candidate.sha512}`, '--finished-after=2026-01-02T03:04:04Z'];
  const plain = new VerifierProcess(verifier, [...given, '--', evidence]);
  const keyed = new VerifierProcess(verifier, [...given, `--key=${key.file}`, '--', evidence]);
  try {
    const missed: string[] = [];
    for (const [code, id] of WEAKENED) {
      const kind = TAMPER_KINDS.find((one) => one.id === id);
      assert.ok(kind, id);
      const judge = kind.level === 'c' ? keyed : plain;
      const { drafts } = choose(kind, { bundle, keys: key.keys, seed: '1', extent: 'whole' });
      const answers = await Promise.all(drafts.map((draft) => judge.judge(draft.changes())));
      // Without this one finding some change of the kind would have been accepted.
      if (!answers.some(({ codes }) => codes.length === 1 && codes[0] === code)) missed.push(`${code} ${id}`);
    }
    assert.deepEqual(missed, []);
  } finally {
    await plain.close();
    await keyed.close();
    await key.close();
  }
});

async function failsWith(code: TamperError['code'], change: Partial<TamperRequest>): Promise<TamperError> {
  let error: unknown;
  try {
    await tamperEvidence(request(change));
  } catch (caught) {
    error = caught;
  }
  assert.ok(error instanceof TamperError, String(error));
  assert.equal(error.code, code, error.message);
  return error;
}

test('what could not be tried is no result', async () => {
  await failsWith('KIND_UNKNOWN', { only: ['no-such-kind'] });
  await failsWith('KEY_UNREADABLE', { key: join(folder, 'none') });
  await failsWith('EVIDENCE_UNREADABLE', { evidence: join(folder, 'none') });
  await failsWith('EVIDENCE_REJECTED', { key: publicKey, levels: ['c'] });
  await failsWith('NOTHING_TRIED', { only: ['nonce-changed'] });
  await failsWith('VERIFIER_FAILED', { verifier: await program('ends', 'process.exit(0)') });
  await failsWith('VERIFIER_FAILED', {
    verifier: await program('talks', "process.stdout.write('yes\\n'); setInterval(() => {}, 1e6)"),
  });
  const fault =
    "process.stdin.once('data', () => process.stdout.write(JSON.stringify({id:0,fault:'x'})+'\\n')); setInterval(() => {}, 1e6)";
  await failsWith('VERIFIER_FAILED', { verifier: await program('faulty', fault) });
});

test('evidence that was rejected as it is is not tampered with', async () => {
  const root = join(folder, 'rejected');
  await cp(evidence, root, { recursive: true });
  await writeFile(join(root, 'more'), 'x');
  const error = await failsWith('EVIDENCE_REJECTED', { evidence: root });
  assert.equal(error.actual, 'FILE_EXTRA');
});

test('a change that changes nothing is a fault of ours', () => {
  const bundle = BaseBundle.open(evidence);
  const nothing = { kind: 'k', place: 'p', changes: forge(bundle, {}) };
  assert.throws(
    () => requireMutation(bundle, nothing),
    (error: unknown) =>
      error instanceof TamperError && error.code === 'NOTHING_MUTATED' && error.where === 'k at p',
  );
  const path = 'report.json';
  const half = { kind: 'file', path, pieces: [{ kind: 'base', path, start: 0, end: 9 }] } as const;
  requireMutation(bundle, { kind: 'k', place: 'p', changes: [half] });
});

test('kinds have ids of their own, and every one but a few is exercised on the sample', async () => {
  const ids = TAMPER_KINDS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const bundle = BaseBundle.open(evidence);
  const stranger = { keyId: '0', sign: () => Buffer.from('{"signatures":[{}]}') };
  const envelope = Buffer.from('{"signatures":[{"sig":"AAAA"}]}');
  const envelopes = new Map(bundle.statements.map((path) => [path, envelope]));
  const keys = { own: stranger, stranger, envelopes, shards: new Map() };
  const idle = TAMPER_KINDS.filter(
    (kind: Kind) => choose(kind, { bundle, keys, seed: '1', extent: 'short' }).drafts.length === 0,
  );
  assert.deepEqual(
    idle.map(({ id }) => id),
    ['outcome-made-pass', 'leftover-hidden', 'nonce-changed', 'finding-hidden'],
  );
});

test('answers of the verifier are those of its own run', async () => {
  const judge = new VerifierProcess(verifier, ['--', evidence]);
  try {
    assert.deepEqual(await judge.judge([]), { accepted: true, codes: [] });
    const gone = await judge.judge([{ path: 'report.json', kind: 'deleted' }]);
    assert.equal(gone.accepted, false);
    assert.ok(gone.codes.includes('FILE_MISSING'));
    assert.deepEqual(await judge.judge([]), { accepted: true, codes: [] });
  } finally {
    await judge.close();
  }
});
