import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { appendFile, chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleFromJSON } from '@sigstore/bundle';
import { crypto, dsse } from '@sigstore/core';
import { Envelope } from '@sigstore/protobuf-specs';
import { sha256Hex } from '../../document/digest.ts';
import { exportEvidence } from '../export.ts';
import { runDocumented } from '../testing/documented-commands.ts';
import { resum } from '../testing/forge.ts';
import { sampleCase, sampleExport } from '../testing/sample-evidence.ts';
import { buildEnvelope, toSignedBytes } from './envelope.ts';
import { SigningError } from './errors.ts';
import { generateKey, readSigningKey } from './key.ts';
import { readStatements, removeSignature, signEvidence } from './sign.ts';

const verifier = fileURLToPath(new URL('../../verify/main.js', import.meta.url));
const ENVELOPES = ['statement-boundary.dsse.json', 'statement-image.dsse.json', 'statement.dsse.json'];
let folder = '';
let unsigned = '';
let signed = '';
let keyFile = '';
let keyId = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packproof-signing-'));
  const cases = [await sampleCase(join(folder, 'spool'), 'help', 'pass')];
  const input = await sampleExport(folder, cases);
  await exportEvidence(input);
  unsigned = input.target;
  keyFile = join(folder, 'key.pem');
  keyId = (await generateKey(keyFile)).keyId;
  signed = await copy('signed');
  await signEvidence(signed, await readStatements(signed), await readSigningKey(keyFile));
});

after(() => rm(folder, { recursive: true, force: true }));

async function copy(name: string, from = unsigned): Promise<string> {
  await cp(from, join(folder, name), { recursive: true, verbatimSymlinks: true });
  return join(folder, name);
}

function isError(code: string, where: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SigningError);
    assert.deepEqual([error.code, error.where], [code, where]);
    return true;
  };
}

test('keygen writes a PKCS8 key of mode 0600 and its public half, and names it by the SPKI digest', async () => {
  const privateKey = createPrivateKey(await readFile(keyFile));
  const publicKey = createPublicKey(await readFile(`${keyFile}.pub`, 'utf8'));
  assert.equal(privateKey.asymmetricKeyType, 'ed25519');
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
  assert.ok(createPublicKey(privateKey).equals(publicKey));
  assert.equal(keyId, sha256Hex(publicKey.export({ type: 'spki', format: 'der' })));
  assert.match(await readFile(keyFile, 'latin1'), /^-----BEGIN PRIVATE KEY-----\n/);
});

test('keygen writes over neither half, and leaves no half of its own', async () => {
  const kept = await readFile(keyFile);
  await assert.rejects(generateKey(keyFile), isError('KEY_EXISTS', keyFile));
  assert.deepEqual(await readFile(keyFile), kept);
  const other = join(folder, 'other.pem');
  await writeFile(`${other}.pub`, 'mine');
  await assert.rejects(generateKey(other), isError('KEY_EXISTS', `${other}.pub`));
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('other.pem')),
    ['other.pem.pub'],
  );
});

test('a key that others can read, of another kind, or no key at all is not used', async () => {
  const exposed = join(folder, 'exposed.pem');
  await writeFile(exposed, await readFile(keyFile));
  await chmod(exposed, 0o640);
  await assert.rejects(readSigningKey(exposed), isError('KEY_EXPOSED', exposed));
  await chmod(exposed, 0o600);
  assert.equal((await readSigningKey(exposed)).keyId, keyId);
  const absent = join(folder, 'absent.pem');
  await assert.rejects(readSigningKey(absent), isError('KEY_UNREADABLE', absent));
  await assert.rejects(readSigningKey(folder), isError('KEY_UNREADABLE', folder));
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const rejected: readonly (string | Buffer)[] = [
    ec.export({ type: 'pkcs8', format: 'pem' }),
    await readFile(`${keyFile}.pub`),
    'no key',
  ];
  for (const [index, content] of rejected.entries()) {
    const file = join(folder, `wrong-${index}.pem`);
    await writeFile(file, content, { mode: 0o600 });
    await assert.rejects(readSigningKey(file), isError('KEY_NOT_ED25519', file));
  }
});

test('the signed bundle is accepted, and signing leaves nothing beside it', async () => {
  const answer = spawnSync(process.execPath, [verifier, signed, '--json'], { encoding: 'utf8' });
  assert.equal(answer.status, 0, answer.stdout);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.partial')),
    [],
  );
  assert.deepEqual(
    (await readdir(signed)).filter((name) => !ENVELOPES.includes(name)).sort(),
    (await readdir(unsigned)).sort(),
  );
  assert.equal((await readdir(signed)).length, (await readdir(unsigned)).length + ENVELOPES.length);
});

