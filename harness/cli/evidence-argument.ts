import { lstat } from 'node:fs/promises';
import { UsageError } from './errors.ts';
import { toAbsolute } from './folders.ts';

/**
 * Absolute path of the evidence that an argument names. What is there is the verifier's to judge; a name of nothing
 * is a mistyped one, and no evidence that was rejected.
 *
 * @throws {UsageError} EVIDENCE_MISSING
 */
export async function findEvidence(argument: string): Promise<string> {
  const path = toAbsolute(argument);
  await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') return;
    throw new UsageError('EVIDENCE_MISSING', 'evidence', {
      where: argument,
      expected: 'a folder of evidence',
      actual: 'nothing of this name',
      cause,
    });
  });
  return path;
}
