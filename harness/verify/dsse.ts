import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { FileSource } from './files/source.ts';
import { type Finding, toFinding } from './finding.ts';
import { parseCanonical, readBytes } from './read.ts';
import { asList, asObject, asText, keyDifference } from './shape.ts';
import { envelopeOf, STATEMENTS } from './statements/names.ts';

// The envelope is parsed and its signed bytes are put together here once more, apart from the code that signs:
// a fault of that code must not be able to hide itself. Do not merge the two.

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** RFC 8032: an ed25519 signature is 64 bytes. */
const SIGNATURE_BYTES = 64;

/** A public key from outside the bundle, and its id: sha256 hex of the SPKI DER. */
export interface TrustedKey {
  readonly key: KeyObject;
  readonly keyId: string;
}

/** The keys of one run are few, and each is asked for once a statement. */
const parsed = new Map<string, TrustedKey | null>();

/** Null unless the text is an ed25519 public key as SPKI PEM; a private key is refused, not reduced to its public half. */
export function parsePublicKey(pem: string): TrustedKey | null {
  const known = parsed.get(pem) ?? readPublicKey(pem);
  parsed.set(pem, known);
  return known;
}

function readPublicKey(pem: string): TrustedKey | null {
  if (!/^\s*-----BEGIN PUBLIC KEY-----\r?\n/.test(pem)) return null;
  try {
    const key = createPublicKey({ key: pem, format: 'pem', type: 'spki' });
    if (key.asymmetricKeyType !== 'ed25519') return null;
    const der = key.export({ type: 'spki', format: 'der' });
    return { key, keyId: createHash('sha256').update(der).digest('hex') };
  } catch {
    return null;
  }
}

/** Whether a bundle holds an envelope, be it good or not. */
export function isSigned(source: FileSource): boolean {
  return STATEMENTS.some((statement) => source.has(envelopeOf(statement)));
}

/**
 * Checks the DSSE envelope of every statement of a bundle: its form, that its payload is the stored statement
 * byte for byte, and, with a key in SPKI PEM, its one signature.
 *
 * Without a key an absent envelope is no defect unless another statement has one, and a present one is held to
 * its form alone. `keyid` is compared last, because DSSE does not authenticate it and it must not decide anything.
 * Source: DSSE v1.0.2, protocol and envelope.
 */
export function checkSignature(source: FileSource, keyPem: string | null): readonly Finding[] {
  const trusted = keyPem === null ? null : parsePublicKey(keyPem);
  if (keyPem !== null && trusted === null) {
    return [
      toFinding('SIGNATURE_KEY_UNUSABLE', '--key', 'an ed25519 public key as SPKI PEM', 'something else'),
    ];
  }
  const signed = isSigned(source);
  return STATEMENTS.flatMap((statement) => {
    const envelope = envelopeOf(statement);
    if (source.has(envelope)) return checkEnvelope(source, { statement, envelope }, trusted);
    if (statement !== 'statement.json' && !source.has(statement)) return [];
    if (trusted !== null) {
      return [toFinding('SIGNATURE_MISSING', envelope, `a signature of key ${trusted.keyId}`, 'none')];
    }
    // A signer signs all of them: one envelope too few was taken away, or never belonged to the others.
    return signed ? [toFinding('SIGNATURE_PARTIAL', envelope, 'an envelope for each statement', 'none')] : [];
  });
}

/** Places of a signed document and of its envelope, from the root. */
interface Signed {
  readonly statement: string;
  readonly envelope: string;
}

function checkEnvelope(source: FileSource, place: Signed, trusted: TrustedKey | null): readonly Finding[] {
  const envelope = readEnvelope(source, place.envelope);
  if (isFindings(envelope)) return envelope;
  const findings = checkPayload(source, place, envelope);
  return trusted === null ? findings : [...findings, ...checkKey(place.envelope, envelope, trusted)];
}

interface Envelope {
  readonly payload: Buffer;
  readonly signature: Buffer;
  readonly keyId: string | null;
}

function isFindings(value: Envelope | readonly Finding[]): value is readonly Finding[] {
  return Array.isArray(value);
}

function readEnvelope(source: FileSource, at: string): Envelope | readonly Finding[] {
  const bytes = readBytes(source, at);
  if (bytes === null) return [toFinding('SIGNATURE_UNREADABLE', at, 'a regular file', 'something else')];
  return parseEnvelope(at, bytes);
}

/** A signed document that does not lie in a bundle: its payload, and who signed it. */
export function openEnvelope(
  at: string,
  bytes: Buffer,
):
  | { readonly payload: Buffer; readonly isSignedBy: (key: TrustedKey) => boolean }
  | { readonly findings: readonly Finding[] } {
  const envelope = parseEnvelope(at, bytes);
  if (isFindings(envelope)) return { findings: envelope };
  const { payload } = envelope;
  return { payload, isSignedBy: (key) => checkKey(at, envelope, key).length === 0 };
}