/** What the verifier finds, each as `CODE path`. */
function findingsOf(root: string, ...args: readonly string[]): readonly string[] {
  const answer = spawnSync(process.execPath, [verifier, root, '--json', ...args], { encoding: 'utf8' });
  const verdict: { findings: { code: string; path: string }[] } = JSON.parse(answer.stdout);
  return verdict.findings.map(({ code, path }) => `${code} ${path}`);
}

test('an envelope without its line in SHA256SUMS, and a line without its envelope, are rejected', async () => {
  const noLine = await copy('no-line', signed);
  await cp(join(unsigned, 'SHA256SUMS'), join(noLine, 'SHA256SUMS'));
  assert.deepEqual(findingsOf(noLine), ['SUMS_MISMATCH SHA256SUMS']);
  const noEnvelopes = await copy('no-envelopes', signed);
  for (const envelope of ENVELOPES) await rm(join(noEnvelopes, envelope));
  assert.deepEqual(findingsOf(noEnvelopes), ['SUMS_MISMATCH SHA256SUMS']);
});

test('every statement has its envelope, or none has one', async () => {
  for (const envelope of ENVELOPES) {
    const root = await copy(`without-${envelope}`, signed);
    await rm(join(root, envelope));
    await resum(root);
    assert.deepEqual(findingsOf(root), [`SIGNATURE_PARTIAL ${envelope}`]);
    assert.deepEqual(findingsOf(root, '--key', `${keyFile}.pub`), [`SIGNATURE_MISSING ${envelope}`]);
  }
});

test('envelopes that were exchanged sign another statement than the one beside them', async () => {
  const root = await copy('exchanged', signed);
  await cp(join(signed, 'statement.dsse.json'), join(root, 'statement-image.dsse.json'));
  await resum(root);
  assert.deepEqual(findingsOf(root, '--key', `${keyFile}.pub`), [
    'SIGNATURE_PAYLOAD statement-image.dsse.json.payload',
  ]);
});

test('a killed signer is undone by removing its envelopes', async () => {
  const root = await copy('killed');
  const [first = ''] = ENVELOPES;
  await cp(join(signed, first), join(root, first));
  assert.notDeepEqual(findingsOf(root), []);
  await rm(join(root, first));
  assert.equal(spawnSync(process.execPath, [verifier, root]).status, 0);
});

test('a signature that is removed leaves the unsigned bundle, byte for byte', async () => {
  const root = await copy('removed', signed);
  await removeSignature(root);
  assert.deepEqual((await readdir(root)).sort(), (await readdir(unsigned)).sort());
  assert.deepEqual(await readFile(join(root, 'SHA256SUMS')), await readFile(join(unsigned, 'SHA256SUMS')));
  await rm(join(root, 'SHA256SUMS'));
  await assert.rejects(removeSignature(root), isError('SUMS_UNREADABLE', 'SHA256SUMS'));
});

test('where nothing can be written there is no key, and no part of a signature', async () => {
  const nowhere = join(folder, 'nowhere', 'key.pem');
  await assert.rejects(generateKey(nowhere), isError('KEY_UNWRITABLE', nowhere));
  const root = await copy('unwritable');
  const taken = join(folder, `.unwritable.statement-image.dsse.json.${process.pid}.partial`);
  await writeFile(taken, '');
  const signing = signEvidence(root, await readStatements(root), await readSigningKey(keyFile));
  await assert.rejects(signing, isError('SIGNATURE_UNWRITABLE', 'statement-image.dsse.json'));
  await rm(taken, { force: true });
  assert.deepEqual((await readdir(root)).sort(), (await readdir(unsigned)).sort());
  assert.deepEqual(findingsOf(root), []);
});

test('evidence is signed once, and only as it was read back', async () => {
  const signer = await readSigningKey(keyFile);
  const statements = await readStatements(signed);
  await assert.rejects(
    signEvidence(signed, statements, signer),
    isError('SIGNED_ALREADY', 'statement.dsse.json'),
  );
  const half = await copy('half', signed);
  await rm(join(half, 'statement.dsse.json'));
  await assert.rejects(
    signEvidence(half, statements, signer),
    isError('SIGNED_ALREADY', 'statement-boundary.dsse.json'),
  );
  const changed = await copy('changed');
  await appendFile(join(changed, 'statement.json'), ' ');
  await assert.rejects(
    signEvidence(changed, statements, signer),
    isError('STATEMENT_CHANGED', 'statement.json'),
  );
  const fewer = await copy('fewer');
  await rm(join(fewer, 'statement-image.json'));
  await assert.rejects(
    signEvidence(fewer, statements, signer),
    isError('STATEMENT_CHANGED', 'statement-image.json'),
  );
  const bare = await copy('bare');
  await rm(join(bare, 'SHA256SUMS'));
  await assert.rejects(signEvidence(bare, statements, signer), isError('SUMS_UNREADABLE', 'SHA256SUMS'));
  assert.deepEqual(
    (await readdir(bare)).filter((name) => name.endsWith('.dsse.json')),
    [],
  );
  await rm(join(bare, 'statement.json'));
  await assert.rejects(readStatements(bare), isError('STATEMENT_UNREADABLE', 'statement.json'));
});

