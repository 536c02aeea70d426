import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkSignature, isSigned, parsePublicKey } from './dsse.ts';
import { DiskSource } from './files/disk-source.ts';

const TYPE = 'application/vnd.in-toto+json';
// Bytes whose base64 has every special character and padding, so that the two alphabets differ.
const STATEMENT = Buffer.from('{"_type":"statement","text":"\u00ff\u00fe~~~???>>>"}', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'packproof-dsse-'));
const signer = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const pem = toPem(signer.publicKey);
const keyId = createHash('sha256')
  .update(signer.publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex');

after(() => rmSync(folder, { recursive: true, force: true }));

function toPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function signOver(payload: Buffer, key: KeyObject = signer.privateKey, type = TYPE): Buffer {
  return sign(
    null,
    Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]),
    key,
  );
}

const payload = STATEMENT.toString('base64');
const sig = signOver(STATEMENT).toString('base64');
const GOOD = { payload, payloadType: TYPE, signatures: [{ keyid: keyId, sig }] };

let count = 0;

/** A folder with a statement and, unless null, an envelope of exactly this text. */
function bundle(envelope: string | null): string {
  count += 1;
  const root = join(folder, String(count));
  mkdirSync(root);
  writeFileSync(join(root, 'statement.json'), STATEMENT);
  if (envelope !== null) writeFileSync(join(root, 'statement.dsse.json'), envelope);
  return root;
}

function found(envelope: unknown, key: string | null = pem): readonly string[] {
  const text = typeof envelope === 'string' || envelope === null ? envelope : JSON.stringify(envelope);
  return checkSignature(new DiskSource(bundle(text)), key).map(
    (finding) => `${finding.code} ${finding.path}`,
  );
}

const AT = 'statement.dsse.json';
const AT_SIG = `${AT}.signatures[0].sig`;

test('a good envelope has no findings, with and without a key', () => {
  assert.deepEqual(found(GOOD), []);
  assert.deepEqual(found(GOOD, null), []);
  assert.equal(isSigned(new DiskSource(bundle(JSON.stringify(GOOD)))), true);
  assert.equal(isSigned(new DiskSource(bundle(null))), false);
});

test('both base64 alphabets, padded or not, and an absent keyid are good', () => {
  const toUrl = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
  const urls = { ...GOOD, payload: toUrl(payload), signatures: [{ keyid: keyId, sig: toUrl(sig) }] };
  const bare = {
    ...GOOD,
    payload: payload.replace(/=+$/, ''),
    signatures: [{ sig: sig.replace(/=+$/, '') }],
  };
  assert.notEqual(urls.payload, payload);
  assert.deepEqual(found(urls), []);
  assert.deepEqual(found(bare), []);
});

test('unsigned evidence is a defect only for whoever gives a key', () => {
  assert.deepEqual(found(null, null), []);
  assert.deepEqual(found(null), [`SIGNATURE_MISSING ${AT}`]);
});

test('a signature of another key, over other bytes, or over another type is not accepted', () => {
  const by = (bytes: Buffer): unknown => ({
    ...GOOD,
    signatures: [{ keyid: keyId, sig: bytes.toString('base64') }],
  });
  const invalid = [`SIGNATURE_INVALID ${AT_SIG}`];
  assert.deepEqual(found(by(signOver(STATEMENT, stranger.privateKey))), invalid);
  assert.deepEqual(found(by(signOver(Buffer.from('{}')))), invalid);
  assert.deepEqual(found(by(signOver(STATEMENT, signer.privateKey, 'text/plain'))), invalid);
  assert.deepEqual(found(by(sign(null, STATEMENT, signer.privateKey))), invalid);
  assert.deepEqual(found(by(Buffer.alloc(64))), invalid);
  assert.deepEqual(found(GOOD, toPem(stranger.publicKey)), invalid);
});

test('a good signature of a statement that is not the stored one is not accepted', () => {
  const other = Buffer.from('{"_type":"another"}');
  const envelope = {
    ...GOOD,
    payload: other.toString('base64'),
    signatures: [{ keyid: keyId, sig: signOver(other).toString('base64') }],
  };
  assert.deepEqual(found(envelope), [`SIGNATURE_PAYLOAD ${AT}.payload`]);
  assert.deepEqual(found(envelope, null), [`SIGNATURE_PAYLOAD ${AT}.payload`]);
});

