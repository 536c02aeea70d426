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
import { packageRoot } from '../../document/assets.ts';
import { sha256Hex } from '../../document/digest.ts';
import { exportEvidence } from '../export.ts';
import { sampleCase, sampleExport } from '../testing/sample-evidence.ts';
import { buildEnvelope, toSignedBytes } from './envelope.ts';
import { SigningError } from './errors.ts';
import { generateKey, readSigningKey } from './key.ts';
import { readStatement, signEvidence } from './sign.ts';

const verifier = fileURLToPath(new URL('../../verify/main.js', import.meta.url));
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
  await signEvidence(signed, await readStatement(signed), await readSigningKey(keyFile));
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
    (await readdir(signed)).filter((name) => !['statement.dsse.json'].includes(name)).sort(),
    (await readdir(unsigned)).sort(),
  );
});

test('an envelope without its line in SHA256SUMS, and a line without its envelope, are rejected', async () => {
  const codesOf = (root: string): readonly string[] => {
    const answer = spawnSync(process.execPath, [verifier, root, '--json'], { encoding: 'utf8' });
    const verdict: { findings: { code: string; path: string }[] } = JSON.parse(answer.stdout);
    return verdict.findings.map(({ code, path }) => `${code} ${path}`);
  };
  const noLine = await copy('no-line', signed);
  await cp(join(unsigned, 'SHA256SUMS'), join(noLine, 'SHA256SUMS'));
  assert.deepEqual(codesOf(noLine), ['SUMS_MISMATCH SHA256SUMS']);
  const noEnvelope = await copy('no-envelope', signed);
  await rm(join(noEnvelope, 'statement.dsse.json'));
  assert.deepEqual(codesOf(noEnvelope), ['SUMS_MISMATCH SHA256SUMS']);
});

test('a killed signer is undone by removing the envelope', async () => {
  const root = await copy('killed');
  await cp(join(signed, 'statement.dsse.json'), join(root, 'statement.dsse.json'));
  await rm(join(root, 'statement.dsse.json'));
  assert.equal(spawnSync(process.execPath, [verifier, root]).status, 0);
});

test('evidence is signed once, and only as it was read back', async () => {
  const signer = await readSigningKey(keyFile);
  const statement = await readStatement(signed);
  await assert.rejects(
    signEvidence(signed, statement, signer),
    isError('SIGNED_ALREADY', 'statement.dsse.json'),
  );
  const changed = await copy('changed');
  await appendFile(join(changed, 'statement.json'), ' ');
  await assert.rejects(
    signEvidence(changed, statement, signer),
    isError('STATEMENT_CHANGED', 'statement.json'),
  );
  const bare = await copy('bare');
  await rm(join(bare, 'SHA256SUMS'));
  await assert.rejects(signEvidence(bare, statement, signer), isError('SUMS_UNREADABLE', 'SHA256SUMS'));
  assert.ok(!(await readdir(bare)).includes('statement.dsse.json'));
  await rm(join(bare, 'statement.json'));
  await assert.rejects(readStatement(bare), isError('STATEMENT_UNREADABLE', 'statement.json'));
});

test('another implementation reads the envelope, makes the same signed bytes and accepts the signature', async () => {
  const json: unknown = JSON.parse(await readFile(join(signed, 'statement.dsse.json'), 'utf8'));
  const envelope = Envelope.fromJSON(json);
  const [signature] = envelope.signatures;
  assert.ok(signature !== undefined);
  assert.deepEqual(envelope.payload, await readFile(join(unsigned, 'statement.json')));
  assert.deepEqual([envelope.signatures.length, signature.keyid], [1, keyId]);
  const theirs = dsse.preAuthEncoding(envelope.payloadType, envelope.payload);
  assert.deepEqual(theirs, toSignedBytes(envelope.payloadType, envelope.payload));
  const publicKey = createPublicKey(await readFile(`${keyFile}.pub`, 'utf8'));
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
});

test('the signature of a statement is always the same', async () => {
  const signer = await readSigningKey(keyFile);
  const statement = await readStatement(unsigned);
  assert.deepEqual(buildEnvelope(statement, signer), await readFile(join(signed, 'statement.dsse.json')));
});

/** The commands of a section of the document, as a reader would paste them. */
async function commandsOf(section: string): Promise<string> {
  const text = await readFile(join(packageRoot(), 'docs', 'checking-evidence.md'), 'utf8');
  const [, commands] = new RegExp(`\`\`\`sh ${section}\n([^]*?)\`\`\``).exec(text) ?? [];
  assert.ok(commands !== undefined, section);
  return commands;
}

async function runDocumented(section: string, evidence: string): Promise<number | null> {
  const work = await mkdtemp(join(folder, 'work-'));
  const env = { PATH: process.env.PATH ?? '', EVIDENCE: evidence, KEY: `${keyFile}.pub`, WORK: work };
  const script = `set -euo pipefail\n${await commandsOf(section)}`;
  return spawnSync('bash', ['-c', script], { env, stdio: 'ignore' }).status;
}

test('the documented commands accept signed evidence', async () => {
  for (const section of ['list', 'statement', 'signature']) {
    assert.equal(await runDocumented(section, signed), 0, section);
  }
  assert.equal(await runDocumented('list', unsigned), 0);
});

test('the documented commands refuse broken evidence, each section what is its own', async () => {
  const stray = await copy('doc-stray', signed);
  await writeFile(join(stray, 'stray'), '');
  assert.equal(await runDocumented('list', stray), 1);
  const altered = await copy('doc-altered', signed);
  await appendFile(join(altered, 'report.json'), ' ');
  assert.equal(await runDocumented('list', altered), 1);
  assert.equal(await runDocumented('statement', altered), 1);
  const rebound = await copy('doc-rebound', signed);
  const statement = await readFile(join(rebound, 'statement.json'), 'utf8');
  await writeFile(join(rebound, 'statement.json'), statement.replace('PASSED', 'FAILED'));
  assert.equal(await runDocumented('signature', rebound), 1);
  const resigned = await copy('doc-resigned');
  const stranger = join(folder, 'stranger.pem');
  await generateKey(stranger);
  await signEvidence(resigned, await readStatement(resigned), await readSigningKey(stranger));
  assert.equal(await runDocumented('list', resigned), 0);
  assert.equal(await runDocumented('signature', resigned), 1);
});

test('openssl makes the key id that keygen prints', () => {
  const der = execFileSync('openssl', ['pkey', '-in', keyFile, '-pubout', '-outform', 'DER']);
  assert.equal(sha256Hex(der), keyId, basename(keyFile));
});