test('another implementation reads the envelopes, makes the same signed bytes and accepts the signatures', async () => {
  const publicKey = createPublicKey(await readFile(`${keyFile}.pub`, 'utf8'));
  for (const name of ENVELOPES) {
    const json: unknown = JSON.parse(await readFile(join(signed, name), 'utf8'));
    const envelope = Envelope.fromJSON(json);
    const [signature] = envelope.signatures;
    assert.ok(signature !== undefined);
    assert.deepEqual(envelope.payload, await readFile(join(unsigned, name.replace('.dsse', ''))));
    assert.deepEqual([envelope.signatures.length, signature.keyid], [1, keyId]);
    const theirs = dsse.preAuthEncoding(envelope.payloadType, envelope.payload);
    assert.deepEqual(theirs, toSignedBytes(envelope.payloadType, envelope.payload));
    assert.equal(crypto.verify(theirs, publicKey, signature.sig), true);
    const flipped = Buffer.from(theirs);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    assert.equal(crypto.verify(flipped, publicKey, signature.sig), false);
    const bundle = bundleFromJSON({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: keyId }, tlogEntries: [], timestampVerificationData: {} },
      dsseEnvelope: json,
    });
    assert.equal(bundle.content.$case, 'dsseEnvelope');
  }
});

test('the signature of a statement is always the same', async () => {
  const signer = await readSigningKey(keyFile);
  const statements = await readStatements(unsigned);
  assert.equal(statements.size, ENVELOPES.length);
  for (const [name, bytes] of statements) {
    const envelope = await readFile(join(signed, name.replace(/\.json$/, '.dsse.json')));
    assert.deepEqual(buildEnvelope(bytes, signer), envelope);
  }
});

async function runCommands(section: string, root: string): Promise<number | null> {
  const work = await mkdtemp(join(folder, 'work-'));
  return await runDocumented(section, { evidence: root, key: `${keyFile}.pub`, work });
}

test('the documented commands accept signed evidence', async () => {
  for (const section of ['list', 'statement', 'signature']) {
    assert.equal(await runCommands(section, signed), 0, section);
  }
  assert.equal(await runCommands('list', unsigned), 0);
});

test('the documented commands refuse broken evidence, each section what is its own', async () => {
  const stray = await copy('doc-stray', signed);
  await writeFile(join(stray, 'stray'), '');
  assert.equal(await runCommands('list', stray), 1);
  const altered = await copy('doc-altered', signed);
  await appendFile(join(altered, 'report.json'), ' ');
  assert.equal(await runCommands('list', altered), 1);
  assert.equal(await runCommands('statement', altered), 1);
  const rebound = await copy('doc-rebound', signed);
  const statement = await readFile(join(rebound, 'statement.json'), 'utf8');
  await writeFile(join(rebound, 'statement.json'), statement.replace('PASSED', 'FAILED'));
  assert.equal(await runCommands('signature', rebound), 1);
  const elsewhere = await copy('doc-elsewhere', signed);
  const boundary = await readFile(join(elsewhere, 'statement-boundary.json'), 'utf8');
  const measured = sha256Hex(await readFile(join(elsewhere, 'boundary', 'measured.json')));
  await writeFile(join(elsewhere, 'statement-boundary.json'), boundary.replace(measured, '0'.repeat(64)));
  assert.equal(await runCommands('statement', elsewhere), 1);
  const unbound = await copy('doc-unbound', signed);
  const image = await readFile(join(unbound, 'statement-image.json'), 'utf8');
  await writeFile(join(unbound, 'statement-image.json'), image.replace('"bundle.json"', '"bundle"'));
  assert.notEqual(await runCommands('statement', unbound), 0);
  const exchanged = await copy('doc-exchanged', signed);
  await cp(join(signed, 'statement.dsse.json'), join(exchanged, 'statement-image.dsse.json'));
  assert.equal(await runCommands('signature', exchanged), 1);
  const resigned = await copy('doc-resigned');
  const stranger = join(folder, 'stranger.pem');
  await generateKey(stranger);
  await signEvidence(resigned, await readStatements(resigned), await readSigningKey(stranger));
  assert.equal(await runCommands('list', resigned), 0);
  assert.equal(await runCommands('signature', resigned), 1);
});

test('openssl makes the key id that keygen prints', () => {
  const der = execFileSync('openssl', ['pkey', '-in', keyFile, '-pubout', '-outform', 'DER']);
  assert.equal(sha256Hex(der), keyId, basename(keyFile));
});
