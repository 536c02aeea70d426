import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { sha256Hex } from '../../document/digest.ts';
import { describeCause, SigningError } from './errors.ts';

/** A PKCS8 ed25519 key is 119 bytes of PEM; what is much larger is no such key. */
const KEY_LIMIT_BYTES = 64 * 1024;

export interface SigningKey {
  readonly key: KeyObject;
  /** sha256 hex of the public key's SPKI DER. */
  readonly keyId: string;
}

export interface KeyFiles {
  readonly privateFile: string;
  readonly publicFile: string;
  readonly keyId: string;
}

/**
 * Makes an ed25519 key: PKCS8 PEM at `file` with mode 0600, SPKI PEM at `<file>.pub`. Neither is ever written over.
 *
 * @throws {SigningError} KEY_EXISTS with the file that is there; KEY_UNWRITABLE
 */
export async function generateKey(file: string): Promise<KeyFiles> {
  const pair = generateKeyPairSync('ed25519');
  const publicFile = `${file}.pub`;
  const created: string[] = [];
  try {
    // The umask may narrow 0644, and cannot widen 0600.
    await writeNew(file, { bytes: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), mode: 0o600 });
    created.push(file);
    await writeNew(publicFile, {
      bytes: pair.publicKey.export({ type: 'spki', format: 'pem' }),
      mode: 0o644,
    });
  } catch (error) {
    for (const made of created) await rm(made, { force: true });
    throw error;
  }
  return { privateFile: file, publicFile, keyId: toKeyId(pair.publicKey) };
}

async function writeNew(
  file: string,
  content: { readonly bytes: string | Buffer; readonly mode: number },
): Promise<void> {
  try {
    const handle = await open(file, 'wx', content.mode);
    try {
      await handle.writeFile(content.bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const actual = describeCause(cause);
    const code = actual === 'EEXIST' ? 'KEY_EXISTS' : 'KEY_UNWRITABLE';
    throw new SigningError(code, 'key', { where: file, expected: 'a new file', actual, cause });
  }
}

/**
 * Reads a private key that only its owner can read.
 *
 * @throws {SigningError} KEY_UNREADABLE; KEY_EXPOSED when its group or others have any right to it, because
 * then a signature no longer says who made it; KEY_NOT_ED25519
 */
export async function readSigningKey(file: string): Promise<SigningKey> {
  const pem = await readKeyFile(file);
  const key = parsePrivateKey(pem);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new SigningError('KEY_NOT_ED25519', 'key', {
      where: file,
      expected: 'an unencrypted ed25519 key as PKCS8 PEM',
      actual: key?.asymmetricKeyType ?? 'something else',
    });
  }
  return { key, keyId: toKeyId(createPublicKey(key)) };
}

async function readKeyFile(file: string): Promise<Buffer> {
  let handle: FileHandle;
  try {
    // Non-blocking, so that a FIFO in the place of the key is an answer and not a hang.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw unreadable(file, describeCause(cause));
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw unreadable(file, 'no regular file');
    if (status.size > KEY_LIMIT_BYTES) throw unreadable(file, `${status.size} bytes`);
    if ((status.mode & 0o077) !== 0) {
      const actual = `mode 0${(status.mode & 0o777).toString(8)}`;
      throw new SigningError('KEY_EXPOSED', 'key', { where: file, expected: 'mode 0600 or less', actual });
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function unreadable(where: string, actual: string): SigningError {
  return new SigningError('KEY_UNREADABLE', 'key', { where, expected: 'a readable key file', actual });
}

function parsePrivateKey(pem: Buffer): KeyObject | null {
  if (!pem.toString('latin1').trimStart().startsWith('-----BEGIN PRIVATE KEY-----')) return null;
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return null;
  }
}

function toKeyId(publicKey: KeyObject): string {
  return sha256Hex(publicKey.export({ type: 'spki', format: 'der' }));
}
