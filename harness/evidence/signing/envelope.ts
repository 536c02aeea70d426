import { type KeyObject, sign } from 'node:crypto';
import { toCanonicalBytes } from '../../document/canonical.ts';

/** Says that the payload is an in-toto statement; the statement's own `predicateType` says which. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/**
 * The bytes that a DSSE signature is over: `DSSEv1 <length> <type> <length> <payload>`, lengths in bytes.
 *
 * Source: DSSE v1.0.2, protocol, "PAE".
 */
export function toSignedBytes(payloadType: string, payload: Uint8Array): Buffer {
  const typeBytes = Buffer.byteLength(payloadType, 'utf8');
  return Buffer.concat([Buffer.from(`DSSEv1 ${typeBytes} ${payloadType} ${payload.byteLength} `), payload]);
}

/**
 * The DSSE envelope over the very bytes of a statement, with exactly one ed25519 signature, in RFC 8785 form.
 *
 * `keyId` is a hint for whoever looks for the key; DSSE does not authenticate it.
 */
export function buildEnvelope(
  statement: Uint8Array,
  { key, keyId }: { readonly key: KeyObject; readonly keyId: string },
): Buffer {
  const sig = sign(null, toSignedBytes(PAYLOAD_TYPE, statement), key).toString('base64');
  return toCanonicalBytes({
    payload: Buffer.from(statement).toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid: keyId, sig }],
  });
}
