import { lstat, writeFile } from 'node:fs/promises';
import { toCanonicalBytes } from '../document/canonical.ts';
import { buildEnvelope } from '../evidence/signing/envelope.ts';
import { readSigningKey, type SigningKey } from '../evidence/signing/key.ts';
import type { ReplayDocument } from '../replay/replay-document.ts';
import { toReplayStatement } from '../replay/replay-statement.ts';
import { UsageError } from './errors.ts';
import { toAbsolute } from './folders.ts';

/** Where an auditor keeps what a replay showed, and the key that signs it. */
export interface ReplayFile {
  readonly file: string;
  readonly signer: SigningKey | null;
}

/**
 * Reads `--document` and `--sign` before anything starts; null without the first.
 *
 * @throws {UsageError} DOCUMENT_EXISTS, FLAG_MISSING for a key without a file; {SigningError} for the key
 */
export async function openReplayFile(flags: {
  readonly document?: string;
  readonly sign?: string;
}): Promise<ReplayFile | null> {
  const { document, sign } = flags;
  if (document === undefined) {
    if (sign === undefined) return null;
    const details = { where: '--sign', expected: '--document FILE to sign', actual: 'none' };
    throw new UsageError('FLAG_MISSING', 'replay', details);
  }
  const file = toAbsolute(document);
  const present = await lstat(file).catch(() => null);
  if (present !== null) {
    throw new UsageError('DOCUMENT_EXISTS', 'replay', {
      where: document,
      expected: 'a file that is not there yet',
      actual: 'one',
    });
  }
  return { file, signer: sign === undefined ? null : await readSigningKey(toAbsolute(sign)) };
}

/** Writes the statement of a replay: its envelope when there is a key, else the statement itself. */
export async function writeReplayFile({ file, signer }: ReplayFile, document: ReplayDocument): Promise<void> {
  const statement = toCanonicalBytes(toReplayStatement(document));
  await writeFile(file, signer === null ? statement : buildEnvelope(statement, signer), { flag: 'wx' });
}