function parseEnvelope(at: string, bytes: Buffer): Envelope | readonly Finding[] {
  const parsed = parseCanonical(at, bytes);
  if (parsed.kind === 'rejected') return [parsed.finding];
  const envelope = asObject(parsed.value);
  const difference =
    envelope === undefined
      ? ['an object']
      : keyDifference(envelope, ['payload', 'payloadType', 'signatures']);
  if (envelope === undefined || difference.length > 0) {
    return [toFinding('SIGNATURE_ENVELOPE', at, 'payload,payloadType,signatures', difference.join(','))];
  }
  if (envelope.payloadType !== PAYLOAD_TYPE) {
    const actual = JSON.stringify(envelope.payloadType);
    return [toFinding('SIGNATURE_PAYLOAD_TYPE', `${at}.payloadType`, PAYLOAD_TYPE, actual)];
  }
  const signatures = asList(envelope.signatures);
  const [only] = signatures ?? [];
  if (signatures?.length !== 1) {
    const actual = signatures === undefined ? 'no list' : String(signatures.length);
    return [toFinding('SIGNATURE_COUNT', `${at}.signatures`, 'exactly one', actual)];
  }
  const entry = asObject(only);
  const keyId = entry?.keyid === undefined ? null : asText(entry.keyid);
  const known = entry !== undefined && keyDifference({ keyid: '', ...entry }, ['keyid', 'sig']).length === 0;
  if (!known || keyId === undefined) {
    const actual = JSON.stringify(only);
    return [toFinding('SIGNATURE_ENVELOPE', `${at}.signatures[0]`, 'sig and perhaps keyid', actual)];
  }
  return decode(at, { payload: asText(envelope.payload), signature: asText(entry.sig), keyId });
}

function decode(
  at: string,
  texts: {
    readonly payload: string | undefined;
    readonly signature: string | undefined;
    readonly keyId: string | null;
  },
): Envelope | readonly Finding[] {
  const payload = decodeBase64(texts.payload);
  if (payload === null) return [toFinding('SIGNATURE_ENCODING', `${at}.payload`, 'base64', 'other text')];
  const signature = decodeBase64(texts.signature);
  if (signature?.length !== SIGNATURE_BYTES) {
    const actual = signature === null ? 'other text' : `${signature.length} bytes`;
    const where = `${at}.signatures[0].sig`;
    return [toFinding('SIGNATURE_ENCODING', where, `${SIGNATURE_BYTES} bytes in base64`, actual)];
  }
  return { payload, signature, keyId: texts.keyId };
}

/**
 * Standard or URL-safe base64 (RFC 4648, both of which DSSE asks verifiers to take), not a mixture, padded or
 * not at all, with no bit that decoding would drop; null otherwise.
 */
function decodeBase64(text: string | undefined): Buffer | null {
  if (text === undefined || !(/^[A-Za-z0-9+/]*={0,2}$/.test(text) || /^[A-Za-z0-9_-]*={0,2}$/.test(text)))
    return null;
  const bytes = Buffer.from(text, 'base64');
  const padded = bytes.toString('base64');
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return standard === padded || standard === padded.replace(/=+$/, '') ? bytes : null;
}

function checkPayload(source: FileSource, place: Signed, { payload }: Envelope): readonly Finding[] {
  const statement = readBytes(source, place.statement);
  if (statement?.equals(payload) === true) return [];
  const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const expected =
    statement === null
      ? `the bytes of ${place.statement}`
      : `${place.statement}, sha256 ${digest(statement)}`;
  return [toFinding('SIGNATURE_PAYLOAD', `${place.envelope}.payload`, expected, `sha256 ${digest(payload)}`)];
}

function checkKey(at: string, envelope: Envelope, trusted: TrustedKey): readonly Finding[] {
  const { payload, signature, keyId } = envelope;
  const head = `DSSEv1 ${Buffer.byteLength(PAYLOAD_TYPE)} ${PAYLOAD_TYPE} ${payload.length} `;
  const signed = Buffer.concat([Buffer.from(head), payload]);
  if (!verify(null, signed, trusted.key, signature)) {
    const actual = `one that names key ${keyId ?? 'none'}`;
    const where = `${at}.signatures[0].sig`;
    return [toFinding('SIGNATURE_INVALID', where, `a signature of key ${trusted.keyId}`, actual)];
  }
  if (keyId === null || keyId === trusted.keyId) return [];
  return [toFinding('SIGNATURE_KEYID', `${at}.signatures[0].keyid`, trusted.keyId, keyId)];
}