test('a keyid of another key is a defect of its own and never decides', () => {
  assert.deepEqual(found({ ...GOOD, signatures: [{ keyid: 'f'.repeat(64), sig }] }), [
    `SIGNATURE_KEYID ${AT}.signatures[0].keyid`,
  ]);
});

test('exactly one signature', () => {
  const [one] = GOOD.signatures;
  for (const signatures of [[], [one, one], null, {}]) {
    assert.deepEqual(found({ ...GOOD, signatures }), [`SIGNATURE_COUNT ${AT}.signatures`]);
  }
});

test('another payload type, even one with a good signature over it, is not accepted', () => {
  const type = 'application/json';
  const signed = signOver(STATEMENT, signer.privateKey, type).toString('base64');
  assert.deepEqual(found({ ...GOOD, payloadType: type, signatures: [{ keyid: keyId, sig: signed }] }), [
    `SIGNATURE_PAYLOAD_TYPE ${AT}.payloadType`,
  ]);
});

test('base64 that decodes loosely is refused', () => {
  // The last digit of an unpadded 64-byte signature carries four bits that decoding drops.
  const dropped = sig.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`);
  const sigs = ['', `${sig}\n`, `${sig}=`, `-${sig.slice(1)}`.replace(/.$/, '+'), dropped, sig.slice(4), 7];
  for (const bad of sigs) {
    assert.deepEqual(found({ ...GOOD, signatures: [{ keyid: keyId, sig: bad }] }), [
      `SIGNATURE_ENCODING ${AT_SIG}`,
    ]);
  }
  for (const bad of [` ${payload}`, `${payload}*`, 7]) {
    assert.deepEqual(found({ ...GOOD, payload: bad }), [`SIGNATURE_ENCODING ${AT}.payload`]);
  }
});

test('the envelope is closed and has one byte form', () => {
  const [one] = GOOD.signatures;
  assert.deepEqual(found({ payload, payloadTypf: TYPE, signatures: GOOD.signatures }), [
    `SIGNATURE_ENVELOPE ${AT}`,
  ]);
  assert.deepEqual(found([]), [`SIGNATURE_ENVELOPE ${AT}`]);
  const unknown = { ...GOOD, signatures: [{ cert: 'x', ...one }] };
  assert.deepEqual(found(unknown), [`SIGNATURE_ENVELOPE ${AT}.signatures[0]`]);
  assert.deepEqual(found({ ...GOOD, signatures: [{ keyid: 7, sig }] }), [
    `SIGNATURE_ENVELOPE ${AT}.signatures[0]`,
  ]);
  assert.deepEqual(found(`${JSON.stringify(GOOD)}\n`), [`DOCUMENT_NOT_CANONICAL ${AT}`]);
  const twice = JSON.stringify(GOOD).replace('{', `{"payload":"${payload}",`);
  assert.deepEqual(found(twice), [`DOCUMENT_DUPLICATE_KEY ${AT}`]);
  assert.deepEqual(found('{'), [`DOCUMENT_NOT_JSON ${AT}`]);
});

test('a link in the place of the envelope is not followed', () => {
  const root = bundle(null);
  writeFileSync(join(folder, 'elsewhere.json'), JSON.stringify(GOOD));
  symlinkSync(join(folder, 'elsewhere.json'), join(root, AT));
  assert.deepEqual(
    checkSignature(new DiskSource(root), pem).map(({ code, path }) => `${code} ${path}`),
    [`SIGNATURE_UNREADABLE ${AT}`],
  );
});

test('only an ed25519 public key in SPKI PEM is a key', () => {
  assert.equal(parsePublicKey(pem)?.keyId, keyId);
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privatePem = signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const bad of [toPem(ec.publicKey), privatePem, `${privatePem}${pem}`, '', 'no key']) {
    assert.equal(parsePublicKey(bad), null);
    assert.deepEqual(found(GOOD, bad), ['SIGNATURE_KEY_UNUSABLE --key']);
  }
});
