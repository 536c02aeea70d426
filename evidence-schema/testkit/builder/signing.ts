import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { at, encode, type Files } from './bundle.ts';
import { sha256 } from './canonical.ts';

/** The head of every ed25519 private key in PKCS8 (RFC 8410); 32 bytes of seed follow. */
const PKCS8_HEAD = '302e020100300506032b657004220420';

/** Keys of the kit, from fixed seeds: they sign nothing but vectors, and the same bytes every time. */
const SEEDS = { vector: '11', other: '22' } as const;

export type KeyName = keyof typeof SEEDS;

function privateKey(name: KeyName): KeyObject {
  const der = Buffer.from(PKCS8_HEAD + SEEDS[name].repeat(32), 'hex');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** SPKI PEM, as `--key` takes it. */
export function publicPem(name: KeyName): string {
  return createPublicKey(privateKey(name)).export({ format: 'pem', type: 'spki' }).toString();
}

/** `statement.json` → `statement.dsse.json`. */
function envelopeOf(statement: string): string {
  return statement.replace(/\.json$/, '.dsse.json');
}

/** Writes the DSSE envelope of each statement. */
export function signStatements(files: Files, statements: readonly string[], key: KeyName): void {
  for (const statement of statements) files.set(envelopeOf(statement), envelope(at(files, statement), key));
}

/** The DSSE envelope of a statement. */
export function envelope(body: Buffer, key: KeyName): Buffer {
  const der = createPublicKey(privateKey(key)).export({ format: 'der', type: 'spki' });
  const payloadType = 'application/vnd.in-toto+json';
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `;
  const sig = sign(null, Buffer.concat([Buffer.from(head), body]), privateKey(key)).toString('base64');
  return encode({
    payload: body.toString('base64'),
    payloadType,
    signatures: [{ keyid: sha256(der), sig }],
  });
}
