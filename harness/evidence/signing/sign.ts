import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '../../document/digest.ts';
import { buildEnvelope } from './envelope.ts';
import { describeCause, SigningError, type SigningErrorCode } from './errors.ts';
import type { SigningKey } from './key.ts';

const STATEMENT = 'statement.json';
const ENVELOPE = 'statement.dsse.json';
const SUMS = 'SHA256SUMS';
/** As the verifier: a larger document is refused unread. */
const DOCUMENT_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * The stored bytes of a bundle's statement, to be handed to `signEvidence` once the bundle was read back.
 *
 * @throws {SigningError} STATEMENT_UNREADABLE
 */
export function readStatement(folder: string): Promise<Buffer> {
  return readRegular(folder, STATEMENT, 'STATEMENT_UNREADABLE');
}

/**
 * Signs a bundle: `statement.dsse.json` over the statement's bytes, and its line in `SHA256SUMS`.
 *
 * `folder` is absolute; `statement` is what was read before the verifier accepted the bundle, so that a
 * change since then is not signed. Each file appears complete or not at all. Should the process be killed
 * between the two, removing `statement.dsse.json` gives the unsigned bundle back.
 *
 * @throws {SigningError} SIGNED_ALREADY, STATEMENT_UNREADABLE, STATEMENT_CHANGED, SUMS_UNREADABLE, SIGNATURE_UNWRITABLE
 */
export async function signEvidence(folder: string, statement: Buffer, signer: SigningKey): Promise<void> {
  await refuseSigned(folder);
  if (!statement.equals(await readStatement(folder))) {
    throw new SigningError('STATEMENT_CHANGED', 'evidence', {
      where: STATEMENT,
      expected: `sha256 ${sha256Hex(statement)}, as when it was read back`,
      actual: 'other bytes',
    });
  }
  const envelope = buildEnvelope(statement, signer);
  const sums = addLine(await readRegular(folder, SUMS, 'SUMS_UNREADABLE'), sha256Hex(envelope));
  await replace(folder, ENVELOPE, envelope);
  try {
    await replace(folder, SUMS, sums);
  } catch (error) {
    await rm(join(folder, ENVELOPE), { force: true });
    throw error;
  }
}

async function refuseSigned(folder: string): Promise<void> {
  const present = await lstat(join(folder, ENVELOPE)).then(
    () => true,
    () => false,
  );
  if (!present) return;
  throw new SigningError('SIGNED_ALREADY', 'evidence', {
    where: ENVELOPE,
    expected: 'evidence without a signature; remove the file to sign anew',
    actual: 'one',
  });
}

/** The envelope's line at its place in byte order of path, any older one dropped. */
function addLine(sums: Buffer, sha256: string): Buffer {
  const pathOf = (line: string): Buffer => Buffer.from(line.slice(66), 'utf8');
  const lines = sums
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '' && line.slice(66) !== ENVELOPE);
  const sorted = [...lines, `${sha256}  ${ENVELOPE}`].sort((a, b) => Buffer.compare(pathOf(a), pathOf(b)));
  return Buffer.from(`${sorted.join('\n')}\n`, 'utf8');
}

async function readRegular(folder: string, path: string, code: SigningErrorCode): Promise<Buffer> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(join(folder, path), flags);
    try {
      const status = await handle.stat();
      if (!status.isFile() || status.size > DOCUMENT_LIMIT_BYTES)
        throw new Error('no regular file of a sane size');
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const details = { where: path, expected: 'a regular file', actual: describeCause(cause), cause };
    throw new SigningError(code, 'evidence', details);
  }
}

/** Written beside the bundle, not in it: a killed process must not leave a file that the list does not know. */
async function replace(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(folder), `.${basename(folder)}.${path}.${process.pid}.partial`);
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder, path));
  } catch (cause) {
    await rm(temporary, { force: true });
    const details = { where: path, expected: 'a writable folder', actual: describeCause(cause), cause };
    throw new SigningError('SIGNATURE_UNWRITABLE', 'evidence', details);
  }
}
