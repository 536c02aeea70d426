import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEnvelope } from '../evidence/signing/envelope.ts';
import { type BaseBundle, envelopeOf } from './base-bundle.ts';
import type { Change } from './change.ts';
import { TamperError } from './errors.ts';
import { forgeSigned } from './forgery.ts';
import type { Keys, Signer } from './kind.ts';
import { valueAt } from './places.ts';
import { signedShards } from './shard-drafts.ts';

/** The key that signatures are judged with, and the signed form of the bundle under it. */
export interface TrustedKey {
  readonly keyId: string;
  readonly origin: 'given' | 'made-for-this';
  /** Public half, as the verifier reads it. */
  readonly file: string;
  readonly keys: Keys;
  /** What makes the bundle one that this key signed; nothing when it is. */
  readonly signing: readonly Change[];
  readonly close: () => Promise<void>;
}

/**
 * The caller's public key, under which the evidence must be signed; without one a key made for this alone, which
 * signs the bundle in the verifier's eyes only. Its public half lies in a temporary folder until the end.
 *
 * @throws {TamperError} KEY_UNREADABLE
 */
export async function openTrustedKey(bundle: BaseBundle, given: string | null): Promise<TrustedKey> {
  return given === null ? makeKey(bundle) : useKey(bundle, given);
}

async function useKey(bundle: BaseBundle, file: string): Promise<TrustedKey> {
  const keyId = await readKeyId(file);
  const keys = {
    own: null,
    stranger: newSigner(),
    envelopes: envelopesOf(bundle),
    shards: shardsBy(bundle, keyId),
  };
  return { keyId, origin: 'given', file, keys, signing: [], close: async () => undefined };
}

async function readKeyId(file: string): Promise<string> {
  try {
    return toKeyId(createPublicKey({ key: await readFile(file, 'utf8'), format: 'pem' }));
  } catch (cause) {
    const details = { where: file, expected: 'a public key as SPKI PEM', actual: String(cause), cause };
    throw new TamperError('KEY_UNREADABLE', 'key', details);
  }
}

async function makeKey(bundle: BaseBundle): Promise<TrustedKey> {
  const pair = generateKeyPairSync('ed25519');
  const own = toSigner(pair.privateKey, pair.publicKey);
  const folder = await mkdtemp(join(tmpdir(), 'packproof-tamper-'));
  const file = join(folder, 'key.pub');
  await writeFile(file, pair.publicKey.export({ type: 'spki', format: 'pem' }));
  const signAll = (one: BaseBundle): ReadonlyMap<string, Buffer> =>
    new Map(one.statements.map((path) => [path, own.sign(one.read(path))]));
  const shards = new Map(bundle.shards().map(({ folder, shard }) => [folder, signAll(shard)]));
  const keys = { own, stranger: newSigner(), envelopes: signAll(bundle), shards };
  return {
    keyId: own.keyId,
    origin: 'made-for-this',
    file,
    keys,
    signing: forgeSigned(bundle, { files: signedShards(bundle, keys) }, own.sign),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function envelopesOf(bundle: BaseBundle): ReadonlyMap<string, Buffer> {
  return new Map(
    bundle.statements
      .filter((path) => bundle.envelopes.includes(envelopeOf(path)))
      .map((path) => [path, bundle.read(envelopeOf(path))]),
  );
}

/** Nothing unless each statement of each shard goes by the id of this key; whether it does so rightly, the verifier says. */
function shardsBy(bundle: BaseBundle, keyId: string): Keys['shards'] {
  const shards = bundle
    .shards()
    .map(({ folder, shard }) => ({ folder, shard, envelopes: envelopesOf(shard) }));
  const isOurs = (envelope: Buffer): boolean =>
    valueAt(JSON.parse(envelope.toString('utf8')), 'signatures', 0, 'keyid') === keyId;
  const all = shards.every(
    ({ shard, envelopes }) =>
      envelopes.size === shard.statements.length && [...envelopes.values()].every(isOurs),
  );
  return new Map(all ? shards.map(({ folder, envelopes }) => [folder, envelopes]) : []);
}

function newSigner(): Signer {
  const pair = generateKeyPairSync('ed25519');
  return toSigner(pair.privateKey, pair.publicKey);
}

function toSigner(key: KeyObject, publicKey: KeyObject): Signer {
  const keyId = toKeyId(publicKey);
  return { keyId, sign: (statement) => buildEnvelope(statement, { key, keyId }) };
}

function toKeyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
